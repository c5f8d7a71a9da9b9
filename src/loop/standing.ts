import type { DoneTaskName } from "../domain/run/event.ts";
import {
  type Demands,
  isEnough,
  isUnchecked,
  type Standing,
  type StandingKind,
  standingOf,
} from "../domain/standing.ts";
import type { TaskId } from "../domain/task.ts";
import type { DoneTask, Store } from "../store/store.ts";
import { commitsOutside, refsWith } from "../system/git/ref.ts";
import { landedAt } from "./landed-at.ts";
import type { OpenEvidence } from "./recover.ts";
import type { RunDeps } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";

// T-15: whether a run is complete follows from the verdicts on record, and not from rows that say "done".

export interface Standings {
  /** How many tasks are done, and how surely. */
  readonly counts: Readonly<Record<StandingKind, number>>;
  /** The tasks that keep the run from being complete. */
  readonly open: readonly DoneTaskName[];
}

interface About {
  readonly deps: Pick<RunDeps, "store" | "scope" | "home" | "target"> & {
    readonly rules: { readonly demands: Demands };
  };
  readonly only: readonly TaskId[] | undefined;
  readonly landing: string;
}

/** All done tasks of the run: each by its own verdict, or by the word of a person, and on this branch. */
export async function standings(run: About): Promise<Standings> {
  const { store, scope, rules } = run.deps;
  const counts = { proven: 0, unbroken: 0, word: 0, look: 0, unrecorded: 0 };
  const open: DoneTaskName[] = [];
  const others: DoneTask[] = [];
  for await (const task of store.done({ scopes: [scope], only: run.only })) {
    const standing = standingOf(task);
    counts[standing.kind] += 1;
    if (!isEnough(standing, rules.demands)) open.push(nameOf(task, standing));
    else if (standing.kind !== "word" && isOfOtherBranch(task, run)) others.push(task);
  }
  return { counts, open: [...open, ...(await elsewhere(run, others))] };
}

const nameOf = ({ id, title }: DoneTask, { kind, reasons }: Standing): DoneTaskName => ({
  id,
  title,
  standing: kind,
  reason: reasons.join("; ") || "its checks pass, and none of them spoke of it",
});

const isOfOtherBranch = ({ evidence }: DoneTask, { deps }: About): boolean => {
  const { lands, target } = (evidence ?? {}) as Partial<OpenEvidence>;
  return lands === true && target !== undefined && target !== deps.target.ref;
};

/** L-28: tasks whose commit is on another live branch, and not here. */
async function elsewhere({ deps, landing }: About, tasks: readonly DoneTask[]): Promise<DoneTaskName[]> {
  const commits = await Promise.all(tasks.map(async ({ id }) => (await landedAt(deps.store, id))?.commit));
  const outside = await commitsOutside(
    deps.home,
    landing,
    commits.filter((commit) => commit !== undefined),
  );
  const found: DoneTaskName[] = [];
  for (const [index, { id, title }] of tasks.entries()) {
    const commit = commits[index];
    if (commit === undefined || !outside.has(commit)) continue;
    const [ref] = await refsWith(deps.home, commit, ["refs/heads", "refs/ralph/target"]);
    if (ref === undefined) continue;
    const branch = ref.replace(/^refs\/(heads|ralph\/target)\//, "");
    found.push({ id, title, standing: "elsewhere", reason: `it landed on ${branch}, and not on this branch` });
  }
  return found;
}

/** P-19: done tasks of the run that no check of a person has passed yet. */
export async function uncheckedTasks({ deps, only }: Pick<LaneState["run"], "deps" | "only">): Promise<TaskId[]> {
  const ids: TaskId[] = [];
  for await (const task of deps.store.done({ scopes: [deps.scope], only })) {
    if (isUnchecked(standingOf(task))) ids.push(task.id);
  }
  return ids;
}

/** Whether a run of the scope would have done tasks to name: a person should look, or no record made them done. */
export async function hasWeak(store: Store, scope: string): Promise<boolean> {
  for await (const task of store.done({ scopes: [scope] })) {
    if (["look", "unrecorded"].includes(standingOf(task).kind)) return true;
  }
  return false;
}

/** The gates of the workspace have passed on work that had none when it was done. */
export async function rememberChecked(store: Store, ids: readonly TaskId[]): Promise<void> {
  for (const id of ids) await store.note(id, { by: "loop", kind: "checked", text: "The gates pass." });
}

/** `--accept-look`: the person's approval is on record, so that later runs know of it. */
export async function approveLooks({ deps, only }: Pick<LaneState["run"], "deps" | "only">): Promise<void> {
  if (!deps.rules.demands.acceptsLook) return;
  const ids: TaskId[] = [];
  for await (const task of deps.store.done({ scopes: [deps.scope], only })) {
    if (standingOf(task).kind === "look") ids.push(task.id);
  }
  for (const id of ids) await approve(deps.store, id, "run --accept-look");
}

export const approve = async (store: Store, id: TaskId, text: string): Promise<void> =>
  await store.note(id, { by: "person", kind: "approve", text });
