import { printableLine } from "../domain/printable.ts";
import type { ChangeEnd } from "../domain/run/ready-changes.ts";
import type { RunSummary } from "../domain/run/summary.ts";
import { lowercaseFirst } from "./run-text.ts";

/** A line for each of several changes: how it ended. */
export function changeLines(changes: readonly ChangeEnd[] = []): string[] {
  const width = Math.max(0, ...changes.map(({ change }) => change.length));
  return changes.map(({ change, ending, reason }) =>
    [printableLine(change).padEnd(width), printableLine(`${ending}: ${lowercaseFirst(reason)}`)].join("  "),
  );
}

/** "a complete, b under way": of several changes. */
export const changeStates = ({ changes, finished }: Pick<RunSummary, "changes" | "finished">): string | undefined =>
  [...changes]
    .map(([change, ending]) => {
      const last = finished?.changes?.find((each) => each.change === change)?.ending;
      return printableLine(`${change} ${last ?? ending ?? "under way"}`);
    })
    .join(", ") || undefined;
