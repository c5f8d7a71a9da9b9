/** For those who draw on a terminal. */
export { isInForeground } from "../system/process/foreground.ts";
