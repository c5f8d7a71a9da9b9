import { createHash } from "node:crypto";
import type { Task } from "../domain/task.ts";
import { ignoredPaths } from "../system/git/git.ts";
import { mergeTexts } from "../system/git/merge-file.ts";
import { readHead } from "../system/git/ref-files.ts";
import { mergeBase } from "../system/git/ref.ts";
import { readFileAt } from "../system/git/tree-texts.ts";
import type { Marked, PlanWrite } from "./run-deps.ts";
import { type LaneState, warn } from "./run-state.ts";

// L-03: plan files are shared with the person. The landing gets everything that agents and ralphctl wrote into them, and
// nothing that the person has not committed.

/**
 * Finds out which plan files of the person are ours to land: those of the landing, and those that ralphctl or an agent
 * wrote since, in this run or in an earlier one. If the person took commits off the branch (`isRewound`), what we wrote
 * before may contain lines that are only theirs again.
 */
export async function readOwnPlans({ deps, run }: LaneState, { isRewound = false } = {}): Promise<void> {
  const hashes = isRewound ? {} : ownHashesIn(await deps.store.getMeta(keyOf(deps)));
  run.ownPlans.clear();
  for (const [path, text] of await deps.plans.texts()) {
    const isOwn = [hashOf(text), CREATED].some((one) => hashes[path]?.includes(one));
    if (isOwn || text === (await readFileAt(deps.home, run.landing, path))) run.ownPlans.set(path, text);
  }
  await rememberOwn({ deps, run });
}

/**
 * Runs an action that writes plan files for an agent or for ralphctl. The person may write them at the same moment.
 * `earlier`: what an agent changed since is its write, too.
 */
export async function asOwnWrite<Result>(
  lane: LaneState,
  action: () => Promise<Result>,
  earlier?: ReadonlyMap<string, string>,
): Promise<Result> {
  const { deps, run } = lane;
  const toLand = (write: PlanWrite): void => void run.planWrites.push(write);
  for (const [path, to] of earlier === undefined ? [] : await deps.plans.texts()) {
    const from = earlier?.get(path);
    if (from !== to) (await takeOwn(lane, { path, from, to }, toLand))();
  }
  return await deps.plans.whileWriting(async (write) => await takeOwn(lane, write, toLand), action);
}

/** L-27: marks a task as done in the person's file. The landing has its own mark: this write is not to land. */
export async function markDone(lane: LaneState, task: Task): Promise<void> {
  const { plans } = lane.deps;
  const ignore = (): void => undefined;
  const mark = async (): Promise<Marked> => await plans.mark(task, "done");
  const { problems } = await plans.whileWriting(async (write) => await takeOwn(lane, write, ignore), mark);
  for (const problem of problems) warn(lane, problem);
}

/** Returns a function for the time when the write is done. */
async function takeOwn(
  { deps, run }: LaneState,
  write: PlanWrite,
  onWritten: (write: PlanWrite) => void,
): Promise<() => void> {
  const isOwn = run.ownPlans.get(write.path) === write.from;
  // A kill during the write must not turn the file into the person's.
  if (isOwn) await rememberOwn({ deps, run }, write);
  return () => {
    onWritten(write);
    if (isOwn) run.ownPlans.set(write.path, write.to);
  };
}

/** Marks a task as it is, before a run begins. A file that is ours stays ours. */
export async function markBefore(deps: LaneState["deps"], task: Task): Promise<void> {
  const keepOwn = async ({ path, from = "", to }: PlanWrite): Promise<() => void> => {
    const hashes = ownHashesIn(await deps.store.getMeta(keyOf(deps)));
    const own = hashes[path] ?? [];
    // A kill during the write must not turn the file into the person's.
    if (own.includes(hashOf(from))) {
      await deps.store.setMeta(keyOf(deps), { ...hashes, [path]: [...own, hashOf(to)] } satisfies OwnHashes);
    }
    return () => undefined;
  };
  await deps.plans.whileWriting(keepOwn, async () => await deps.plans.mark(task, "is"));
}

