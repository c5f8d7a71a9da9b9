import { RalphError } from "../domain/error.ts";
import type { TaskId } from "../domain/task.ts";
import { memoryKey, planMarks, withMarks } from "../plan/plan.ts";
import type { Store } from "../store/store.ts";
import { type FollowedPlan, type FollowResult, readPlan, tasksOf } from "./follow-plan.ts";
import { type PlanFile, planFile, refuseOutside, replacePlanText, writeMarks } from "./plan-file.ts";

export interface MarkRequest {
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  /** Relative to the workspace. */
  readonly file: string;
  /** Only the marks of these tasks; default: of all. */
  readonly only?: readonly TaskId[] | undefined;
  readonly format?: string | undefined;
}

export type MarkResult =
  | {
      readonly kind: "marked";
      readonly file: string;
      /** Whether the file was written; otherwise it said all of it already. */
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
  for (let left = TRIES; left > 0; left -= 1) {
    const result = await tryOnce(file, request);
    if (result !== "again") return result;
  }
  throw new RalphError("busy", `${file.name} changes faster than it can be marked`, {
    hint: "Stop what keeps writing it",
  });
}

async function tryOnce(file: PlanFile, { store, only }: MarkRequest): Promise<MarkResult | "again"> {
  const read = await readPlan(file);
  if (!("text" in read)) return read;
  const { text, reading } = read;
  const memory = await store.getMeta(memoryKey(file.name));
  const tasks = await tasksOf(store, file);
  const chosen = planMarks({ file: file.name, entries: reading.entries, tasks, memory }).filter(
    ({ task }) => only?.includes(task.id) ?? true,
  );
  const marks = new Map(chosen.map(({ entry, change }) => [entry.key, change]));
  const { text: to, problems } = writeMarks(file, text, marks);
  if ((await replacePlanText(file, { from: text, to })) === "changed") return "again";
  const written = chosen.filter(({ entry }) => !problems.has(entry.key));
  const next = withMarks(memory, new Map(written.map(({ task, change }) => [task.id, change])));
  if (JSON.stringify(next) !== JSON.stringify(memory)) await store.setMeta(memoryKey(file.name), next);
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
