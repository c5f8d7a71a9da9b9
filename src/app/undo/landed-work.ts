import type { Task, TaskId } from "../../domain/task.ts";
import type { OpenEvidence } from "../../loop/recover.ts";
import type { Store } from "../../store/store.ts";
import { isSameChange } from "../../system/git/line.ts";
import { isAncestor } from "../../system/git/ref.ts";
import type { Repository } from "../../system/git/repository.ts";
import { type HistoryCommit, readHistory } from "../../system/git/revert.ts";

/** Work that landed, as the store knows it: messages of commits are never believed. */
export interface LandedAttempt {
  readonly task: Task;
  readonly run: string | undefined;
  readonly tree: string;
  /** The landing commit under it. */
  readonly parent: string;
  readonly atMs: number;
}

/** All work that ever landed, newest first; with `only`, that of one task. */
export async function landedWorks(store: Store, only?: TaskId): Promise<LandedAttempt[]> {
  const works: LandedAttempt[] = [];
  const read = async (task: Task): Promise<void> => {
    for (const { run, outcome, verdict, endedAt = 0 } of await store.attempts(task.id)) {
      const { lands } = (verdict?.evidence ?? {}) as Partial<OpenEvidence>;
      if (outcome !== "verified" || lands !== true || verdict?.commit === undefined) continue;
      works.push({ task, run, tree: verdict.tree, parent: verdict.commit, atMs: endedAt });
    }
  };
  if (only !== undefined) await read((await store.get(only))!);
  else for await (const task of store.each()) await read(task);
  return works.sort((one, other) => other.atMs - one.atMs);
}

/** A commit in the history of a branch, and the tasks whose work it is: several, if they were claimed together. */
export interface LandedCommit {
  readonly id: string;
  readonly parent: string;
  readonly subject: string;
  readonly tasks: readonly Task[];
  /** Of a plan: the run that wrote it. */
  readonly planOf?: string | undefined;
}

/** What is remembered about it, is remembered by these. */
export const ownersOf = ({ tasks, planOf }: LandedCommit): string[] =>
  planOf === undefined ? tasks.map(({ id }) => id) : [planOf];

/** The commits of landed work in a history, newest first. Those that were only rebased are found, too. */
export async function findLanded(
  home: Repository,
  head: string,
  works: readonly LandedAttempt[],
): Promise<LandedCommit[]> {
  const oldest = works.at(-1)?.parent;
  if (oldest === undefined) return [];
  const history = await readHistory(home, head, (await isAncestor(home, oldest, head)) ? { since: oldest } : {});
  const owners = new Map<string, Task[]>();
  for (const work of works) {
    const found = await commitOf(home, work, history);
    if (found === undefined) continue;
    const tasks = owners.get(found.id) ?? [];
    if (!tasks.some(({ id }) => id === work.task.id)) owners.set(found.id, [...tasks, work.task]);
  }
  return history.flatMap(({ id, parents, subject }) => {
    const tasks = owners.get(id);
    return tasks === undefined ? [] : [{ id, parent: parents[0] ?? "", subject, tasks }];
  });
}

async function commitOf(
  home: Repository,
  { task, tree, parent }: LandedAttempt,
  history: readonly HistoryCommit[],
): Promise<HistoryCommit | undefined> {
  const exact = history.find((commit) => commit.tree === tree && commit.parents[0] === parent);
  if (exact !== undefined) return exact;
  for (const commit of history.filter((one) => one.task === task.id && one.parents.length === 1)) {
    if (await isSameChange(home, [parent, tree], [commit.parents[0]!, commit.id])) return commit;
  }
  return undefined;
}

/** What took a commit back. */
interface Undone {
  readonly commit: string;
  readonly by: string;
}

const keyOf = (owner: string): string => `undone/${owner}`;

/** Remembers, before the landing moves, which commits would take others back: they do if a history has them. */
export async function rememberUndone(store: Store, owner: string, undone: readonly Undone[]): Promise<void> {
  await store.updateMeta(keyOf(owner), (before) => [...undoneIn(before), ...undone]);
}

/** Those commits that nothing in the history has taken back yet. */
export async function stillThere(
  { store, home }: { readonly store: Store; readonly home: Repository },
  head: string,
  commits: readonly LandedCommit[],
): Promise<LandedCommit[]> {
  const open: LandedCommit[] = [];
  for (const landed of commits) {
    const known = (
      await Promise.all(ownersOf(landed).map(async (owner) => undoneIn(await store.getMeta(keyOf(owner)))))
    ).flat();
    const by = known.filter(({ commit }) => commit === landed.id);
    const isIn = await Promise.all(by.map(async (undone) => await isAncestor(home, undone.by, head)));
    if (!isIn.includes(true)) open.push(landed);
  }
  return open;
}

const undoneIn = (meta: unknown): Undone[] =>
  (Array.isArray(meta) ? (meta as Partial<Undone>[]) : []).filter(
    (one): one is Undone => typeof one?.commit === "string" && typeof one.by === "string",
  );