/** Runs an action that may create a plan file, before a run begins. A file that it creates is ours to land. */
export async function asOwnCreation<Result>(
  place: OwnPlansPlace & Pick<LaneState["deps"], "store">,
  path: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const hashes = ownHashesIn(await place.store.getMeta(keyOf(place)));
  await place.store.setMeta(keyOf(place), { ...hashes, [path]: [CREATED] } satisfies OwnHashes);
  return await action();
}

/** The same for a file that a command created long before the run. Once the person edits it, it is theirs. */
export async function rememberCreated(
  place: OwnPlansPlace & Pick<LaneState["deps"], "store">,
  path: string,
  text: string,
): Promise<void> {
  const hashes = ownHashesIn(await place.store.getMeta(keyOf(place)));
  await place.store.setMeta(keyOf(place), { ...hashes, [path]: [hashOf(text)] } satisfies OwnHashes);
}

/** Stands for any text in the place of a hash. */
const CREATED = "created";

/** Hashes of texts that may be ours, for the next run. */
type OwnHashes = Readonly<Record<string, readonly string[]>>;

async function rememberOwn({ deps, run }: Pick<LaneState, "deps" | "run">, next?: PlanWrite): Promise<void> {
  const texts = [...run.ownPlans, ...(next === undefined ? [] : [[next.path, next.to] as const])];
  const hashes: Record<string, string[]> = {};
  for (const [path, text] of texts) (hashes[path] ??= []).push(hashOf(text));
  await deps.store.setMeta(keyOf(deps), hashes satisfies OwnHashes);
}

const ownHashesIn = (meta: unknown): OwnHashes =>
  Object.fromEntries(Object.entries(meta ?? {}).filter(([, hashes]) => Array.isArray(hashes)));

type OwnPlansPlace = Pick<LaneState["deps"], "scope" | "target">;

const keyOf = ({ scope, target }: OwnPlansPlace): string => `own-plans/${scope}/${target.ref}`;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The plan files for the landing: those that are ours as they are; of others, only our writes since the last landing.
 * L-27: these tasks are marked as done. The person's files do not say so before the work has landed.
 */
export async function landedPlans({ deps, run }: LaneState, done: readonly Task[] = []): Promise<Map<string, string>> {
  const landed = new Map<string, string>();
  for (const [path, text] of await deps.plans.texts()) {
    const there = await readFileAt(deps.home, run.landing, path);
    if (there === undefined && (await ignoredPaths(deps.home, [path])).length > 0) continue;
    const whole = run.ownPlans.get(path) === text ? await ontoLanded({ deps, run }, path, { text, there }) : undefined;
    const own = whole ?? (await withOwnWrites({ deps, run }, path, there));
    if (own === undefined) continue;
    let marked = own;
    for (const task of done) marked = await deps.plans.asDone(task, path, marked);
    if (marked !== there) landed.set(path, marked);
  }
  return landed;
}

/** A file of ours may lack marks that landed: those of a run that was killed, or that its branch does not have yet. */
async function ontoLanded(
  { deps: { home }, run }: Pick<LaneState, "deps" | "run">,
  path: string,
  { text, there }: { readonly text: string; readonly there: string | undefined },
): Promise<string | undefined> {
  const { commit } = await readHead(home);
  if (there === undefined || there === text || commit === undefined) return text;
  const base = (await readFileAt(home, await mergeBase(home, run.landing, commit), path)) ?? "";
  return await mergeTexts(home, { base, ours: there, theirs: text });
}

/** Undefined for a file of the person's that is not committed yet. */
async function withOwnWrites(
  { deps, run }: Pick<LaneState, "deps" | "run">,
  path: string,
  there: string | undefined,
): Promise<string | undefined> {
  let text = there;
  for (const { from, to } of run.planWrites.filter((write) => write.path === path)) {
    if (text === undefined || from === undefined) return undefined;
    const merged = await mergeTexts(deps.home, { base: from, ours: text, theirs: to });
    if (merged === undefined)
      warn({ deps }, `A change of ${path} did not land: yours of the same lines are in its way`);
    text = merged ?? text;
  }
  return text;
}
