import { sessionOf } from "../../domain/run/session.ts";
import { printableLine } from "../../domain/printable.ts";
import type { TaskPatch } from "../../domain/task-input.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import type { StatusChange } from "../../domain/transition.ts";
import type { Store } from "../../store/store.ts";
import { isAskedIfDone, settleParked } from "../../loop/asked-if-done.ts";
import { allowPaths, askedPaths, pathsToAllow } from "./allow-task.ts";
import { type Caller, noteFrom, writing } from "./caller.ts";

// A person's hand on the tasks. Ids may be abbreviated; all are looked up before the first task is changed, so that a
// slip of the finger changes nothing. What happened is told task by task: a refusal of the third leaves two changed.

/** Failed, parked, reset or dropped, and recorded as by a person. A parked task can be dropped without an answer (T-22). */
export async function changeTasks(
  { ids, change }: { readonly ids: readonly string[]; readonly change: StatusChange },
  caller: Caller,
  changed: (task: Task) => void,
): Promise<void> {
  await writing(caller, async ({ store }) => {
    for (const id of await resolveAll(store, ids)) {
      const task = (await store.get(id))!;
      const isAnswered = change.kind === "drop" && task.status === "parked" && !task.isParent;
      const answer = change.kind === "drop" ? (change.reason ?? "Not needed") : "";
      const after = isAnswered
        ? await settleParked(store, task, { answer, change })
        : await store.change(id, change, "person");
      await noteFrom(store, caller, { id, what: change.kind });
      changed(after);
    }
  });
}

export interface Answered {
  readonly task: Task;
  /** The files, which decide how it is proven, that it may change now. */
  readonly paths: readonly string[];
}

/**
 * Answers the question of a parked task, which opens it again. A yes to the question whether it is done already settles
 * it: the word of a person is enough (T-22). A yes to the question whether it may change how it is proven allows that
 * (T-10).
 */
export async function answerTask(text: string, answer: string, caller: Caller): Promise<Answered> {
  return await writing(caller, async ({ store }) => {
    const task = (await store.get(await store.resolve(text)))!;
    const paths = isYes(answer) ? await askedPaths(store, task) : [];
    const isDone = paths.length === 0 && isYes(answer) && (await isAskedIfDone(store, task));
    const answered =
      paths.length > 0
        ? await allowPaths(store, task, paths)
        : isDone
          ? await doneByWord(store, task, { answer, caller })
          : await store.change(task.id, { kind: "answer", answer }, "person");
    await noteFrom(store, caller, { id: task.id, what: "answer" });
    return { task: answered, paths };
  });
}

/** T-10: lets parked tasks change files that decide how they are proven. */
export async function allowTasks(
  ids: readonly string[],
  caller: Caller,
  allowed: (allowed: Answered) => void,
): Promise<void> {
  await writing(caller, async ({ store }) => {
    const tasks = await Promise.all((await resolveAll(store, ids)).map(async (id) => (await store.get(id))!));
    const asked: Answered[] = [];
    for (const task of tasks) asked.push({ task, paths: await pathsToAllow(store, task) });
    for (const { task, paths } of asked) {
      const after = await allowPaths(store, task, paths);
      await noteFrom(store, caller, { id: task.id, what: "allow" });
      allowed({ task: after, paths });
    }
  });
}

const isYes = (answer: string): boolean => /^\s*y(es)?[.!]?\s*$/i.test(answer);

/** A person says that a parked task was done already. No gate is asked. */
export async function doneByWord(
  store: Store,
  task: Task,
  told: { readonly answer: string; readonly summary?: string | undefined; readonly caller: Caller },
): Promise<Task> {
  const { answer, summary, caller } = told;
  // Other commands about tasks need neither the configuration nor a plan.
  const [{ openWorkspace }, { markTask }] = await Promise.all([import("../workspace.ts"), import("../run/plans.ts")]);
  const { root } = await openWorkspace(caller);
  const done = await settleParked(store, task, { answer, change: { kind: "complete", summary } });
  for (const problem of (await markTask({ store, root }, done, "is")).problems) caller.notice(problem);
  return done;
}

/** The parent in `patch` may be the beginning of an id. */
export async function editTask(id: string, patch: TaskPatch, caller: Caller): Promise<Task> {
  return await writing(caller, async ({ store }) => {
    const parent = typeof patch.parent === "string" ? await store.resolve(patch.parent) : patch.parent;
    const whole = parent === undefined ? patch : { ...patch, parent };
    return await store.update(await store.resolve(id), whole, "person");
  });
}

export interface Removal {
  readonly task: Task;
  /** How many went: the task and all beneath it. */
  readonly removed: number;
}

export async function removeTasks(
  ids: readonly string[],
  caller: Caller,
  removed: (removal: Removal) => void,
): Promise<void> {
  await writing(caller, async ({ store }) => {
    for (const id of await resolveAll(store, ids)) {
      const task = await store.get(id);
      // One that was beneath another of them has gone with it.
      if (task !== undefined) removed({ task, removed: await store.remove(id) });
    }
  });
}

/** Adds a line to a task's log. */
export async function noteTask(text: string, note: string, caller: Caller): Promise<Task> {
  return await writing(caller, async ({ store }) => {
    const id = await store.resolve(text);
    await store.note(id, { by: sessionOf(caller.env) ? "agent" : "person", kind: "note", text: note });
    return (await store.get(id))!;
  });
}

/** A comment of a person on a line of a change. */
export interface LineComment {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** U-04: words about a line of a task's change, for its next attempt: they are added to the description, like answers. */
export async function commentTask(text: string, comment: LineComment, caller: Caller): Promise<Task> {
  return await writing(caller, async ({ store }) => {
    const { id, description } = (await store.get(await store.resolve(text)))!;
    const words = `Comment on ${printableLine(comment.file)}:${comment.line}: ${comment.text.trim()}`;
    const whole = [description, words].filter((part) => part !== "").join("\n\n");
    const task = await store.update(id, { description: whole }, "person");
    await noteFrom(store, caller, { id, what: `comment on ${printableLine(comment.file)}:${comment.line}` });
    return task;
  });
}

export interface NeedsRequest {
  readonly task: string;
  readonly needs: readonly string[];
  readonly kind: "add" | "remove";
}

/** Adds edges or takes them away, one after the other. Returns the task as it is then. */
export async function changeNeeds(
  request: NeedsRequest,
  caller: Caller,
  changed: (change: { readonly task: TaskId; readonly need: TaskId }) => void,
): Promise<Task> {
  return await writing(caller, async ({ store }) => {
    const id = await store.resolve(request.task);
    for (const need of await resolveAll(store, request.needs)) {
      if (request.kind === "add") await store.addDependency(id, need);
      else await store.removeDependency(id, need);
      changed({ task: id, need });
    }
    return (await store.get(id))!;
  });
}

export const resolveAll = async (store: Store, texts: readonly string[]): Promise<TaskId[]> => [
  ...new Set(await Promise.all(texts.map((text) => store.resolve(text)))),
];
