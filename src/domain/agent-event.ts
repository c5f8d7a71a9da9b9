import type { Refusal } from "./sandbox/refusals.ts";

/** What happens in one session, for every CLI. Readers create these from its output. */
export type AgentEvent =
  | {
      readonly type: "agent.session";
      readonly sessionId?: string;
      readonly model?: string;
      /** Of the CLI. */
      readonly version?: string;
    }
  | AgentText
  | { readonly type: "agent.thinking"; readonly text: string; readonly block?: string; readonly parent?: string }
  | {
      readonly type: "agent.tool";
      readonly id?: string;
      readonly name: string;
      /** One line, truncated. */
      readonly input: string;
      readonly parent?: string;
    }
  | {
      readonly type: "agent.tool-result";
      readonly id?: string;
      readonly ok: boolean;
      /** Truncated. */
      readonly output: string;
      readonly parent?: string;
    }
  /** Tokens since the last event of this kind; add them up for the total. */
  | ({
      readonly type: "agent.usage";
      readonly estimated?: true;
      /** No cost is known for them. */
      readonly unpriced?: true;
    } & Usage)
  /** US dollars since the last event of this kind. */
  | { readonly type: "agent.cost"; readonly usd: number; readonly estimated?: true }
  /** The CLI retries a request itself. */
  | {
      readonly type: "agent.retry";
      readonly attempt?: number;
      readonly of?: number;
      readonly delayMs?: number;
      readonly status?: number;
      readonly reason: string;
    }
  /** A usage limit is close; the session continues. */
  | {
      readonly type: "agent.limit-warning";
      readonly kind: string;
      readonly resetsAtMs?: number;
      /** 0 to 1. */
      readonly utilization?: number;
    }
  /** Something a person may want to see. */
  | { readonly type: "agent.notice"; readonly text: string }
  /** The sandbox kept a path from it, as far as its programs say. */
  | ({ readonly type: "agent.refused" } & Refusal)
  /** A line that was too long to parse. The transcript contains it whole. */
  | {
      readonly type: "agent.long-line";
      readonly bytes: number;
      /** The transcript, and the position of the line in bytes. */
      readonly file: string;
      readonly offset: number;
    }
  /** How many lines of the session its reader did not understand; once, before the end. */
  | { readonly type: "agent.unknown"; readonly lines: number; readonly of: number; readonly example: string }
  /** The last event of every session, exactly once. */
  | { readonly type: "agent.ended"; readonly outcome: AgentOutcome };

/**
 * What the agent says. Pieces with the same `block` are one text that arrived in parts, each of whole lines: a secret that
 * stands on one line is never split.
 */
export interface AgentText {
  readonly type: "agent.text";
  readonly text: string;
  readonly block?: string;
  /** The tool call that it belongs to: said by an agent that this agent started, not by itself. */
  readonly parent?: string;
}

/** Whether the model must have answered for such an event. A result tells usage also of answers long before it. */
export const isAnswer = ({ type }: AgentEvent): boolean =>
  type === "agent.text" || type === "agent.thinking" || type === "agent.tool" || type === "agent.tool-result";

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** How a session ended. Only `done` can carry a claim (P-14). */
export type AgentOutcome =
  | { readonly kind: "done" }
  /** The model's server failed, or refused the request for another reason than those below. */
  | {
      readonly kind: "api-error";
      readonly status?: number;
      readonly error: string;
      readonly message: string;
      /** Whether the same request may succeed later, because the server is at fault. */
      readonly retryable: boolean;
    }
  /**
   * A usage limit; `limit` names it (`five_hour`, `usage`). Two names tell what to do without a reset: `rate_limit`, too
   * many requests for the moment, and `billing`, which no waiting ends.
   */
  | { readonly kind: "limit"; readonly limit: string; readonly resetsAtMs?: number; readonly message: string }
  /** The CLI's own limit on turns, or on cost, or on the length of an answer. */
  | { readonly kind: "turn-limit"; readonly isBudget?: true; readonly isOutput?: true }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "context-too-long"; readonly message: string }
  /** `missing`: there is none. `region`: the server serves neither this place nor this account, whatever the login. */
  | { readonly kind: "login"; readonly message: string; readonly why?: "missing" | "region" }
  /** The server does not know the model, or does not offer it to this account. */
  | { readonly kind: "model"; readonly message: string }
  /** Stopped by ralphctl, or interrupted from outside. */
  | { readonly kind: "aborted" }
  /** Stopped by a watchdog of ralphctl. */
  | { readonly kind: "timed-out"; readonly watchdog: "inactivity" | "wall" }
  | {
      readonly kind: "crashed";
      readonly code: number | null;
      readonly signal: string | null;
      readonly detail: string;
    };

/**
 * Why an agent was stopped. `grace`: it had given its result and did not exit. `background`: it had, and waited for a
 * command of its own. `refused`: its login, again and again. `limited`: it waits for a usage limit. `repeats`: it met the same
 * error again and again.
 */
export type StopReason = "inactivity" | "wall" | "grace" | "background" | "refused" | "limited" | "repeats" | "abort";

/** How the agent's process ended. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stoppedBy?: StopReason;
  /** When it ended. Times in messages ("in 5 hours", "at 9:36 PM") are relative to it. */
  readonly atMs: number;
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
  /** The files that the start asked to collect, by path, if they exist. */
  readonly files: Readonly<Record<string, string>>;
}

/** A file that a CLI keeps for itself: below its home folder, found by the end of its name. */
export interface OwnFile {
  /** The variable that names the CLI's home folder. */
  readonly variable: string;
  /** The default for that folder, below the user's home. */
  readonly otherwise: string;
  readonly folder: string;
  readonly endsWith: string;
}

/** Turns one session's output into events. Never throws. */
export interface AgentReader {
  /** One line, without its newline. Never yields `agent.ended`. */
  readonly line: (text: string) => AgentEvent[];
  /** One line of its standard error, for a CLI that says there what it waits for. */
  readonly errorLine?: (text: string) => AgentEvent[];
  /**
   * Whether the CLI has given its result and has nothing more under way: from now on it has the grace period to exit.
   * More output may make it false again.
   */
  readonly hasResult: () => boolean;
  /** Whether it has given its result, and is silent until a command that it left in the background ends. */
  readonly isWaiting?: () => boolean;
  /** Whether the CLI keeps retrying a refused login. */
  readonly isRefused?: () => boolean;
  /**
   * Milliseconds for which the CLI says that it waits for a usage limit, 0 if it does not say; undefined: it met none since
   * the model's last answer, or a tool runs. `atMs` is now.
   */
  readonly limited?: (atMs: number) => number | undefined;
  /** Whether the CLI meets one and the same error again and again. */
  readonly isStuck?: () => boolean;
  /** A file of the CLI that says more than its output: read when the process has ended, and before if there is a budget. */
  readonly wants?: () => OwnFile | undefined;
  /** A line of that file. */
  readonly own?: (text: string) => void;
  /** Tokens and cost so far that no event has reported. `end` yields them, unless the CLI's result has come. */
  readonly unreported?: () => AgentEvent[];
  /** After the process has ended: the remaining events, `agent.ended` last. */
  readonly end: (exit: AgentExit) => AgentEvent[];
}
