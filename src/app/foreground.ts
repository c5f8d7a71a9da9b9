/** For those who draw on a terminal. */
export { hasTerminal, isInForeground } from "../system/process/foreground.ts";
