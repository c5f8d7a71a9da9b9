import { RalphError } from "../../domain/error.ts";

/** P-53: a plan that cannot be read is not "nothing to do", unless the run is about tasks that were named. */
export function refuseUnreadablePlan(
  { tasks = [] }: { readonly tasks?: readonly string[] | undefined },
  problems: readonly string[],
): void {
  if (problems.length === 0 || tasks.length > 0) return;
  throw new RalphError("data", problems.join("; "), { hint: "Fix the plan: there is nothing else to work on" });
}
