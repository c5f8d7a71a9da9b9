/** For those who read keys from a terminal. */
export { startTerminalGuard } from "../system/process/terminal-guard.ts";
