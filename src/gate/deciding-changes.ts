import { posix } from "node:path";
import type { FileChange } from "../domain/change.ts";
import type { Gate } from "../domain/gate.ts";
import { matches, matchesAny } from "../domain/glob.ts";
import { changedKeys, changedSettings, onlyAddsFixtures } from "./resolve/changed-parts.ts";
import { walkGate } from "./resolve/resolve-gate.ts";
import {
  filesHiddenBy,
  hidesProgram,
  isKnownProgram,
  isOfLibrary,
  libraryHiddenBy,
  moduleHiddenBy,
} from "./resolve/hidden.ts";
import { hasMoreLines, isReadData } from "./resolve/read-data.ts";
import { effectFolder, isFoundByName, settingFor, toolFileFor } from "./resolve/settings.ts";
import { isInstalled } from "./resolve/tool-files.ts";
import type { Walked } from "./resolve/walk.ts";
import type { Look } from "./source.ts";
import { createBreather } from "../system/breather.ts";

/** A change of a path that decides what gates check. */
export interface DecidingChange {
  readonly path: string;
  /** The parts that changed of a file that is compared by key, as `scripts.test`; absent: all of it. */
  readonly keys?: readonly string[];
  /** The ids of the gates that it decides. */
  readonly gates: readonly string[];
  readonly why: string;
  /** `data`: a gate reads it, and nothing tells whether it is work, or what the work is compared with. */
  readonly kind: "definition" | "configuration" | "test" | "data";
  /** Of a source file only the tests inside of it. */
  readonly isInside?: true;
}

export interface DecidingRequest {
  readonly gates: readonly Pick<Gate, "id" | "run" | "check">[];
  /** The approved state: the landing commit. */
  readonly base: Look;
  /** The tree that would land. */
  readonly candidate: Look;
  /** How the candidate differs from the base. */
  readonly changes: readonly FileChange[];
  /** Patterns for test files. */
  readonly testFiles: readonly string[];
  /** The workspace, in which gates run, below the top of the repository; default: the top. All paths begin at the top. */
  readonly folder?: string;
}

/** T-10: of a candidate's changes those that decide how it is proven. The base alone says what decides. */
export async function decidingChanges(request: DecidingRequest): Promise<readonly DecidingChange[]> {
  const { gates, base, changes, folder = "" } = request;
  if (changes.length === 0) return [];
  const found: DecidingChange[] = [];
  const breathe = createBreather();
  // A function of the program that runs the loop lies outside the candidate.
  for (const { id, run } of gates.filter(({ check }) => check === undefined)) {
    const walked = await walkGate(run, base, { folder, near: changes.map(({ path }) => path) });
    for (const change of changes) {
      await breathe();
      found.push(...(await changesFor(request, { id, walked, change })));
    }
  }
  const ids = gates.map(({ id }) => id);
  for (const change of changes) {
    const { path, kind } = change;
    const name = isSubmodule(change) ? `${path}/any` : path;
    const isOld = kind !== "added" && matchesAny(request.testFiles, name);
    if (isOld)
      found.push({ path, gates: ids, why: kind === "deleted" ? "test was deleted" : "test was changed", kind: "test" });
  }
  return onePerPath(found);
}

interface Asked {
  readonly id: string;
  readonly walked: Walked;
  readonly change: FileChange;
}

