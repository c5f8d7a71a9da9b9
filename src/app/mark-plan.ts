import { isSettled, type Task, type TaskId } from "../domain/task.ts";
import { memoryKey, planMarks, type PlanReading, withMarks, writeOwnPosition } from "../plan/plan.ts";
import type { Store } from "../store/store.ts";
import { type FollowedPlan, type FollowResult, readPlan, tasksOf } from "./follow-plan.ts";
import {
  CONFLICT_HINT,
  linkedTree,
  type PlanFile,
  planFile,
  refuseOutside,
  replacePlanText,
  saveConflictingPlan,
  writeMarks,
} from "./plan-file.ts";

export interface MarkRequest {
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  /** Relative to the workspace. */
  readonly file: string;
  /** Only the marks of these tasks; default: of all. */
  readonly only?: readonly TaskId[] | undefined;
  /** Marks this task, and parents completed by it, as done: verified work is committed with its mark (P-32). */
  readonly asDone?: TaskId | undefined;
  /** Marks that differ from the last reading, too: for a version of the file that no person edits. */
  readonly isOurs?: boolean | undefined;
}

export type MarkResult =
  | {
      readonly kind: "marked";
      readonly file: string;
      /** Whether the file was written; it may be up to date. */
      readonly changed: boolean;
      /** Entries that cannot be marked without changing something else, and why. */
      readonly unmarked: readonly { readonly id: TaskId; readonly title: string; readonly problem: string }[];
    }
  | Exclude<FollowResult, FollowedPlan>;

const TRIES = 5;

/** Writes the states of the tasks into their plan file (P-50); everything else in it stays byte for byte. */
export async function markPlan(request: MarkRequest): Promise<MarkResult> {
  const file = planFile(request);
  await refuseOutside(request.root, file);
  let ours = "";
  for (let left = TRIES; left > 0; left -= 1) {
    const result = await tryOnce(file, request);
    if (result.kind !== "again") return result;
    ours = result.text;
  }
  const message = await saveConflictingPlan(request.root, file, ours);
  return { kind: "refused", file: file.name, message, hint: CONFLICT_HINT };
}

/** A version of a plan file with the marks. Nothing is written; a text that cannot be read stays as it is. */
export async function markText(request: MarkRequest, text: string): Promise<string> {
  const file = planFile(request);
  const read = await readPlan(file, text);
  return "text" in read ? (await marksOf(file, request, read)).to : text;
}

async function marksOf(
  file: PlanFile,
  { store, root, only, asDone, isOurs }: MarkRequest,
  { text, reading }: { readonly text: string; readonly reading: PlanReading },
) {
  const key = memoryKey(file.name, linkedTree(root));
  const memory = await store.getMeta(key);
  const stored = await tasksOf(store, file);
  const tasks = asDone === undefined ? stored : withDone(stored, asDone);
  const chosen = planMarks({ file: file.name, entries: reading.entries, tasks, memory, isOurs }).filter(
    ({ task }) => only?.includes(task.id) ?? true,
  );
  const marks = new Map(chosen.map(({ entry, change }) => [entry.key, change]));
  const { text: marked, problems } = writeMarks(file, text, marks);
  const to = file.format.name === "PROGRESS.yaml" ? writeOwnPosition(marked) : marked;
  return { key, memory, chosen, to, problems };
}

/** `again`: the file changed since it was read; `text` is what we wanted to write. */
async function tryOnce(
  file: PlanFile,
  request: MarkRequest,
): Promise<MarkResult | { readonly kind: "again"; readonly text: string }> {
  const { store } = request;
  const read = await readPlan(file);
  if (!("text" in read)) return read;
  const { text } = read;
  const { key, memory, chosen, to, problems } = await marksOf(file, request, read);
  if ((await replacePlanText(file, { from: text, to })) === "changed") return { kind: "again", text: to };
  const written = chosen.filter(({ entry }) => !problems.has(entry.key));
  const next = withMarks(memory, new Map(written.map(({ task, change }) => [task.id, change])));
  if (JSON.stringify(next) !== JSON.stringify(memory)) await store.setMeta(key, next);
  return {
    kind: "marked",
    file: file.name,
    changed: to !== text,
    unmarked: chosen.flatMap(({ task: { id, title }, entry }) => {
      const problem = problems.get(entry.key);
      return problem === undefined ? [] : [{ id, title, problem }];
    }),
  };
}

/** The tasks with one of them done, and its parents if nothing else of theirs is open. */
function withDone(tasks: readonly Task[], id: TaskId): Task[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  let current = byId.get(id);
  while (current !== undefined) {
    byId.set(current.id, { ...current, status: "done" });
    const parent = current.parent === undefined ? undefined : byId.get(current.parent);
    const siblings = [...byId.values()].filter((task) => task.parent === parent?.id);
    current = parent !== undefined && siblings.every(({ status }) => isSettled(status)) ? parent : undefined;
  }
  return [...byId.values()];
}
