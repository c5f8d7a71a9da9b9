/** For those who draw on a terminal. */
export { isInForeground } from "../system/foreground.ts";
