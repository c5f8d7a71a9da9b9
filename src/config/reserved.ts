import { FLEET_VARIABLE } from "../domain/environment.ts";
import { HOOK_VARIABLES } from "../domain/run/hook-event.ts";

/**
 * Variables with our prefix that are not configuration: a run sets them for its sessions, gates and hooks. The last two
 * are a person's word and a login, which no file can give.
 */
export const RESERVED_VARIABLES: readonly string[] = [
  "RALPHCTL_ATTEMPT",
  "RALPHCTL_LANE",
  "RALPHCTL_PORT",
  "RALPHCTL_RUN",
  "RALPHCTL_TASK",
  "RALPHCTL_TASK_TITLE",
  "RALPHCTL_SCOPE",
  "RALPHCTL_ITERATION",
  "RALPHCTL_MARKER",
  "RALPHCTL_MODEL",
  "RALPHCTL_PROMPT",
  "RALPHCTL_WORKSPACE",
  "RALPHCTL_DOOR",
  "RALPHCTL_TRUST",
  FLEET_VARIABLE,
  ...Object.keys(HOOK_VARIABLES).filter((name) => name.startsWith("RALPHCTL_HOOK")),
];
