import { matchesAny } from "../domain/glob.ts";
import type { SaidBefore } from "../domain/prompt/said-before.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import { isAncestor } from "../system/git/ref.ts";
import type { Attempted } from "./attempt.ts";
import { newTaskIds } from "./new-tasks.ts";
import type { RunDeps } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";

// T-23: a session may say that it did more than its own task.

/**
 * The open tasks of the run that a session named as done besides its own, in its final message or by a mark in the plan.
 * Tasks that sessions of this run added themselves are none of them.
 */
export async function namedOthers(
  lane: LaneState,
  { claim, effects }: Pick<Attempted, "claim" | "effects">,
  { others = [] }: Pick<Interpretation, "others">,
): Promise<readonly TaskId[]> {
  const { revertedMarks, added } = effects.followed;
  const marked = revertedMarks.filter(({ mark = "done" }) => mark === "done").map(({ id }) => id);
  const named = [...new Set([...others, ...marked])].slice(0, MOST);
  if (named.length === 0) return [];
  const own = await ownTasks(lane, added);
  const tasks = await Promise.all(named.map(async (id) => await lane.deps.store.get(id)));
  return tasks.flatMap((task) =>
    task !== undefined && task.id !== claim.task.id && isOpen(lane, task, own) ? [task.id] : [],
  );
}

/** Whether these are all open tasks of the run, except the assigned one. */
export async function isWholeScope(
  lane: LaneState,
  others: readonly TaskId[],
  { claim, effects }: Pick<Attempted, "claim" | "effects">,
): Promise<boolean> {
  const { deps } = lane;
  const own = await ownTasks(lane, effects.followed.added);
  const statuses = ["pending", "in_progress"] as const;
  const { tasks, cursor } = await deps.store.list({ scopes: [deps.scope], statuses }, { limit: MOST });
  const rest = tasks.filter(
    (task) => task.id !== claim.task.id && isOurs(lane, task, own) && !others.includes(task.id),
  );
  return others.length > 0 && cursor === undefined && rest.length === 0;
}

/** More than that nobody names. */
const MOST = 1000;

const ownTasks = async ({ deps }: LaneState, added: readonly { readonly id: TaskId }[]): Promise<Set<TaskId>> =>
  new Set([...(await newTaskIds(deps.store, deps.runId)), ...added.map(({ id }) => id)]);

function isOurs({ deps, run }: LaneState, { id, scope, isParent }: Task, own: ReadonlySet<TaskId>): boolean {
  const isAsked = run.only?.includes(id) ?? true;
  return scope === deps.scope && isAsked && !isParent && !own.has(id) && id !== deps.goal?.task;
}

const isOpen = (lane: LaneState, task: Task, own: ReadonlySet<TaskId>): boolean =>
  task.status === "pending" && isOurs(lane, task, own);

/** Remembers what a session said whose own work has landed, for the sessions of these tasks. */
export async function rememberSaid(store: Store, said: SaidBefore, others: readonly TaskId[]): Promise<void> {
  for (const id of others) await store.setMeta(keyOf(id), said);
}

/** Called when the task is settled: if a person reopens it, it was not done. */
export async function forgetSaid(store: Store, id: TaskId): Promise<void> {
  if ((await store.getMeta(keyOf(id))) !== undefined) await store.setMeta(keyOf(id), undefined);
}

/** Undefined if nobody said that the task is done, or if the work of that session is not on this branch. */
export async function saidDone({ deps, run }: LaneState, { id }: Task): Promise<SaidBefore | undefined> {
  const said = saidIn(await deps.store.getMeta(keyOf(id)));
  return said !== undefined && (await isAncestor(deps.home, said.commit, run.landing)) ? said : undefined;
}

function saidIn(meta: unknown): SaidBefore | undefined {
  const { task, title, commit } = (meta ?? {}) as Partial<Record<keyof SaidBefore, unknown>>;
  const isSaid = typeof task === "string" && typeof title === "string" && typeof commit === "string";
  return isSaid ? { task, title, commit } : undefined;
}

/** Whether one of these paths is more than a plan or a note. */
export const isWork = ({ notWork }: Pick<RunDeps["rules"], "notWork">, paths: readonly string[]): boolean =>
  paths.some((path) => !matchesAny(notWork, path));

/** P-18: a task whose title asks for `AGENTS.md` is about it; in all others, sessions only leave notes there. */
export const notWorkOf = ({ notWork }: Pick<RunDeps["rules"], "notWork">, { title }: Task): readonly string[] =>
  notWork.filter((pattern) => !pattern.endsWith(NOTES) || !title.includes(NOTES));

const NOTES = "AGENTS.md";

const keyOf = (id: TaskId): string => `said-done/${id}`;
