import type { AgentOutcome } from "../agent-event.ts";
import { harnessFailure } from "./interpret.ts";
import type { IterationOutcome } from "./outcome.ts";

/** Why an agent is not started for a while, and how often in a row. */
export interface Cooldown {
  readonly why: "limit" | "outage" | "login" | "region" | "bill" | "model" | "crash" | "broken";
  /** By the monotonic clock. */
  readonly sinceMs: number;
  /** By the monotonic clock; Infinity: for the rest of the run. */
  readonly untilMs: number;
  readonly times: number;
  /** The agent's own words; a sentence about a login. */
  readonly message: string;
  /** The model that it could not use, and where that was set. */
  readonly asked?: AskedModel | undefined;
  /** What it crashed at. */
  readonly about?: string | undefined;
}

/** A model's name and the setting that names it; undefined: the CLI's own default. */
export interface AskedModel {
  readonly model: string;
  readonly where: string;
}

/** By the agents' places in the order of preference; undefined: it can be started. */
export type Cooldowns = readonly (Cooldown | undefined)[];

/** How a session ended, as far as it concerns whether its agent can be started again. */
export interface CooldownInput {
  readonly outcome: IterationOutcome;
  readonly ended: AgentOutcome;
  readonly asked?: AskedModel | undefined;
  /** The task, or the plan. */
  readonly about?: string | undefined;
  /** The model has not answered in this session; nor in any other of the agent in this run. */
  readonly isUnanswered?: boolean | undefined;
  readonly hasNeverWorked?: boolean | undefined;
  /** By the monotonic clock: when the session began, and now. */
  readonly startedMs: number;
  readonly nowMs: number;
  /** The wall clock: usage limits end by it. */
  readonly wallMs: number;
  /** Random, 0 to 1: many loops must not retry at the same moment. */
  readonly chance: number;
}

const FIRST_PAUSE_MS = 1000;
const PAUSE_GROWTH = 8;
const MAX_PAUSE_MS = 5 * 60_000;
/** How long to wait for a usage limit that does not say when it ends. */
const UNKNOWN_LIMIT_MS = 5 * 60_000;
/** An agent that crashed may have done so because of the task: another may have it for now. */
const CRASH_MS = 60_000;

/** Whether a session began before its agent was paused, in another lane: it says nothing about the agent since then. */
export const isOlder = (before: Cooldown | undefined, { startedMs }: Pick<CooldownInput, "startedMs">): boolean =>
  before !== undefined && startedMs < before.sinceMs;

/** The cooldown of an agent after a session; undefined: it can start again at once. */
export function nextCooldown(before: Cooldown | undefined, fate: CooldownInput): Cooldown | undefined {
  if (before === undefined || !isOlder(before, fate)) {
    const next = cooldownAfter(fate, (before?.times ?? 0) + 1);
    return next && isBroken(before, next, fate) ? { ...next, why: "broken", untilMs: Infinity } : next;
  }
  // Several sessions that meet one limit or outage are one pause (L-08).
  const next = cooldownAfter(fate, before.times);
  return next !== undefined && next.untilMs > before.untilMs ? next : before;
}

/**
 * P-20: an agent that fails again with the same words before its model answers would fail every task. If it has worked
 * in this run, the reason may be the task: then another one must have failed so.
 */
function isBroken(before: Cooldown | undefined, next: Cooldown, fate: CooldownInput): boolean {
  const { ended, isUnanswered, hasNeverWorked, about } = fate;
  if (before?.why !== "crash" || next.why !== "crash" || isUnanswered !== true) return false;
  const isItsOwn = ended.kind === "crashed" ? !isKilled(ended) : ended.kind === "api-error";
  return (
    isItsOwn && alike(before.message) === alike(next.message) && (hasNeverWorked === true || before.about !== about)
  );
}

/** Somebody ended it, or the system for want of memory: the next session may live. A shell tells signals as exit codes. */
const isKilled = ({ code, signal }: Extract<AgentOutcome, { kind: "crashed" }>): boolean =>
  KILLS.some(([name, number]) => signal === name || (signal === null && code === 128 + number));
const KILLS = [
  ["SIGHUP", 1],
  ["SIGINT", 2],
  ["SIGKILL", 9],
  ["SIGTERM", 15],
] as const;

/** Times, ids and ports differ where the failure is the same. */
const alike = (message: string): string => message.replaceAll(/[\da-f]{6,}|\d+/gi, "#");

function cooldownAfter(fate: CooldownInput, times: number): Cooldown | undefined {
  const { outcome, ended, nowMs, wallMs, asked, about } = fate;
  const message = "message" in ended ? ended.message : ended.kind === "crashed" ? ended.detail : ended.kind;
  const common = { sinceMs: nowMs, times, message };
  if (outcome === "login") {
    const why = ended.kind === "login" && ended.why === "region" ? "region" : "login";
    return { ...common, why, untilMs: Infinity, message: harnessFailure(ended) ?? message };
  }
  if (outcome === "model") return { ...common, why: "model", untilMs: Infinity, ...(asked && { asked }) };
  if (outcome === "outage") return { ...common, why: "outage", untilMs: nowMs + pause(times, fate) };
  if (outcome === "crashed")
    return { ...common, why: "crash", untilMs: nowMs + CRASH_MS, ...(about !== undefined && { about }) };
  if (outcome !== "limited" || ended.kind !== "limit") return undefined;
  if (ended.resetsAtMs !== undefined) {
    // Met again after it should have ended: a clock is wrong, and retrying at once would never stop.
    const soonestMs = times === 1 ? 0 : nowMs + pause(times - 1, fate);
    return { ...common, why: "limit", untilMs: Math.max(nowMs + ended.resetsAtMs - wallMs, soonestMs) };
  }
  // No waiting pays a bill, and too many requests for the moment are over sooner than a limit.
  if (ended.limit === "billing") return { ...common, why: "bill", untilMs: Infinity };
  const isShort = ended.limit === "rate_limit";
  return { ...common, why: "limit", untilMs: nowMs + (isShort ? pause(times, fate) : UNKNOWN_LIMIT_MS) };
}

const pause = (times: number, { chance }: CooldownInput): number =>
  Math.min(FIRST_PAUSE_MS * PAUSE_GROWTH ** (times - 1), MAX_PAUSE_MS) * (0.75 + chance / 2);

/**
 * The place of the preferred agent that can start now, or else of the one that can start soonest; and from when. Of
 * several, it is one with the fewest sessions under way.
 */
export function nextAgent(
  cooldowns: Cooldowns,
  nowMs: number,
  atWork: readonly number[] = [],
): { readonly agent: number; readonly fromMs: number } {
  const from = cooldowns.map((cooldown) => Math.max(cooldown?.untilMs ?? nowMs, nowMs));
  const fromMs = Math.min(...from);
  const sessions = from.map((ms, agent) => (ms === fromMs ? (atWork[agent] ?? 0) : Infinity));
  return { agent: sessions.indexOf(Math.min(...sessions)), fromMs };
}
