import { loadConfig } from "../config/config.ts";
import type { Surroundings } from "./workspace.ts";

export { showDesktopNotice } from "../system/process/desktop-notice.ts";

/** How a run calls a person who sits at its terminal. */
export const terminalNotice = async (caller: Surroundings): Promise<"on" | "off"> =>
  (await loadConfig(caller)).config.notify.terminal;
