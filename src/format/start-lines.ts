import { dirname } from "node:path";
import { printableLine } from "../domain/printable.ts";
import type { RunStarted } from "../domain/run/event.ts";
import { commandLines } from "./gate-lines.ts";
import { hookListLines } from "./hook-lines.ts";
import { agentText, limitsText, listSome, plural } from "./run-text.ts";

/** L-03: where the agent works, on which commit, and which changes are not in it. */
function placeLine({ run, folder, branch = "HEAD", head, lane, lanes = 1, fleet, notIncluded }: RunStarted): string {
  const base = `Run ${run} works on ${branch} at ${head.slice(0, 10)}`;
  if (lane.number === 0) return `${base} in ${folder}. Don't edit files or switch branches here until the run ends`;
  const place =
    fleet === true
      ? `${base} in the lanes of the fleet`
      : lanes > 1
        ? `${base} in ${plural(lanes, "lane")} (${dirname(lane.folder)})`
        : `${base} in lane ${lane.number} (${lane.folder})`;
  if (notIncluded === undefined) return place;
  return `${place}. Not included: your changes to ${listSome(notIncluded.paths, 5, notIncluded.files)}`;
}

/** W-07: first who works where, then W-06: the commands to run. */
export function startLines(event: RunStarted): string[] {
  const facts = [
    event.changes === undefined ? `Scope ${event.scope}` : `Changes ${listSome(event.changes, 5)}`,
    event.branch === undefined ? "no branch" : `branch ${event.branch}`,
    `${event.mode} mode`,
    agentText(event.harness, undefined),
    ...(event.mode === "build" ? [plural(event.tasks, "open task")] : []),
  ];
  return [
    printableLine(placeLine(event)),
    facts.map((fact) => printableLine(fact)).join(" · "),
    `At most ${limitsText(event.limits, event.changes === undefined ? "" : " per change")}`,
    // A missing gate is a notice, which says why.
    ...(event.gates.length === 0 ? [] : ["These commands will check what the agent claims:"]),
    ...commandLines(event.gates),
    ...hookListLines(event.hooks ?? []),
  ];
}
