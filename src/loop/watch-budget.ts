import type { AgentEvent, AgentReader } from "../domain/agent-event.ts";
import { type Budget, isEmpty, isSpent } from "../domain/run/budget.ts";
import { type SessionUsage, withUsage } from "../domain/usage.ts";
import { timerMs } from "../system/sleep.ts";

/** A limit of the run that stops a session. */
export type ReachedLimit = "time" | "part" | "budget";

const REACHED: Readonly<Record<ReachedLimit, string>> = {
  time: "reached the time limit of the run",
  part: "reached its part of the budget of the run",
  budget: "reached the budget of the run",
};

export const whatReached = ({ reached = "budget" }: { readonly reached?: ReachedLimit | undefined }): string =>
  REACHED[reached];

export const moneyOf = ({ budget }: Limits): ReachedLimit => (budget?.isPart === true ? "part" : "budget");

/** How long a session may take to give its result when a limit is reached: it may be about to end anyway. */
const RESULT_GRACE_MS = 2000;

interface Limits {
  readonly budget?: Budget;
  /** What is left of the run's time. */
  readonly timeMs?: number | undefined;
}

interface BudgetWatch {
  readonly heard: (event: AgentEvent) => void;
  readonly look: () => void;
  /** Aborted if the budget is spent and the session has not given its result. */
  readonly spent: AbortSignal;
  readonly close: () => void;
}

/** After these the session may be about to end: usage of the last answer can be known before its words. */
const MAY_END: ReadonlySet<AgentEvent["type"]> = new Set(["agent.text", "agent.thinking", "agent.tool-result"]);

/** Counts what events report and what the reader knows besides: most CLIs report their usage when it is too late. */
export function watchBudget(
  { budget = {}, timeMs }: Limits,
  { hasResult, unreported }: AgentReader,
  reported: () => SessionUsage,
): BudgetWatch {
  const spent = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let hasTool = false;
  const stop = (why: ReachedLimit): void => {
    timer = undefined;
    if (!hasResult()) spent.abort(why);
  };
  const stopSoon = (why: ReachedLimit): void => void (timer ??= setTimeout(stop, RESULT_GRACE_MS, why));
  const clock = timeMs === undefined ? undefined : setTimeout(stopSoon, timerMs(timeMs), "time");
  const look = (): void => {
    if (spent.signal.aborted || isEmpty(budget)) return;
    if (!isSpent(budget, (unreported?.() ?? []).reduce(withUsage, reported()))) return;
    // Another request follows a tool call, and there is no money for it.
    if (hasTool) stop(moneyOf({ budget }));
    else stopSoon(moneyOf({ budget }));
  };
  return {
    heard: ({ type }) => {
      hasTool = type === "agent.tool" || (hasTool && !MAY_END.has(type));
      look();
    },
    look,
    spent: spent.signal,
    close: () => {
      clearTimeout(clock);
      clearTimeout(timer);
    },
  };
}