async function changesFor(request: DecidingRequest, { id, walked, change }: Asked): Promise<DecidingChange[]> {
  const { base, candidate, testFiles } = request;
  const { path } = change;
  const compared = { path, base, candidate, isEdited: isEdited(change) };
  const named: DecidingChange[] = [];
  for (const decides of walked.decides.filter((one) => isAbout(one.path, change))) {
    const { keys, why, isDefinition, isTest } = decides;
    // New tests are tried without the rest in another way.
    if (isTest === true && decides.path !== path && matchesAny(testFiles, path)) continue;
    const changed = await changedKeys(compared, keys);
    const isMode = change.kind === "mode" && keys === undefined;
    if (changed === undefined && !isMode) continue;
    if (change.kind === "deleted" && (await isWholeFolderGone(request, path))) continue;
    const isTests =
      isTest === true ||
      (await onlyAddsFixtures(compared)) ||
      (keys === undefined && matchesAny(testFiles, path) && toolFileFor(path, walked.text) === undefined);
    const kind = isTests ? "test" : isDefinition ? "definition" : "configuration";
    named.push({ path, ...partsOf(changed), gates: [id], why, kind });
  }
  if (change.kind === "added")
    named.push(...hiding({ id, walked, change }), ...(await stubs(base, { id, walked, change })));
  named.push(...(await libraries(base, { id, walked, change })));
  if (hidesProgram(path, walked) && (change.kind === "added" || isKnownProgram(path)))
    named.push({ path, gates: [id], why: "the PATH of a script finds it first", kind: "configuration" });
  if (isSubmodule(change) && runsInside(walked, path))
    named.push({ path, gates: [id], why: "a gate runs files of this submodule", kind: "configuration" });
  // One more file of a folder is work. One that a check names says which way it goes.
  const isNew = change.kind === "added";
  if (isReadData(path, walked.reads, { isNew }) && (isNew || !(await hasGrown(request, path))))
    named.push({ path, gates: [id], why: "a gate reads it", kind: "data" });
  const settings = await settingsFor(request, { id, walked, change });
  return settings === undefined ? named : [...named, settings];
}

/** What was said in it still is. */
const hasGrown = async ({ base, candidate }: DecidingRequest, path: string): Promise<boolean> =>
  hasMoreLines((await base.text(path)) ?? "", (await candidate.text(path)) ?? "");

const isEdited = ({ before, after }: FileChange): boolean => before?.hash !== after?.hash;

const isSubmodule = ({ before, after }: FileChange): boolean =>
  [before, after].some((state) => state?.mode === "160000");

const runsInside = ({ decides, folders }: Walked, path: string): boolean =>
  [...decides.map((one) => one.path), ...folders].some((name) => `${name}/`.startsWith(`${path}/`));

/** Files that match a pattern and existed are also named one by one. */
const isAbout = (named: string, { path, kind }: FileChange): boolean =>
  named === path || (kind === "added" && /[*?]/.test(named) && matches(named, path));

const partsOf = (keys: readonly string[] | undefined) => (keys === undefined || keys.length === 0 ? {} : { keys });

/** A package that is deleted with all its files: its tests are named by themselves. */
async function isWholeFolderGone({ base, candidate }: DecidingRequest, path: string): Promise<boolean> {
  const slash = path.lastIndexOf("/");
  if (slash < 0) return false;
  const folder = path.slice(0, slash);
  return (await candidate.names(folder)).length === 0 && (await base.has(`${folder}/package.json`));
}

/** Files that take effect by their name: changed ones, and new ones in a folder that existed. */
async function settingsFor(
  request: DecidingRequest,
  { id, walked, change }: Asked,
): Promise<DecidingChange | undefined> {
  const { base, candidate } = request;
  const { path, kind } = change;
  const entry = settingFor(path, walked) ?? (await isOtherSetting(request, { id, walked, change }));
  if (entry === undefined) return undefined;
  if (kind === "added") {
    const folder = effectFolder(path);
    const isShadow = /(?:^|\/)package\.json$/.test(path);
    const isOld = folder === "" || (await base.names(folder)).length > 0;
    if ((!isOld && !isShadow) || !isFoundByName(path, walked.text)) return undefined;
  }
  const keys = await changedSettings({ path, base, candidate, isEdited: isEdited(change) }, walked);
  if (keys === undefined) return undefined;
  const isNew = walked.isNew && kind === "added";
  const names = request.changes.map((one) => one.path);
  const isTest = isNew || isInstalled(path, names);
  return { path, ...partsOf(keys), gates: [id], why: entry.why, kind: isTest ? "test" : "configuration" };
}

