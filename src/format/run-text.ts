import { AS_THEY_LAY, type Strength } from "../domain/strength.ts";
import type { AgentOutcome } from "../domain/agent-event.ts";
import { formatDuration } from "../domain/duration.ts";
import { printableLine } from "../domain/printable.ts";
import type { EventOf, IterationStarted, RunFinished, RunStarted, TaskName } from "../domain/run/event.ts";
import { harnessFailure } from "../domain/run/interpret.ts";
import type { IterationOutcome } from "../domain/run/outcome.ts";
import type { SessionCost } from "../domain/usage.ts";

// Texts for a person. Unknown values from a damaged file are shown as they are.

const OUTCOMES: Readonly<Record<IterationOutcome, string>> = {
  verified: "verified",
  rejected: "rejected",
  conflict: "conflicts with other work",
  "gave-up": "the agent gave up",
  crashed: "the agent crashed",
  "timed-out": "the agent timed out",
  idle: "no claim and no changes",
  unfinished: "not finished",
  planned: "looked for steps",
  limited: "cut short by a usage limit",
  outage: "the model's server failed",
  overflow: "too long for the model; the next prompt is shorter",
  login: "the login was refused",
  model: "the model is not available",
  stopped: "stopped",
  deferred: "claimed too early to end the run",
  parked: "waits for an answer",
  failure: "the agent says nothing can help",
  lost: "another process took over the task; this attempt does not count",
};

/** What a stop or a pause lets end. */
export const underWay = (hasLanes: boolean): string => (hasLanes ? "the iterations under way" : "this iteration");

/** A table's own entry; a damaged file may say `valueOf`. */
export const lookup = <Entry>(table: Readonly<Record<string, Entry>>, word: string): Entry | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

const STRENGTHS: Readonly<Record<Strength, string>> = {
  proven: "proven",
  unbroken: "unbroken",
  look: "done, but look at it first",
};

export const outcomeText = ({
  outcome,
  strength,
}: Pick<EventOf<"iteration.finished">, "outcome" | "strength">): string =>
  outcome === "verified" && strength !== undefined
    ? (lookup(STRENGTHS, strength) ?? printableLine(strength))
    : (lookup(OUTCOMES, outcome) ?? printableLine(outcome));

/** `3 of 10`; `3` without a limit. */
export const iterationNumber = ({ iteration, of }: Pick<IterationStarted, "iteration" | "of">): string =>
  of === 0 ? String(iteration) : `${iteration} of ${of}`;

/** How a session ended; undefined if normally. */
export function sessionText(outcome: AgentOutcome): string | undefined {
  switch (outcome.kind) {
    case "done":
      return undefined;
    case "api-error":
      return `The model's server failed: ${outcome.message}`;
    case "limit":
      if (outcome.limit === "billing") return `The account has run out of credit: ${outcome.message}`;
      return `A usage limit was reached (${outcome.limit}): ${outcome.message}`;
    case "refused":
      return `The model refused: ${outcome.message}`;
    case "context-too-long":
      return `The conversation became too long: ${outcome.message}`;
    case "login":
    case "model":
    case "turn-limit":
      return harnessFailure(outcome);
    case "aborted":
      return "The session was stopped";
    case "timed-out":
      return outcome.watchdog === "wall" ? "The session took too long" : "The agent was silent for too long";
    case "crashed":
      return `The agent ${outcome.detail}`;
    default:
      return undefined;
  }
}

const CLAIMS = {
  done: "done",
  failed: "it cannot be done",
  failure: "nothing can help",
  parked: "a person must answer first",
} as const;

const CHANNELS = {
  message: "in its final message",
  command: "by a command",
  plan: "in the plan file",
  person: "by you",
} as const;

export const claimText = ({ claim, channel }: EventOf<"claim.made">): string =>
  `${lookup(CLAIMS, claim) ?? claim} (${lookup(CHANNELS, channel) ?? channel})`;

const OVERRIDES = {
  hint: "recommended by the agent",
  task: "set by the task",
  "no-progress": "because of no progress",
} as const;

/** `claude (opus, recommended by the agent)`. */
export function agentText(harness: string, model: string | undefined, override?: keyof typeof OVERRIDES): string {
  const why = override === undefined ? undefined : (lookup(OVERRIDES, override) ?? override);
  const details = [model, why].filter((word) => word !== undefined);
  return printableLine(details.length === 0 ? harness : `${harness} (${details.join(", ")})`);
}

const TITLE_LENGTH = 100;

/** `t-1a2b "Add login"`. */
export const taskText = ({ id, title }: TaskName): string =>
  `${printableLine(id)} "${truncate(printableLine(title), TITLE_LENGTH)}"`;

