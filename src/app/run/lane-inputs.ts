import { join, relative } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import { RalphError } from "../../domain/error.ts";
import type { LaidInputs } from "../../loop/run-deps.ts";
import { expectFile } from "../../system/git/expected-file.ts";
import type { Scope } from "../../scope/scope.ts";
import { copyIfDifferent, filesBelow, isBelow, realPathOf, removeLinksOut } from "../../system/folder.ts";
import { mergeTexts } from "../../system/git/merge-file.ts";
import {
  newPlanText,
  type PlanFile,
  planFile,
  readPlanText,
  refuseOutside,
  replacePlanText,
  saveConflictingPlan,
} from "../plan-file.ts";

/** The person's workspace, and the paths of its plan files as git names them. */
export interface InputsPlace {
  readonly root: string;
  readonly scope: Scope;
  /** Of git. */
  readonly env: Environment;
  readonly inTree: (path: string) => string;
}

/** Files that agents read and a person may not have committed yet: specs, prompts, the sprint, the change. */
const inputFolders = ({ specsDirs, sprint }: Scope): string[] => [
  ...specsDirs,
  ...(sprint === undefined ? [] : [sprint]),
];

const inputFiles = ({ prompts, documents = [], planFiles }: Scope): string[] => [
  prompts.plan,
  prompts.build,
  ...documents,
  ...planFiles,
];

/** All of them, as patterns. */
export const inputPatterns = (scope: Scope): string[] => [
  ...inputFolders(scope).map((folder) => `${folder}/**`),
  ...inputFiles(scope),
];

/** Plan files by path. */
export async function planTexts({ root, scope, inTree }: InputsPlace): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const file of scope.planFiles) {
    const text = await readPlanText(planFile({ root, file })).catch(() => undefined); // a folder, or not readable
    if (text !== undefined) texts.set(inTree(file), text);
  }
  return texts;
}

/** L-03: the person's inputs lie over the lane, committed or not. */
export async function layOver(place: InputsPlace, laneRoot: string): Promise<LaidInputs> {
  const { root, scope } = place;
  const below = await Promise.all(
    inputFolders(scope)
      .filter((folder) => isBelow(root, join(root, folder)))
      .map(async (folder) => (await filesBelow(join(root, folder))).map((file) => relative(root, file))),
  );
  let hasWritten = false;
  const real = realPathOf(root);
  for (const file of [...below.flat(), ...inputFiles(scope)]) {
    // B-03: a link must not bring a file from outside within an agent's reach.
    if (!isBelow(root, join(root, file)) || !isBelow(real, realPathOf(join(root, file)))) continue;
    removeLinksOut(laneRoot, file);
    if (await copyIfDifferent(join(root, file), join(laneRoot, file))) hasWritten = true;
  }
  // Read from the lane: the person may have saved theirs again.
  return { plans: await planTexts({ ...place, root: laneRoot }), hasWritten };
}

/** L-03: an agent's edits of plan files reach the person's, together with edits that the person made meanwhile. */
export async function bringHome(
  { root, scope, env, inTree }: InputsPlace,
  laneRoot: string,
  laid: ReadonlyMap<string, string>,
): Promise<string[]> {
  const refused: string[] = [];
  for (const file of scope.planFiles) {
    const base = laid.get(inTree(file));
    const theirs = await readLanePlan(laneRoot, file);
    if ("problem" in theirs) refused.push(theirs.problem);
    else if (theirs.text === undefined && base !== undefined)
      refused.push(`The session removed ${file}, and ralphctl restored it`);
    if ("problem" in theirs || theirs.text === undefined || theirs.text === base) continue;
    const home = planFile({ root, file });
    const { text } = theirs;
    const done = await expectFile(home.path, async () => await mergeInto(home, { env, base, theirs: text }));
    if (done === undefined && (await readPlanText(home)) === undefined) await newPlanText(home, text);
    else if (done !== "there") refused.push(await saveConflictingPlan(root, home, text));
  }
  return refused;
}

interface AgentEdit {
  readonly env: Environment;
  readonly base: string | undefined;
  readonly theirs: string;
}

/** Undefined if the file is not there, or changes under our hands: a git of the person may be at work. */
async function mergeInto(home: PlanFile, { env, base, theirs }: AgentEdit): Promise<"there" | "conflict" | undefined> {
  const ours = await readPlanText(home);
  if (ours === undefined) return undefined;
  if (ours === theirs) return "there";
  const to = base === undefined ? undefined : await mergeTexts({ env }, { base, ours, theirs });
  if (to === undefined) return "conflict";
  return (await replacePlanText(home, { from: ours, to })) === "written" ? "there" : undefined;
}

/** W-05: a session may have put anything in the place of a plan file, also a link to a file of the person's. */
async function readLanePlan(
  root: string,
  file: string,
): Promise<{ readonly text: string | undefined } | { readonly problem: string }> {
  const plan = planFile({ root, file });
  try {
    await refuseOutside(root, plan);
    return { text: await readPlanText(plan) };
  } catch (error) {
    if (error instanceof RalphError) return { problem: error.message };
    throw error;
  }
}
