import type { Hook, HookPoint } from "../domain/hook.ts";
import type { HookFinished } from "../domain/run/event.ts";
import type { HookEvent } from "../domain/run/hook-event.ts";

/** A hook whose moment has come. */
export interface DueHook {
  readonly hook: Hook;
  readonly point: HookPoint;
  readonly event: HookEvent;
  /** HEAD at that moment: the settled commit. */
  readonly head: string | undefined;
}

/** The same while it runs: where its things lie, and by what its processes are found. */
export interface RunningHook extends DueHook {
  readonly folder: string;
  /** What it is about: the iteration's folder, or the run's. */
  readonly about: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** What came of a hook, beside how long it took. */
export type HookResult = Pick<
  HookFinished,
  "passed" | "reason" | "swept" | "costUsd" | "tokens" | "isEstimated" | "output" | "patch"
>;
