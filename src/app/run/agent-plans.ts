import { matchesAny } from "../../domain/glob.ts";
import type { Followed } from "../../loop/run-deps.ts";
import { parkBeyondLimit } from "../../loop/new-tasks.ts";
import type { Store } from "../../store/store.ts";

/** A plan file that a session added, and its run. */
interface AgentPlan {
  /** Relative to the workspace. */
  readonly file: string;
  readonly run: string;
}

const KEY = "agent-plans";
const MOST = 1000;

/** The patterns that name plan files: `backlog/tasks/*.md`. */
export const planPatterns = (plan: "auto" | readonly string[]): string[] =>
  plan === "auto" ? [] : plan.filter((each) => /[*?]/.test(each));

/**
 * A file of a session that a pattern names is a plan file from the next run on. Remembered before it lands: its tasks are
 * the session's, whoever follows it.
 */
export async function rememberAgentPlans(
  store: Store,
  {
    patterns,
    added,
    run,
  }: { readonly patterns: readonly string[]; readonly added: readonly string[]; readonly run: string },
): Promise<void> {
  const plans = added.filter((file) => matchesAny(patterns, file)).map((file) => ({ file, run }));
  if (plans.length > 0) await store.updateMeta(KEY, (before) => [...plansIn(before), ...plans].slice(-MOST));
}

/** W-01: tasks of such files count as added by their run; those beyond the limit are parked. */
export async function parkAgentTasks(store: Store, added: Followed["added"], limit: number): Promise<void> {
  const plans = added.length === 0 ? [] : plansIn(await store.getMeta(KEY));
  const byRun = new Map<string, string[]>();
  for (const { id } of plans.length === 0 ? [] : added) {
    const file = (await store.get(id))?.source?.file;
    const run = plans.find((plan) => plan.file === file)?.run;
    if (run !== undefined) byRun.set(run, [...(byRun.get(run) ?? []), id]);
  }
  for (const [run, ids] of byRun) await parkBeyondLimit(store, { run, ids, limit });
}

const plansIn = (meta: unknown): AgentPlan[] =>
  (Array.isArray(meta) ? (meta as Partial<AgentPlan>[]) : []).filter(
    (one): one is AgentPlan => typeof one?.file === "string" && typeof one.run === "string",
  );
