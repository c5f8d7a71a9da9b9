import type { Workspace } from "../workspace.ts";

/** How long a run waits for a usage limit, in ms; 0 in CI unless configured (P-43). */
export function longestWait(
  { config, lookup }: Pick<Workspace, "config" | "lookup">,
  env: Readonly<Record<string, string | undefined>>,
): number {
  const isUnset = lookup("limits.wait").origin.kind === "default";
  return isUnset && isSet(env["CI"]) ? 0 : config.limits.wait;
}

/** Some say `CI=false` to have a job behave like a person's terminal. */
const isSet = (value = ""): boolean => !["", "0", "false"].includes(value.trim().toLowerCase());
