import type { AgentOutcome } from "../agent-event.ts";
import { readCompletion } from "../sigil/read-completion.ts";
import { readSigils } from "../sigil/read-sigils.ts";
import type { TaskId } from "../task.ts";
import { readClaim } from "./claim.ts";
import type { IterationOutcome } from "./outcome.ts";

/** What an agent said, on every channel (P-13). */
export interface Said {
  readonly outcome: AgentOutcome;
  /** The final message. */
  readonly message: string;
  /** All that it was given to read. */
  readonly given: string;
  /** By a command of ours, inside the session. */
  readonly command: { readonly claim: "done" | "failed" | "parked"; readonly text: string } | undefined;
  /** It marked the assigned task in the plan file. */
  readonly markedPlan: boolean;
}

export interface Interpretation {
  readonly claim: "done" | "failed" | "failure" | "parked" | "none";
  readonly channel: "message" | "command" | "plan" | "person";
  /** It promised, beside its claim, that everything is complete. */
  readonly promisesAll: boolean;
  /** It promised so, whatever else it said. */
  readonly promised?: true;
  /** Other ids that it claims to be done (T-23). */
  readonly others?: readonly TaskId[];
  /** Set if it claims every open task of the scope. */
  readonly isWhole?: true;
  /** The summary with which it said, in a sprint, that the goal is achieved. */
  readonly completion?: string | undefined;
  readonly nextModel: string | undefined;
  /** What broke the protocol, for the next prompt. */
  readonly notes: readonly string[];
  /** What it said with the claim: a summary, a reason, a question. */
  readonly text: string;
}

/** What a message is checked against. */
export interface Expected {
  /** Absent where no task is assigned: then a promise is the only claim. */
  readonly taskId?: TaskId | undefined;
  readonly promise: string;
  /** In a sprint with a goal, `RALPH_COMPLETE` is a promise too (S003-06). */
  readonly hasGoal?: boolean | undefined;
}

/** Step 7. Pure. A session that did not end well claims nothing, whatever its text says (P-14). */
export function interpret(said: Said, { taskId, promise, hasGoal }: Expected): Interpretation {
  const completion =
    hasGoal === true && said.outcome.kind === "done" ? readCompletion(said.message, said.given) : undefined;
  const { claim, promisesAll, promised, others, nextModel, notes } = readClaim(readSigils(said.message, said.given), {
    taskId,
    completionPromise: promise,
    isCompleted: completion !== undefined,
  });
  const text = said.message.trim();
  const common = {
    promisesAll,
    ...(promised && { promised }),
    ...(others !== undefined && { others }),
    nextModel,
    notes,
    text,
    ...(completion !== undefined && { completion }),
  };
  const byCommand = (kind: "done" | "failed" | "parked"): boolean => said.command?.claim === kind;
  const fromCommand = { ...common, text: said.command?.text || common.text };
  if (said.outcome.kind !== "done") {
    return { claim: "none", channel: "message", promisesAll: false, nextModel: undefined, notes: [], text };
  }
  if (claim === "failure" || claim === "done") return { ...common, claim, channel: "message" };
  if (byCommand("done")) return { ...fromCommand, claim: "done", channel: "command" };
  if (said.markedPlan) return { ...common, claim: "done", channel: "plan" };
  if (byCommand("parked")) return { ...fromCommand, claim: "parked", channel: "command" };
  if (claim === "failed") return { ...common, claim, channel: "message" };
  if (byCommand("failed")) return { ...fromCommand, claim: "failed", channel: "command" };
  return { ...common, claim: "none", channel: "message" };
}

/** The outcome of a session without a claim to verify; undefined: the claim decides. */
export function outcomeWithoutClaim(
  ended: AgentOutcome,
  about: { readonly hasChanged: boolean; readonly isStopped: boolean; readonly canShorten: boolean },
): IterationOutcome | undefined {
  // Agents react to signals in different ways: a session that we stopped counts as stopped, whatever it reported.
  if (about.isStopped && ended.kind !== "done") return "stopped";
  if (ended.kind === "context-too-long" && about.canShorten) return "overflow";
  // A request that will be refused again is nothing to wait for.
  if (ended.kind === "api-error" && !ended.retryable) return "crashed";
  return ENDINGS[ended.kind] ?? (ended.kind === "done" ? undefined : about.hasChanged ? "unfinished" : "idle");
}

/** The others ended for a reason of their own: what they did until then counts. */
const ENDINGS: Partial<Record<AgentOutcome["kind"], IterationOutcome>> = {
  "api-error": "outage",
  limit: "limited",
  login: "login",
  model: "model",
  "context-too-long": "crashed",
  // Not by us: the agent was interrupted from outside.
  aborted: "crashed",
  "timed-out": "timed-out",
  crashed: "crashed",
};

/** How the harness failed, for the next prompt and the record; undefined when it did not. */
export function harnessFailure(ended: AgentOutcome): string | undefined {
  if (ended.kind === "crashed") return `The agent ${ended.detail}`;
  if (ended.kind === "aborted") return "The agent was interrupted";
  if (ended.kind === "turn-limit") {
    if (ended.isOutput) return "The model's answer was longer than its limit and was cut; smaller steps avoid that";
    return `The agent reached its own ${ended.isBudget ? "budget" : "turn limit"}`;
  }
  if (ended.kind === "timed-out") {
    return ended.watchdog === "inactivity"
      ? "The agent was silent for too long and was stopped"
      : "The session exceeded its time limit and was stopped";
  }
  if (ended.kind === "context-too-long") return `The session outgrew the model's context: ${ended.message}`;
  if (ended.kind === "api-error") {
    const status = ended.status === undefined ? "" : ` (${ended.status})`;
    return `The model's server failed: ${ended.error}${status}: ${ended.message}`;
  }
  if (ended.kind === "login") return `${LOGIN_WORDS[ended.why ?? "refused"]}: ${ended.message}`;
  if (ended.kind === "model") return `The model is not available: ${ended.message}`;
  return ended.kind === "done" ? undefined : ended.message;
}

const LOGIN_WORDS = {
  refused: "The login was refused",
  missing: "There is no login",
  region: "The model's server does not serve this place or account",
} as const;