/** The first of many: `a, b and 3 more`. `total`: their number, if not all are given. */
export function listSome(words: readonly string[], most: number, total = words.length): string {
  const shown = words.slice(0, most).map((word) => printableLine(word));
  const more = total - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${formatNumber(more)} more` : shown.join(", ");
}

/** Truncates with an ellipsis, never inside a character. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, Math.max(0, length - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Wraps a text between words; no lines for a blank one. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter((each) => each !== "")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** `2 done · 1 failed`, without the counts that are zero. */
export const countsText = (counts: readonly (readonly [word: string, count: number])[], separator = " · "): string =>
  counts
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${formatNumber(count)} ${word}`)
    .join(separator);

/** `about $0.42` and `about 12,345 tokens`, each only if it was reported. */
export function spentTexts(spent: SessionCost): string[] {
  const { tokens, isEstimated } = spent;
  return [
    ...moneyTexts(spent),
    ...(tokens === 0 ? [] : [`${isEstimated ? "about " : ""}${formatNumber(tokens)} tokens`]),
  ];
}

type Money = Pick<SessionCost, "costUsd" | "isCostPartial"> & Partial<Pick<SessionCost, "isEstimated">>;

/** `at least $0.42`; none if none was reported. */
export const moneyTexts = ({ costUsd, isEstimated = false, isCostPartial }: Money): string[] =>
  costUsd === undefined ? [] : [`${costSign({ isCostPartial, isCostEstimated: isEstimated })}${formatUsd(costUsd)}`];

/** The prefix of an incomplete or estimated amount. */
export const costSign = (known: { readonly isCostPartial?: boolean | undefined; readonly isCostEstimated: boolean }) =>
  known.isCostPartial === true ? "at least " : known.isCostEstimated ? "about " : "";

/** The same where there is little room: `≥$0.42`, `~$0.42`. */
export const shortSign = (text: string): string => text.replace("at least ", "≥").replace("about ", "~");

export const plural = (count: number, noun: string): string =>
  `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;

// By hand: the first call of toLocaleString takes 16 ms.
export const formatNumber = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+(?!\d))/g, ",");

/** `$3.20`, with more digits for small amounts. */
export const formatUsd = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;

/** With tenths below ten seconds: most gates are that fast. */
export const durationText = (ms: number): string =>
  ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : formatDuration(ms);

/** For a sentence after a colon; names in capitals stay. */
export const lowercaseFirst = (sentence: string): string =>
  /^[A-Z](?:[a-z]| [a-z])/.test(sentence) ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence;

/** Local time as `2026-11-16 14:05:09`. By hand: what Node has for it takes 16 ms to load. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

const two = (count: number): string => String(count).padStart(2, "0");

/** `14:05`, with the date only if it is not today. */
export function clockText(ms: number, nowMs: number, clock: (ms: number) => string = localTime): string {
  const [then, now] = [clock(ms), clock(nowMs)];
  return then.slice(0, 10) === now.slice(0, 10) ? then.slice(11, 16) : then.slice(0, 16);
}

/** T-02: undefined if the gates ran in the room. */
export const gatesPlace = (finished: Pick<RunFinished, "isOnLane"> | undefined): string | undefined =>
  finished?.isOnLane === true ? AS_THEY_LAY : undefined;

/** A browser has no module for paths. */
const folderOf = (path: string): string => path.replace(/[\\/][^\\/]*$/, "");

/** Where the agents of a run work (L-43); undefined before it is known. */
export function laneFact(
  started: Partial<Pick<RunStarted, "lane" | "lanes" | "fleet">> | undefined,
): readonly [name: string, value: string | undefined] {
  const { lane, lanes = 1, fleet } = started ?? {};
  if (lane === undefined) return ["Lane", undefined];
  if (fleet === true) return ["Lanes", "of the fleet: ralphctl fleet status shows its machines"];
  if (lanes > 1) return ["Lanes", `${lanes}, in ${folderOf(lane.folder)}`];
  return ["Lane", lane.number === 0 ? "0, your working tree" : `${lane.number}, ${lane.folder}`];
}

/** Ceilings of a run: "29 iterations · 8h · $5.00". `each`: what the iterations are counted by. */
export function limitsText({ iterations, timeMs, costUsd, tokens }: RunStarted["limits"], each = ""): string {
  const ceilings = [
    `${iterations === 0 ? "any number of iterations" : plural(iterations, "iteration")}${each}`,
    ...(timeMs === undefined ? [] : [formatDuration(timeMs)]),
    ...(costUsd === undefined ? [] : [formatUsd(costUsd)]),
    ...(tokens === undefined ? [] : [plural(tokens, "token")]),
  ];
  return ceilings.join(" · ");
}
