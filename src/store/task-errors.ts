import { RalphError } from "../domain/error.ts";
import { tasksOnPath } from "../domain/dag.ts";
import type { Owner, TaskId } from "../domain/task.ts";

// Every store throws these, so that a caller sees the same sentence with each.

export const noSuchTask = (id: string): RalphError =>
  new RalphError("usage", `There is no task ${JSON.stringify(id.slice(0, 80))}`, {
    hint: "List them: ralphctl task list",
    about: { kind: "no such task" },
  });

export const ambiguousId = (text: string, matches: readonly TaskId[]): RalphError =>
  new RalphError("usage", `Ambiguous task id '${text}'. Matches: ${matches.join(", ")}`, {
    hint: "Type more of the id",
    about: { kind: "ambiguous id", matches },
  });

export const idTaken = (id: TaskId): RalphError =>
  new RalphError("data", `There is already a task ${id}`, { about: { kind: "id taken", id } });

export const unknownNeed = (id: TaskId, need: TaskId): RalphError =>
  new RalphError("data", `${id} needs ${need}, which does not exist`);

export const unknownParent = (id: TaskId, parent: TaskId): RalphError =>
  new RalphError("data", `The parent of ${id} is ${parent}, which does not exist`);

export const relativeError = (id: TaskId, other: TaskId): RalphError =>
  new RalphError("data", `One of ${id} and ${other} is beneath the other: neither can wait for the other`, {
    hint: "A parent is done when its children are; no edge is needed",
  });

/** `path` is a cycle in the wait graph. */
export function cycleError(path: readonly number[], idOf: (task: number) => TaskId): RalphError {
  const tasks = tasksOnPath(path);
  const shown = tasks.length > 12 ? [...tasks.slice(0, 6), undefined, ...tasks.slice(-5)] : tasks;
  const names = shown.map((task) => (task === undefined ? "…" : idOf(task)));
  if (names.length === 1) names.push(names[0]!);
  return new RalphError("data", `These tasks would wait for each other: ${names.join(" → ")}`, {
    hint: "Leave out one of these edges",
  });
}

export const parentError = (id: TaskId): RalphError =>
  new RalphError("usage", `${id} has children: its status follows from theirs`, {
    hint: `See them: ralphctl task tree ${id}`,
  });

export const busyTaskError = (id: TaskId, owner: Owner): RalphError =>
  new RalphError("busy", `${id} is being worked on by process ${owner.pid} on ${owner.host}`, {
    hint: "Stop that run first: ralphctl stop",
  });

/** Ending the claim here would lose its proof. */
export const verifiedError = (id: TaskId): RalphError =>
  new RalphError("busy", `${id} was verified, and the process that did it died before it could finish it`, {
    hint: "Let the next run finish it: ralphctl run",
  });

export const neededError = (id: TaskId, by: readonly TaskId[]): RalphError =>
  new RalphError("usage", `${id} cannot be removed: needed by ${by.join(", ")}`, {
    hint: `Remove the edge first: ralphctl task dep rm ${by[0] ?? "TASK"} --needs ${id}`,
  });
