import { RalphError } from "./error.ts";
import type { TaskId, TaskStatus } from "./task.ts";

/** Who asks for a change. The agent has no row of its own: what it says is a claim, and the loop acts on it. */
export type Actor = "person" | "loop" | "agent" | "plan";

/** dag-R6. Who may take a task from one state to another; what is not here is an error. */
const TABLE: Readonly<Record<TaskStatus, Partial<Record<TaskStatus, readonly Actor[]>>>> = {
  pending: { in_progress: ["person", "loop", "plan", "agent"], dropped: ["person", "plan"] },
  in_progress: {
    done: ["person", "loop", "plan"],
    pending: ["person", "loop", "plan"],
    parked: ["person", "loop", "plan", "agent"],
    failed: ["person", "loop", "plan"],
  },
  parked: { pending: ["person"] },
  failed: { pending: ["person", "loop"] },
  done: { pending: ["person", "loop"] },
  // A plan entry that returns revives the task which its absence dropped (P-51).
  dropped: { pending: ["person", "plan"] },
};

/** A change to one task that is not the settling of a lease. */
export type StatusChange =
  | { readonly kind: "complete"; readonly summary?: string | undefined }
  | { readonly kind: "fail"; readonly reason: string }
  | { readonly kind: "park"; readonly question: string }
  | { readonly kind: "answer"; readonly answer: string }
  /** T-10: the task may change these files, which decide how it is proven. */
  | { readonly kind: "allow"; readonly paths: readonly string[] }
  | { readonly kind: "reset"; readonly reason?: string | undefined }
  | { readonly kind: "drop"; readonly reason?: string | undefined };

/** Where a change leads, and what a message calls it. */
const CHANGES: Readonly<Record<StatusChange["kind"], readonly [to: TaskStatus, past: string]>> = {
  complete: ["done", "completed"],
  fail: ["failed", "failed"],
  park: ["parked", "parked"],
  answer: ["pending", "answered"],
  allow: ["pending", "allowed"],
  reset: ["pending", "reset"],
  drop: ["dropped", "dropped"],
};

/** A pending task passes through in_progress on its way to these, so that the table has every step. */
const PASSES_THROUGH: ReadonlySet<TaskStatus> = new Set(["done", "failed", "parked"]);

/** The states that a change leads through, the last one being the new one. Throws what is wrong with it. */
export function transition(task: { id: TaskId; status: TaskStatus }, change: StatusChange, by: Actor): TaskStatus[] {
  const [target] = CHANGES[change.kind];
  const through = task.status === "pending" && PASSES_THROUGH.has(target);
  const steps: TaskStatus[] = through ? ["in_progress", target] : [target];
  const answersNothing = isAnswer(change) && task.status !== "parked";
  const forgetsQuestion = change.kind === "reset" && task.status === "parked";
  let from = task.status;
  for (const to of steps) {
    if (answersNothing || forgetsQuestion || !canMove(from, to, by)) throw notAllowed(task, change, by);
    from = to;
  }
  return steps;
}

const isAnswer = ({ kind }: StatusChange): boolean => kind === "answer" || kind === "allow";

export const canMove = (from: TaskStatus, to: TaskStatus, by: Actor): boolean => TABLE[from][to]?.includes(by) === true;

function notAllowed(task: { id: TaskId; status: TaskStatus }, change: StatusChange, by: Actor): RalphError {
  const open = task.status === "failed" || task.status === "done" || task.status === "dropped";
  const hint =
    task.status === "parked" && !isAnswer(change)
      ? `Answer it first: ralphctl task answer ${task.id} TEXT`
      : open && change.kind !== "reset"
        ? `Reopen it first: ralphctl task reset ${task.id}`
        : undefined;
  const who = by === "person" ? "" : ` by the ${by}`;
  const problem = `${task.id} is ${task.status.replace("_", " ")} and cannot be ${CHANGES[change.kind][1]}${who}`;
  return new RalphError("usage", problem, { hint });
}

/** What a change says, for the log. */
export function changeText(change: StatusChange): string {
  if (change.kind === "complete") return change.summary ?? "";
  if (change.kind === "park") return change.question;
  if (change.kind === "allow") return change.paths.join(", ");
  return (change.kind === "answer" ? change.answer : change.reason) ?? "";
}
