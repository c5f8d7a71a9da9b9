import type { AgentEvent, AgentReader } from "../domain/agent-event.ts";
import { type Budget, isEmpty, isSpent } from "../domain/run/budget.ts";
import { type SessionUsage, withUsage } from "../domain/usage.ts";
import { timerMs } from "../system/sleep.ts";

export const OVER_BUDGET = "It reached the budget of the run";
export const OVER_TIME = "It reached the time limit of the run";

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
  const stop = (why: string): void => {
    timer = undefined;
    if (!hasResult()) spent.abort(why);
  };
  const stopSoon = (why: string): void => void (timer ??= setTimeout(stop, RESULT_GRACE_MS, why));
  const clock = timeMs === undefined ? undefined : setTimeout(stopSoon, timerMs(timeMs), OVER_TIME);
  const look = (): void => {
    if (spent.signal.aborted || isEmpty(budget)) return;
    if (!isSpent(budget, (unreported?.() ?? []).reduce(withUsage, reported()))) return;
    // Another request follows a tool call, and there is no money for it.
    if (hasTool) stop(OVER_BUDGET);
    else stopSoon(OVER_BUDGET);
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
