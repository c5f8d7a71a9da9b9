import { join, relative } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import { RalphError } from "../../domain/error.ts";
import { isPromptTask, type Task, type TaskId } from "../../domain/task.ts";
import type { Followed, Marked, Plans, PlanWrite } from "../../loop/run-deps.ts";
import type { PlanVersions } from "../../plan/plan.ts";
import type { Scope } from "../../scope/scope.ts";
import type { Store } from "../../store/store.ts";
import { followPlan, type FollowRequest, type FollowResult } from "../follow-plan.ts";
import { linkPlans } from "../link-plans.ts";
import { followMovedFiles } from "../moved-plans.ts";
import { markPlan, type MarkRequest, markText } from "../mark-plan.ts";
import { parkAgentTasks, rememberAgentPlans } from "./agent-plans.ts";
import { bringHome, layOver, planTexts } from "./lane-inputs.ts";
import { NOT_MARKED, planFile, refuseOutside, whileWriting } from "../plan-file.ts";

export interface PlansPlace {
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  /** The top of the working tree. */
  readonly tree: string;
  readonly scope: Scope;
  /** Of git. */
  readonly env?: Environment;
  /** A plan file in git, by the path that git has for it. */
  readonly versions?: (path: string) => Promise<PlanVersions<string | undefined> | undefined>;
  /** Whether the plan files are those of another branch than the run's. */
  readonly isElsewhere?: () => Promise<boolean>;
  /** Plan files of other scopes, as git names them. */
  readonly ofAllScopes?: readonly string[];
  /** The files are only read. */
  readonly isReadOnly?: boolean;
  /** Of a run: which files are plan files from the next run on, and how many tasks its sessions may add. */
  readonly agents?: { readonly run: string; readonly patterns: readonly string[]; readonly newTasks: number };
}

/** The plan files of a scope, as the loop follows and marks them. */
export function plansOf(place: PlansPlace): Plans {
  const { store, root, tree, scope } = place;
  const inTree = treePath(tree, root);
  const inputs = { root, scope, env: place.env ?? {}, inTree };
  return {
    files: scope.planFiles.map(inTree),
    ofAllScopes: [...new Set([...scope.planFiles.map(inTree), ...(place.ofAllScopes ?? [])])],
    specs: scope.specsDirs.map(inTree),
    noteAdded: async (paths) => {
      const { agents } = place;
      const inWorkspace = paths.map((path) => relative(root, join(tree, path)));
      if (agents !== undefined) await rememberAgentPlans(store, { ...agents, added: inWorkspace });
    },
    follow: async (by) =>
      await followAll(place, { ...by, versions: async (file) => await place.versions?.(inTree(file)) }),
    mark: async (task, as) => {
      const isOfScope = task.source !== undefined && scope.planFiles.includes(task.source.file);
      // T-41: a mark there would be in the way of the person's next switch.
      if (!isOfScope || (await place.isElsewhere?.()) === true) return NOT_MARKED;
      return await markTask({ store, root }, task, as);
    },
    asDone: async (task, path, text) =>
      task.source === undefined || inTree(task.source.file) !== path || isPromptTask(task)
        ? text
        : await markText(await marksFor({ store, root }, task, { file: task.source.file, as: "done" }), text),
    whileWriting: async (listener, action) => {
      const hear = (file: string) => async (text: Omit<PlanWrite, "path">) =>
        await listener({ path: inTree(file), ...text });
      const files = scope.planFiles.map((file) => [planFile({ root, file }).path, hear(file)] as const);
      return await whileWriting(new Map(files), action);
    },
    texts: async () => await planTexts(inputs),
    layOver: async (lane) => await layOver(inputs, lane),
    bringHome: async (lane, laid) => await bringHome(inputs, lane, laid),
  };
}

/** A path of the workspace as git names it: the workspace need not be the top of the working tree. */
export function treePath(tree: string, root: string): (path: string) => string {
  const above = relative(tree, root);
  return (path) => (above === "" ? path : `${above}/${path}`);
}

/** Writes a task's mark into the plan file that it came from: as if it were done, or as it is. */
export async function markTask(
  { store, root }: Pick<PlansPlace, "store" | "root">,
  task: Task,
  as: "done" | "is",
): Promise<Marked> {
  if (task.source === undefined || isPromptTask(task)) return NOT_MARKED;
  const { file } = task.source;
  const refused = await whyRefused(root, file);
  if (refused !== undefined) return { hasChanged: false, problems: [refused] };
  const result = await markPlan(await marksFor({ store, root }, task, { file, as }));
  if (result.kind === "missing") return NOT_MARKED;
  if (result.kind !== "marked") return { hasChanged: false, problems: [result.message] };
  const problems = result.unmarked.map(({ id, problem }) => `${id} could not be marked in ${result.file}: ${problem}`);
  return { hasChanged: result.changed, problems };
}

/** A version of the plan file that a task came from, with its mark as the task is now. */
export const textWithMark = async (
  place: Pick<PlansPlace, "store" | "root">,
  task: Task,
  { file, text }: { readonly file: string; readonly text: string },
): Promise<string> => await markText({ ...(await marksFor(place, task, { file, as: "is" })), isOurs: true }, text);

/** The marks of a task and of its parents. */
const marksFor = async (
  { store, root }: Pick<PlansPlace, "store" | "root">,
  task: Task,
  { file, as }: { readonly file: string; readonly as: "done" | "is" },
): Promise<MarkRequest> => ({
  store,
  root,
  file,
  only: [task.id, ...(await parentsOf(store, task))],
  asDone: as === "done" ? task.id : undefined,
});

async function parentsOf(store: Store, { parent }: Task): Promise<TaskId[]> {
  const task = parent === undefined ? undefined : await store.get(parent);
  return task === undefined ? [] : [task.id, ...(await parentsOf(store, task))];
}

/** P-53: a link out of the workspace is not a plan file; a started run continues without it. */
async function whyRefused(root: string, file: string): Promise<string | undefined> {
  try {
    await refuseOutside(root, planFile({ root, file }));
    return undefined;
  } catch (error) {
    if (error instanceof RalphError) return error.message;
    throw error;
  }
}

async function followAll(
  { store, root, scope, isReadOnly, env = {}, agents }: PlansPlace,
  by: Pick<FollowRequest, "editor" | "assigned" | "versions">,
): Promise<Followed> {
  const results: FollowResult[] = [];
  const refusals: string[] = [];
  await followMovedFiles({ store, root, env }, scope);
  for (const file of scope.planFiles) {
    const refused = await whyRefused(root, file);
    if (refused !== undefined) refusals.push(refused);
    else results.push(await followPlan({ store, root, file, scope: scope.key, ...by, isReadOnly }));
  }
  const followed = results.filter((result) => result.kind === "followed");
  const unlinked = await linkPlans(
    store,
    scope.key,
    followed.flatMap(({ linked = [] }) => linked),
  );
  const added = followed.flatMap((each) => each.added);
  if (agents !== undefined) await parkAgentTasks(store, added, agents.newTasks);
  return {
    added,
    updated: followed.flatMap(({ updated }) => updated),
    dropped: followed.flatMap(({ dropped }) => dropped),
    revived: followed.flatMap(({ revived }) => revived),
    claims: followed.flatMap(({ claims }) => claims),
    revertedMarks: followed.flatMap(({ revertedMarks }) => revertedMarks),
    problems: [...refusals, ...unlinked, ...results.flatMap((result) => ("message" in result ? [result.message] : []))],
  };
}
