import { RalphError } from "../error.ts";

export type ModelStrategy = "fixed" | "cost-optimized" | "escalate" | "plan-then-execute";

/** The models of a harness by role; null: not set. */
export interface ModelRoles {
  /** Null: the CLI's own default. */
  readonly model: string | null;
  readonly smart: string | null;
  readonly fast: string | null;
}

/** What a choice depends on. */
export interface ModelSituation {
  readonly mode: "plan" | "build" | "reflect";
  /** Counted attempts that the task has behind it. */
  readonly attempts: number;
  /** The last attempt of the task was not verified. */
  readonly wasRejected: boolean;
  /** The task's own model. */
  readonly taskModel?: string | undefined;
  /** What the agent recommended in the iteration before. */
  readonly hint?: string | undefined;
}

export interface ModelChoice {
  /** Undefined: the CLI's own default. */
  readonly model: string | undefined;
  /** Why it is not what the strategy says; each override is recorded. */
  readonly override?: "hint" | "task" | "no-progress";
}

/** The model of an iteration: the hint for this one time, then the task's own, then what the strategy says. */
export function chooseModel(strategy: ModelStrategy, roles: ModelRoles, situation: ModelSituation): ModelChoice {
  if (situation.hint !== undefined) return { model: situation.hint, override: "hint" };
  if (situation.taskModel !== undefined) return { model: situation.taskModel, override: "task" };
  const role = STRATEGIES[strategy](situation);
  return { model: roles[role] ?? undefined };
}

const STRATEGIES: Readonly<Record<ModelStrategy, (situation: ModelSituation) => keyof ModelRoles>> = {
  fixed: () => "model",
  "plan-then-execute": ({ mode }) => (mode === "build" ? "fast" : "smart"),
  "cost-optimized": ({ wasRejected }) => (wasRejected ? "smart" : "fast"),
  // One step per counted attempt, and never down: attempts only grow within a task.
  escalate: ({ attempts }) => (["fast", "model"] as const)[attempts] ?? "smart",
};

/** Refuses a strategy that needs a role which is not set. */
export function checkStrategy(strategy: ModelStrategy, harness: string, roles: ModelRoles): void {
  const missing = strategy === "fixed" ? [] : (["smart", "fast"] as const).filter((role) => roles[role] === null);
  if (missing.length === 0) return;
  const problem = `The strategy ${strategy} needs models of ${harness} that are not set: ${missing.join(", ")}`;
  throw new RalphError("config", problem, {
    hint: `Set harnesses.${harness}.${missing[0]}, or give --${missing[0]}-model`,
  });
}

/** P-42: another model than the one that made no progress, if there is one; the strongest first. */
export function otherModel(
  choice: ModelChoice,
  avoid: string | undefined,
  { roles, models }: { readonly roles: ModelRoles; readonly models: readonly string[] },
): ModelChoice {
  if (choice.model !== avoid) return choice;
  const all = [roles.smart, roles.model, roles.fast, ...models];
  const model = all.find((name) => name !== null && name !== avoid);
  return model === undefined || model === null ? choice : { model, override: "no-progress" };
}
