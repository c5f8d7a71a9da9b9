import { formatDuration } from "../../domain/duration.ts";
import { printableLine } from "../../domain/printable.ts";
import type { CheckKind } from "../../domain/run/event.ts";
import { type GateRecord, isProving, type IterationRecord } from "../../domain/run/iteration-record.ts";
import { openIterations, type RunRecord } from "../../domain/run/run-record.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import { durationText, lookup, underWay } from "../../format/run-text.ts";
import type { BlockView } from "./block-view.ts";
import type { Palette } from "./palette.ts";
import { span, type Span, type TwoSided, widthOfSpans } from "./spans.ts";

/** The current activity, and requested or background ones. */
export function activity(run: RunRecord, view: BlockView): Pick<TwoSided, "left" | "right"> {
  return { left: nowSpans(run, view), right: comingItems(run, view) };
}

const CHECKS: Readonly<Record<CheckKind, string>> = {
  baseline: "Checking before work starts",
  own: "Checking before the first session",
  final: "Final check",
  extra: "Checking with the old configuration and tests",
};

/** With one lane. */
function nowSpans(run: RunRecord, view: BlockView): Span[] {
  const [current] = openIterations(run);
  if (current === undefined || run.summary.waiting !== undefined || run.check !== undefined) {
    return idleSpans(run, view);
  }
  if (current.ended === undefined) return workSpans(current, view);
  if (current.gates.length > 0) return gateSpans("Verifying", current.gates, { ...view, run });
  return [span("Collecting the changes", view.palette.plain)];
}

/** What the run itself does, beside its iterations. */
export function idleSpans(run: RunRecord, view: BlockView): Span[] {
  const { nowMs, palette } = view;
  const { check, summary } = run;
  if (summary.waiting !== undefined) return waitSpans(summary.waiting, view);
  if (check !== undefined) {
    const lane = check.lane === undefined ? "" : ` (lane ${check.lane})`;
    return gateSpans(`${lookup(CHECKS, check.check) ?? "Checking"}${lane}`, check.gates, { ...view, run });
  }
  const [hook] = run.hooks;
  if (hook !== undefined) {
    return [span(`Hook ${printableLine(hook.hook)} ${since(hook.startedAtMs, nowMs)}`, palette.plain)];
  }
  return openIterations(run).length > 0 ? [span("Room: free", palette.faint)] : [span("Preparing", palette.plain)];
}

function workSpans(session: IterationRecord, { nowMs, palette }: BlockView): Span[] {
  const isShort = nowMs - session.heardAtMs < LONG_SILENCE_MS;
  return [
    span(`Working for ${since(session.startedAtMs, nowMs)}`, palette.plain),
    span(" · ", palette.faint),
    span(`silent for ${since(session.heardAtMs, nowMs)}`, isShort ? palette.faint : palette.attention),
  ];
}

/** After this long a silence, draw attention. */
export const LONG_SILENCE_MS = 180_000;

export const since = (fromMs: number, nowMs: number): string => formatDuration(Math.max(0, nowMs - fromMs));

const WAITS = {
  limit: "Waiting for the usage limit to end",
  outage: "Waiting for the model's server",
  pause: "Paused",
} as const;

type Waiting = NonNullable<RunRecord["summary"]["waiting"]>;

/** Rounded up: at zero it is over. */
const leftText = (untilMs: number, nowMs: number): string =>
  formatDuration(Math.max(0, Math.ceil((untilMs - nowMs) / 1000) * 1000));

/** P-43: with a countdown. */
export function waitSpans(waiting: Waiting, view: BlockView): Span[] {
  const { nowMs, palette, clock } = view;
  const text = lookup(WAITS, waiting.for) ?? "Waiting";
  if (waiting.untilMs === undefined) return [{ text, paint: palette.attention }];
  return [
    span(`${text}: ${leftText(waiting.untilMs, nowMs)}`, palette.attention),
    span(` · until ${clock(waiting.untilMs).slice(11)}`, palette.faint),
  ];
}

const SHORT_WAITS = { limit: "usage limit", outage: "server away", pause: "paused" } as const;

/** The same beside what else goes on. */
export function shortWaitSpans({ for: why, untilMs }: Waiting, { nowMs, palette }: BlockView): Span[] {
  const left = untilMs === undefined ? "" : ` for ${leftText(untilMs, nowMs)}`;
  return [span(`${lookup(SHORT_WAITS, why) ?? "waiting"}${left}`, palette.attention)];
}

/** Gates with result and duration, and those to come; if too wide, only failed and running ones. */
export function gateSpans(
  what: string,
  gates: readonly GateRecord[],
  { run, nowMs, palette, columns }: BlockView & { readonly run: RunRecord },
): Span[] {
  const seen = new Set(gates.map(({ gate }) => gate));
  const toCome = (run.summary.started?.gates ?? []).filter(({ gate }) => !seen.has(gate));
  const head: Span = span(`${what}:`, palette.plain);
  const all = [
    head,
    ...gates.flatMap((gate) => gateSpan(gate, nowMs, palette)),
    ...toCome.map(({ gate }) => ({ text: `  ${printableLine(gate)}`, paint: palette.faint })),
  ];
  if (widthOfSpans(all) < columns) return all;
  const passed = gates.filter(({ result }) => result?.passed === true).length;
  return [
    head,
    ...(passed === 0 ? [] : [span(`  ✓ ${passed}`, palette.good)]),
    ...gates.filter(({ result }) => result?.passed !== true).flatMap((gate) => gateSpan(gate, nowMs, palette)),
    ...(toCome.length === 0 ? [] : [span(`  ${toCome.length} to come`, palette.faint)]),
  ];
}

function gateSpan({ gate, startedAtMs, result }: GateRecord, nowMs: number, palette: Palette): Span[] {
  const name = printableLine(gate);
  if (result === undefined) return [span(`  … ${name} ${since(startedAtMs, nowMs)}`, palette.strong)];
  return [
    span(`  ${result.passed ? "✓" : "✗"} `, result.passed ? palette.good : palette.bad),
    span(`${name} ${durationText(result.durationMs)}`, palette.plain),
  ];
}

/** One lane has paused, and others still work. */
export const isPausing = (run: RunRecord): boolean =>
  run.summary.waiting?.for === "pause" && openIterations(run).length > 0;

/** What a stop or pause lets end. */
export const unitOf = ({ summary }: Pick<RunRecord, "summary">): string => underWay(hasLanes(summary));

/** Requested stops and pauses, and background hooks. */
export function comingItems(run: RunRecord, { person, palette, nowMs }: BlockView): Span[][] {
  const { hooks, summary } = run;
  const { attention, faint } = palette;
  const { asked, isStopped } = person;
  const isPaused = summary.waiting?.for === "pause" && !isPausing(run);
  const isIdle = summary.waiting !== undefined && openIterations(run).length === 0;
  const key = person.isWatching ? "S" : "Ctrl-C";
  const stopping = openIterations(run).some(isProving)
    ? `stops after the proof; ${key} stops now`
    : `stopping; ${key} again kills the agent`;
  return [
    ...(isStopped ? [[span(stopping, attention)]] : []),
    ...(asked.stop && !isStopped ? [[span(isIdle ? "stops now" : `stops after ${unitOf(run)}`, attention)]] : []),
    ...(asked.pause && !isPaused && !isStopped ? [[span(`pauses after ${unitOf(run)}`, attention)]] : []),
    ...(openIterations(run).length === 0
      ? []
      : hooks.map(({ hook, startedAtMs }) => [
          span(`hook ${printableLine(hook)} ${since(startedAtMs, nowMs)}`, faint),
        ])),
  ];
}
