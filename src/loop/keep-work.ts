import type { FileChange } from "../domain/change.ts";
import { formatShelvedWork } from "../domain/run/shelved-work.ts";
import type { Task, TaskId } from "../domain/task.ts";
import { commitMessage } from "../domain/commit-message.ts";
import { treeWith, writeCommit } from "../system/git/commit.ts";
import { isKept } from "../system/git/garbage-collection.ts";
import { isHuge } from "../system/git/hash.ts";
import { isAncestor, readRefs } from "../system/git/ref.ts";
import { savedRef, saveRef, type SavedWork } from "../system/git/saved-ref.ts";
import { dropWork, isWhole, keepWork, renameWork } from "../system/git/work-ref.ts";
import type { LaneState } from "./run-state.ts";
import type { SessionEffects } from "./session-effects.ts";
import { unlessPruned } from "./unless-pruned.ts";

type Assigned = Pick<Task, "id" | "title">;

/** L-07: keeps the tree that a session left, so that the next attempt begins with it, in whichever lane. */
export async function keepSessionWork(
  lane: LaneState,
  task: Assigned,
  effects: Pick<SessionEffects, "changes" | "now">,
): Promise<void> {
  const { deps, base, place } = lane;
  const head = base.head!;
  const agentHead = await agentHeadOf(lane, effects);
  if (effects.changes.length === 0 && agentHead === undefined) {
    await dropWork(deps.home, task.id);
    return;
  }
  const message = messageFor(lane, task);
  await unlessPruned(async () => {
    const tree = await treeWith(place.repository, head, effects.changes.filter(isKeepable));
    const commit = await keepWork(deps.home, { task: task.id, tree, base: head, agentHead, message });
    return (await isWhole(deps.home, { tree, head })) && (await isKept(deps.home, commit)) ? tree : undefined;
  });
}

/** The last commit of the session. Without commits, HEAD in the person's own tree may be older than the landing. */
export async function agentHeadOf(
  { deps, base }: LaneState,
  { now: { head } }: Pick<SessionEffects, "now">,
): Promise<string | undefined> {
  return head === undefined || head === base.head || (await isAncestor(deps.home, head, base.head!)) ? undefined : head;
}

interface Shelf {
  /** The last part of the ref. */
  readonly name: string;
  readonly subject: string;
  readonly why: string;
  readonly task?: TaskId;
}

/** Keeps everything that a session changed under a ref of the run, with the commits that it made. */
export async function shelveSession(
  { deps, base, place }: LaneState,
  { changes, now }: Pick<SessionEffects, "changes" | "now">,
  { name, subject, why, task }: Shelf,
): Promise<SavedWork> {
  const head = base.head!;
  const trailers = { ...(task !== undefined && { "Ralph-Task": task }), "Ralph-Run": deps.runId };
  const message = commitMessage({ subject, trailers });
  const ref = savedRef(deps.runId, name);
  const older = (await readRefs(deps.home, [ref])).get(ref);
  const parents = new Set([head, now.head, older].filter((parent) => parent !== undefined));
  const commit = await unlessPruned(async () => {
    const tree = await treeWith(place.repository, head, changes.filter(isKeepable));
    const made = await writeCommit(deps.home, { tree, parents: [...parents], message });
    await saveRef(deps.home, ref, made);
    return (await isWhole(deps.home, { tree, head })) && (await isKept(deps.home, made)) ? made : undefined;
  });
  deps.emit({ type: "work.kept", ...(task !== undefined && { task }), ref, commit, why });
  return { ref, commit };
}

/** Another run has the task, and the task's work ref with it. */
export async function shelveLostWork(lane: LaneState, { id, title }: Assigned, effects: SessionEffects): Promise<void> {
  if (effects.changes.length === 0 && (await agentHeadOf(lane, effects)) === undefined) return;
  const why = "another run took the task over";
  const saved = await shelveSession(lane, effects, { name: id, subject: unproven(title), why, task: id });
  await lane.deps.store.note(id, { by: "loop", kind: "kept", text: formatShelvedWork(saved) });
}

/** P-33: the work of a failed task stays under a ref of the run. The next attempt begins without it. */
export async function shelveWork(lane: LaneState, task: Assigned, why: string): Promise<void> {
  const { deps } = lane;
  const saved = await renameWork(deps.home, task.id, savedRef(deps.runId, task.id));
  if (saved === undefined) return;
  await deps.store.note(task.id, { by: "loop", kind: "kept", text: formatShelvedWork(saved) });
  deps.emit({ type: "work.kept", task: task.id, ...saved, why });
}

/** L-07: a ref must not fill the person's disk. */
const isKeepable = ({ after }: FileChange): boolean => !isHuge(after);

const messageFor = ({ deps }: LaneState, { id, title }: Assigned): string =>
  commitMessage({ subject: unproven(title), trailers: { "Ralph-Task": id, "Ralph-Run": deps.runId } });

const unproven = (title: string): string => `Unproven work: ${title}`;
