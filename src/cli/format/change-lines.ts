import { printableLine } from "../../domain/printable.ts";
import type { ChangeEnd } from "../../domain/run/ready-changes.ts";
import { lowercaseFirst } from "./run-text.ts";

/** A line for each of several changes: how it ended. */
export function changeLines(changes: readonly ChangeEnd[] = []): string[] {
  const width = Math.max(0, ...changes.map(({ change }) => change.length));
  return changes.map(({ change, ending, reason }) =>
    [printableLine(change).padEnd(width), printableLine(`${ending}: ${lowercaseFirst(reason)}`)].join("  "),
  );
}
