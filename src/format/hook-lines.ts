import { printableLine } from "../domain/printable.ts";
import type { EventOf, HookDefinition, HookFinished } from "../domain/run/event.ts";
import { commandLines, outputEnd, sweptText } from "./gate-lines.ts";
import { durationText, spentTexts, truncate } from "./run-text.ts";

/** `Hook push: FAILED, exit code 1 · 0.4s`; with its iteration, as another may have begun meanwhile. */
export function hookText(event: HookFinished, current: number | undefined): string {
  const { hook, iteration, passed, reason = "", durationMs, costUsd, tokens = 0, swept = 0 } = event;
  const isLate = iteration !== undefined && iteration !== current;
  const facts = [
    passed ? "ok" : `FAILED${reason === "" ? "" : `, ${printableLine(reason)}`}`,
    durationText(durationMs),
    ...spentTexts({ ...event, costUsd, tokens, isEstimated: event.isEstimated === true }),
    ...(swept === 0 ? [] : [sweptText(swept)]),
  ];
  return `Hook ${printableLine(hook)}${isLate ? ` of iteration ${iteration}` : ""}: ${facts.join(" · ")}`;
}

/** The result of a hook, with its patch or the reason of a failure. */
export function hookLines(event: HookFinished, current: number | undefined): string[] {
  const { passed, patch, output } = event;
  return [
    `  ${hookText(event, current)}`,
    ...(patch === undefined ? [] : [`    It proposes a change: git apply ${printableLine(patch)}`]),
    ...(passed ? [] : outputEnd(output)),
  ];
}

export const hookStartText = ({ hook, command }: EventOf<"hook.started">, width: number): string =>
  truncate(`  Hook ${printableLine(hook)}: ${printableLine(command)}`, width);

/** W-06: the hooks of a run and when they run. */
export function hookListLines(hooks: readonly HookDefinition[]): string[] {
  if (hooks.length === 0) return [];
  const entries = hooks.map(({ hook, on, command }) => ({
    gate: `${hook} (${on.join(", ")})`,
    command: short(command),
  }));
  return ["These hooks will run alongside the loop:", ...commandLines(entries)];
}

/** A prompt may be a page. */
function short(command: string): string {
  const line = printableLine(command);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
}

const LONGEST = 60;
