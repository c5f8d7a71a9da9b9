import type { FirstStart } from "../app/run/dry-run.ts";
import { printableLine } from "../domain/printable.ts";
import { agentText, limitsText } from "./run-text.ts";

/** What `run --dry-run` would start, a line each. */
export function firstStartLines({
  task,
  harness,
  model,
  place,
  lanes,
  gates,
  limits,
  permissions,
}: FirstStart): string[] {
  const facts: readonly (readonly [name: string, text: string])[] = [
    ["task", task === undefined ? "none: the session plans" : `${task.id} "${task.title}", ${task.why}`],
    ["agent", `${agentText(harness, model)}${model === undefined ? ", with its own default model" : ""}`],
    ["place", lanes === 1 ? place : `${place}, and ${lanes - 1} more`],
    ...permissions.map((text) => ["permissions", text] as const),
    ["limits", `at most ${limitsText(limits)}`],
    ...gates.map(({ gate, command }) => [`gate ${gate}`, command] as const),
  ];
  return facts.map(([name, text]) => printableLine(`${name}: ${text}`));
}

/** The same as data. */
export const firstStartJson = ({ task, model, ...rest }: FirstStart): unknown => ({
  task: task ?? null,
  model: model ?? null,
  ...rest,
});
