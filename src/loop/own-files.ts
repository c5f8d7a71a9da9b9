import { posix, relative } from "node:path";
import { isOnlyFormatted, isOnlyStamped } from "../domain/acting-files.ts";
import type { FileChange } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import type { Task, TaskId } from "../domain/task.ts";
import { changedStarts, folderLook, isUpgrade, type Look, treeLook } from "../gate/gate.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import type { Candidate } from "./candidate.ts";
import type { DueHook } from "./run-hook.ts";
import { grantsOf, type LaneState, type RunState, tell } from "./run-state.ts";

// T-10, P-17: hooks, agents, editors and git act on the person's machine, also in later runs. A change of what they start
// or obey, or of the file that is found first, needs the person's word.

/** The changed files of a candidate that would act on the person's machine, and that the task may not change. */
export async function changedOwnFiles({ deps }: LaneState, task: Task, { head, tree }: Candidate): Promise<string[]> {
  const { home, rules } = deps;
  const changes = [...(await committedBetween(home, head, tree)).values()];
  const folder = relative(home.folder, deps.root);
  const [base, candidate] = [treeLook(home, head), treeLook(home, tree)];
  try {
    const started = await changedStarts(commandsOf(deps).map(inWorkspace), { base, candidate, folder });
    const found: string[] = [];
    for (const change of changes)
      if (await isActing(change, { base, candidate, rules, folder })) found.push(change.path);
    const granted = grantsOf(deps, task);
    return [...new Set([...started, ...found])].filter((path) => !matchesAny(granted, path));
  } finally {
    base.close();
    candidate.close();
  }
}

/** The commands of the configuration that run outside of gates. */
function commandsOf({ hooks, agents, reviewer }: LaneState["deps"]): string[] {
  const commands = hooks.hooks.flatMap(({ work }) => (work.kind === "command" ? work.run : []));
  for (const { settings } of [...agents, ...(reviewer === undefined ? [] : [reviewer])]) {
    const { run, bin, args } = settings;
    if (run !== null) commands.push(run);
    else if (bin?.startsWith("./") === true) commands.push([bin, ...args].join(" "));
  }
  return commands;
}

/** A hook that goes to the person's workspace starts the files that have landed. */
const inWorkspace = (command: string): string =>
  command.replaceAll(/\$(?:RALPHCTL_WORKSPACE\b|\{RALPHCTL_WORKSPACE\})/g, ".");

interface Hiding {
  readonly base: Look;
  readonly candidate: Look;
  readonly rules: LaneState["deps"]["rules"];
  readonly folder: string;
}

const isActing = async (change: FileChange, about: Hiding): Promise<boolean> =>
  (matchesAny(about.rules.acting, change.path) &&
    !(await isSame(change, about, isOnlyFormatted)) &&
    !(await isUpgrade(change.path, about))) ||
  (change.kind === "added" ? await hidesOlder(change.path, about) : matchesAny(about.rules.actingOld, change.path));

async function isSame(
  { path, kind }: FileChange,
  { base, candidate }: Pick<Hiding, "base" | "candidate">,
  compare: (before: string, after: string) => boolean,
): Promise<boolean> {
  if (kind !== "modified") return false;
  const [before, after] = await Promise.all([base.text(path), candidate.text(path)]);
  return before !== undefined && after !== undefined && compare(before, after);
}

/** The files of each run of which that was told. */
const told = new WeakMap<RunState, Set<string>>();

/**
 * Settings of the project which a session's CLI only stamped, as some do at each start. That is nobody's work: it neither
 * lands nor is asked about, unless the task may change the file.
 */
export async function stampedFiles(
  lane: LaneState,
  id: TaskId | undefined,
  changes: readonly FileChange[],
): Promise<readonly string[]> {
  const { deps, place, run } = lane;
  const acting = changes.filter(({ path }) => matchesAny(deps.rules.acting, path));
  if (acting.length === 0 || lane.base.head === undefined) return [];
  const task = id === undefined ? undefined : await deps.store.get(id);
  const granted = task === undefined ? [] : grantsOf(deps, task);
  const base = treeLook(deps.home, lane.base.head);
  try {
    const found: string[] = [];
    for (const change of acting.filter(({ path }) => !matchesAny(granted, path)))
      if (await isSame(change, { base, candidate: folderLook(place.folder) }, isOnlyStamped)) found.push(change.path);
    const known = told.get(run) ?? new Set();
    for (const path of found.filter((one) => !known.has(one))) {
      const text = `Only $schema or $version of ${path} changed, which agents' programs write by themselves: it stays as it was`;
      tell(lane, `${text}. To let a task change it, give the task --may-change ${path}`);
      known.add(path);
    }
    told.set(run, known);
    return found;
  } finally {
    base.close();
  }
}

/** A workflow that is found in place of an older one of its name, or a workspace inside of the workspace. */
async function hidesOlder(path: string, { base, rules, folder }: Hiding): Promise<boolean> {
  const name = /\/([^/]+)\.ya?ml$/.exec(path)?.[1];
  for (const folders of name === undefined ? [] : rules.workflows) {
    const places = folders.flatMap((at) => [".yaml", ".yml"].map((ending) => posix.join(at, name + ending)));
    const at = places.indexOf(path);
    for (const later of at < 0 ? [] : places.slice(at + 1)) if (await base.has(later)) return true;
  }
  const [, above] = /^(.+?)\/\.ralph\//.exec(path) ?? [];
  if (above === undefined || above === folder || matchesAny(rules.testFiles, path)) return false;
  const names = await base.names(above);
  return names.length > 0 && !names.includes(".ralph");
}

/** The files that the command of a hook would start in a lane, and that are not as they have landed. */
export async function unlandedStarts(
  { deps, place, base }: LaneState,
  { head }: Pick<DueHook, "head">,
  command: string,
): Promise<string[]> {
  // There, all files are the person's.
  if (place.number === 0) return [];
  const { home } = deps;
  const folder = relative(home.folder, deps.root);
  // Another lane may have landed meanwhile: then the files of this one are older. An ignored file is the person's copy.
  const commits = [...new Set([head, base.head ?? head])].map((commit) => treeLook(home, commit));
  try {
    let changed: string[] | undefined;
    for (const landed of [...commits, folderLook(home.folder)]) {
      const found = await changedStarts([command], { base: landed, candidate: folderLook(place.folder), folder });
      changed = changed?.filter((path) => found.includes(path)) ?? found;
      if (changed.length === 0) break;
    }
    return changed ?? [];
  } finally {
    for (const look of commits) look.close();
  }
}