/** A new file that programs find in place of one that decides, or in place of a module of Python. */
function hiding({ id, walked: { decides, folders, text }, change: { path } }: Asked): DecidingChange[] {
  const known = decides.find((one) => filesHiddenBy(path).includes(one.path))?.path;
  if (known !== undefined)
    return [{ path, gates: [id], why: `it is found in place of ${known}`, kind: "configuration" }];
  const slash = path.lastIndexOf("/");
  if (
    path.slice(slash + 1).startsWith("-") &&
    folders.has(path.slice(0, Math.max(slash, 0))) &&
    /(?:^|\s)\*/m.test(text)
  )
    return [{ path, gates: [id], why: "a program takes its name for a flag", kind: "configuration" }];
  const module = /\bpy(?:thon|test|\.test)|\b(?:tox|nox)\b/.test(text) ? moduleHiddenBy(path) : undefined;
  if (module === undefined) return [];
  const { folder, name } = module;
  const isStart =
    folders.has(folder) ||
    /(?:^|\/)tests?$/.test(folder) ||
    decides.some((one) => one.path.endsWith(".py") && posix.dirname(one.path) === (folder || "."));
  return isStart ? [{ path, gates: [id], why: `Python finds it in place of its own ${name}`, kind: "test" }] : [];
}

/** Checkers of types read a stub in place of the module beside it. */
async function stubs(base: Look, { id, walked: { text }, change: { path } }: Asked): Promise<DecidingChange[]> {
  const module = path.replace(/\.pyi$/, ".py");
  if (module === path || !/\b(?:mypy|(?:based)?pyright|pytype|pyre|ty)\b/.test(text) || !(await base.has(module)))
    return [];
  return [{ path, gates: [id], why: `types are read from it in place of ${module}`, kind: "configuration" }];
}

/** Where the base has more beside it, a plugin of a library may be the work. */
async function libraries(
  base: Look,
  { id, walked: { text }, change: { path, kind } }: Asked,
): Promise<DecidingChange[]> {
  const library = libraryHiddenBy(path, text);
  if (library === undefined) return [];
  const isNew = kind === "added" && (await base.names(library)).length === 0;
  if (!isNew && !isOfLibrary(path)) return [];
  return [{ path, gates: [id], why: "tests find it in place of a library", kind: "configuration" }];
}

/** Go takes its one `TestMain` from any test file of a package. */
async function isOtherSetting(
  { candidate }: DecidingRequest,
  { walked, change }: Asked,
): Promise<{ why: string } | undefined> {
  if (change.kind !== "added" || !change.path.endsWith("_test.go") || !/\bgo\b/.test(walked.text)) return undefined;
  const text = await candidate.text(change.path);
  return text !== undefined && /^func\s+TestMain\s*\(/m.test(text)
    ? { why: "TestMain runs all tests of its package" }
    : undefined;
}

const RANKS = ["data", "test", "configuration", "definition"] as const;

/** One change for each path, of the strongest kind. */
export function onePerPath(found: readonly DecidingChange[]): DecidingChange[] {
  const byPath = new Map<string, DecidingChange>();
  for (const change of found) {
    const known = byPath.get(change.path);
    byPath.set(change.path, known === undefined ? change : joined(known, change));
  }
  return [...byPath.values()];
}

function joined(a: DecidingChange, b: DecidingChange): DecidingChange {
  const [strong, weak] = RANKS.indexOf(a.kind) >= RANKS.indexOf(b.kind) ? [a, b] : [b, a];
  const gates = [...new Set([...a.gates, ...b.gates])];
  // A file that is also named as a whole is restored as a whole.
  const keys = strong.keys === undefined || weak.keys === undefined ? [] : [...new Set([...strong.keys, ...weak.keys])];
  return { path: a.path, ...partsOf(keys), gates, why: strong.why, kind: strong.kind };
}
