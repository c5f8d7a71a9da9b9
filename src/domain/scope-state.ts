/** How a scope stands: what a run of it could do, or what keeps it from doing anything. */
export type ScopeState = "ready" | "plan" | "running" | "waiting" | "blocked" | "failed" | "done" | "empty";

/** Its tasks without parents, and whether a run would find something to do. */
export interface ScopeFacts {
  /** What a run would begin with. */
  readonly next: "build" | "plan" | "nothing";
  readonly running: number;
  readonly parked: number;
  readonly blocked: number;
  readonly failed: number;
  readonly settled: number;
}

/** The first that applies: what can be done, before what cannot. */
export function scopeState({ next, running, parked, blocked, failed, settled }: ScopeFacts): ScopeState {
  if (next === "build") return "ready";
  if (next === "plan") return "plan";
  if (running > 0) return "running";
  if (parked > 0) return "waiting";
  if (blocked > 0) return "blocked";
  if (failed > 0) return "failed";
  return settled > 0 ? "done" : "empty";
}
