/** For those who read keys from a terminal. */
export { startTerminalGuard } from "../system/terminal-guard.ts";
