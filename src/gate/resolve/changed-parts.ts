import { posix } from "node:path";
import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { calmText, withoutBetween, withShortLines } from "../../domain/short-lines.ts";
import type { Look } from "../source.ts";
import { bareText } from "./bare-text.ts";
import { isDependencyLine, isGemLine, withoutNames } from "./data-lines.ts";
import { isFixturesOnly } from "./fixtures.ts";
import { hasOnlyGrown, isBuildFile, isReadUnasked } from "./grown-text.ts";
import { keepsPhony } from "./make-file.ts";
import { PRE_COMMIT, withoutRevisions } from "./hook-managers.ts";
import { isBinaryLock } from "./lock-files.ts";
import { isGrown, isSame, partsOf, valueAt } from "./parts.ts";
import type { DecidingPath } from "./resolution.ts";
import { needsOthers, sharedKeys, type Tools } from "./shared-files.ts";
import { swapsPackage } from "./swapped-packages.ts";
import { UNKNOWN } from "./shell.ts";
import { pathIn } from "./walk.ts";

/** A path in the approved state and in the candidate. */
export interface Compared {
  readonly path: string;
  readonly base: Look;
  readonly candidate: Look;
  /** Whether its content differs: of a file that is not a text nothing else tells. */
  readonly isEdited?: boolean;
}

/** Lists to which an entry may be added: it adds something to check. */
const MAY_GROW =
  /^(?:workspaces(?:\.packages)?|packages|include|files|references|workspace\.(?:default-)?members|features\.default)$/;

/** The parts among `keys` that changed; an empty list: all of the file. Undefined: none. */
export async function changedKeys(
  compared: Compared,
  keys: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  const { path } = compared;
  const { before, after, states } = await read(compared);
  if (before === after) return before === undefined && compared.isEdited === true ? [] : undefined;
  if (states === undefined) return isSameText(path, before, after) ? undefined : [];
  if (keys === undefined && (before === undefined || after === undefined)) return [];
  const wanted = keys ?? topKeys(states.before, states.after);
  const changed: string[] = [];
  for (const key of wanted) {
    const [old, now] = [valueAt(states.before, key), valueAt(states.after, key)];
    if (isSame(old, now)) continue;
    if (MAY_GROW.test(key) && isGrown(await withoutGone(compared, old), now)) continue;
    if (key === "rule..PHONY" && keepsPhony(states.before, states.after)) continue;
    if (/^(?:rule|variable)\./.test(key) && (await hasNewFiles(compared, old, now))) continue;
    changed.push(key);
  }
  return changed.length > 0 ? changed : undefined;
}

/** A list of folders and files without those that the candidate deleted with all that was in them. */
async function withoutGone({ path, base, candidate }: Compared, list: unknown): Promise<unknown> {
  if (!Array.isArray(list)) return list;
  const folder = posix.dirname(path);
  const isThere = async (look: Look, at: string): Promise<boolean> =>
    (await look.has(at)) || (await look.names(at)).length > 0;
  const left: unknown[] = [];
  for (const one of list) {
    const named: unknown = isMapping(one) ? one["path"] : one;
    const at = typeof named === "string" && !/[*?{[!]/.test(named) ? pathIn(folder, named) : undefined;
    const isGone = at !== undefined && at !== "" && !(await isThere(candidate, at)) && (await isThere(base, at));
    if (!isGone) left.push(one);
  }
  return left;
}

/** The same for a file that a tool finds by its name. */
export async function changedSettings(compared: Compared, tools: Tools): Promise<readonly string[] | undefined> {
  const { path } = compared;
  const { before, states } = await read(compared);
  const shared = sharedKeys(path);
  if (isBinaryLock(path) && (await isInstalledAnew(compared))) return undefined;
  // A new one is read only if one that was there names it.
  if (before === undefined && isBuildFile(path) && !isReadUnasked(path)) return undefined;
  // One that does not parse is compared as a whole.
  if (shared !== undefined) return await changedKeys(compared, states && shared(states, tools));
  return (await onlyAddsFixtures(compared)) ? undefined : await changedKeys(compared, undefined);
}

/** What only tests that ask for it get. */
export async function onlyAddsFixtures({ path, base, candidate }: Compared): Promise<boolean> {
  if (!/(?:^|\/)conftest\.py$/.test(path)) return false;
  const [before, after] = [await base.text(path), await candidate.text(path)];
  return after !== undefined && (await isFixturesOnly(path, { before, after, base }));
}

/** A lock file that is new, or whose list of packages changed with it. Which packages it names, nobody can read. */
async function isInstalledAnew({ path, ...looks }: Compared): Promise<boolean> {
  if (!(await looks.base.has(path))) return true;
  const { states } = await read({ ...looks, path: path.replace(/[^/]*$/, "package.json") });
  return states !== undefined && needsOthers(states);
}

/** Whether two texts of a file without parts say the same about proof. */
function isSameText(path: string, before: string | undefined, after: string | undefined): boolean {
  if (before !== undefined && after !== undefined) {
    if (swapsPackage(path, before, after)) return false;
    if (isBuildFile(path) && hasOnlyGrown(path, before, after)) return true;
  }
  return plain(path, before) === plain(path, withoutNew(path, { before, after }));
}

interface ReadStates {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Undefined if one of them has no parts. A file that does not exist has none, unless only some parts matter. */
  readonly states: { readonly before: Mapping; readonly after: Mapping } | undefined;
}

async function read({ path, base, candidate }: Compared): Promise<ReadStates> {
  const [before, after] = (await Promise.all([base.text(path), candidate.text(path)])).map(calmText);
  const [old, now] = [before, after].map((text) => (text === undefined ? {} : comparedParts(path, text)));
  return { before, after, states: old === undefined || now === undefined ? undefined : { before: old, after: now } };
}

function comparedParts(path: string, text: string): Mapping | undefined {
  const parts = partsOf(path, text);
  return parts !== undefined && path.endsWith(PRE_COMMIT) ? withoutRevisions(parts) : parts;
}

const topKeys = (before: Mapping, after: Mapping): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

const LOCAL_LINE =
  /^\s*(?:-e|--editable|--find-links|-f|--no-index|[./])|@\s*[^\s:@]*[^\s:]:|^\s*(?:git\+|https?:|file:)/;

/** To name a new file in a project of .NET, or a gem that was not there, is work. */
function withoutNew(path: string, { before = "", after }: Pick<ReadStates, "before" | "after">): string | undefined {
  if (/\.(?:cs|fs|vb)proj$/.test(path)) {
    return after?.replaceAll(NAMES_FILE, (line) => (before.includes(line.trim()) ? line : ""));
  }
  if (!/(?:^|\/)(?:Gemfile|gems\.rb)$/.test(path)) return after;
  const isNew = (name: string | undefined): boolean => name !== undefined && !before.includes(name);
  return after
    ?.split("\n")
    .filter((line) => !isGemLine(line) || !isNew(/\bgem\s*\(?\s*(["'][^"']+["'])/.exec(line)?.[1]))
    .join("\n");
}

const NAMES_FILE = /^[ \t]*<(?:Compile|EmbeddedResource|Content|None)\s+Include="[^"\n]*"\s*\/>[ \t]*\r?\n/gm;

/** Of a build of Java the versions and dependencies are left off: to upgrade one is work. */
function plain(path: string, text: string | undefined): string | undefined {
  // Of the packages that Python needs those that come from a folder or an address.
  if (/(?:requirements|constraints)[\w-]*\.txt$/.test(path)) {
    const lines = withShortLines(text ?? "").split("\n");
    return lines.filter((line) => LOCAL_LINE.test(line)).join("\n");
  }
  if (/(?:^|\/)(?:Gemfile|gems\.rb)$/.test(path))
    return withShortLines(text ?? "")
      .split("\n")
      .filter((line) => LOCAL_GEM.test(line) || !isGemLine(line))
      .join("\n");
  if (/\.(?:cs|fs|vb)proj$/.test(path)) return text === undefined ? undefined : withoutReferences(text);
  if (path.endsWith("Directory.Packages.props"))
    return text?.replaceAll(/<PackageVersion\b[^<>]*>\s*|<\w{0,60}Version>[^<>]*<\/\w{0,60}Version>\s*/g, "");
  if (/(?:^|\/)setup\.py$/.test(path)) return text === undefined ? undefined : withoutNames(text);
  if (path.endsWith("pom.xml")) return text === undefined ? undefined : withoutArtifacts(text);
  if (/\.gradle(?:\.kts)?$/.test(path)) return text === undefined ? undefined : withoutDependencies(text);
  return text === undefined ? undefined : bareText(path, text);
}

const withoutArtifacts = (text: string): string =>
  ["dependencyManagement", "dependencies"]
    .reduce((rest, tag) => withoutBetween(rest, `<${tag}>`, `</${tag}>`), text)
    .replaceAll(/<version>[^<]*<\/version>/g, "");

/** With what they hold. Such an element has no other of its kind inside. */
const withoutReferences = (text: string): string =>
  ["Package", "Project"]
    .reduce((rest, kind) => {
      const bare = rest.replaceAll(new RegExp(String.raw`<${kind}Reference\b[^<>]*\/>\s*`, "g"), "");
      return withoutBetween(bare, `<${kind}Reference `, `</${kind}Reference>`);
    }, text)
    .replaceAll(/<\w{0,60}Version>[^<]*<\/\w{0,60}Version>\s*/g, "")
    .split("\n")
    .flatMap((line) => line.trim() || [])
    .join("\n");

/** The data of `dependencies { … }`, and versions. */
function withoutDependencies(text: string): string {
  const count = (line: string, brace: string): number => line.split(brace).length - 1;
  let depth = 0;
  const lines = withShortLines(text)
    .split("\n")
    .filter((line) => {
      if (depth === 0 && !/^\s*dependencies\s*\{/.test(line)) return true;
      depth = Math.max(0, depth + count(line, "{") - count(line, "}"));
      return !isDependencyLine(line.replace(/^\s*dependencies\b/, ""));
    });
  return lines.join("\n").replaceAll(/\bversion\s*=?\s*["'][^"'\n]*["']/g, "");
}

const LOCAL_GEM = /\b(?:path|git|github|gist)(?::|["']?\s*=>)/;

/** A make variable, or the prerequisites of a rule, that only got the names of new files. */
async function hasNewFiles({ path, base, candidate }: Compared, before: unknown, after: unknown): Promise<boolean> {
  if (typeof before !== "string" || typeof after !== "string") return false;
  const recipe = (text: string): string =>
    text
      .split("\n")
      .filter((line) => line.includes("\t"))
      .join("\n");
  if (recipe(before) !== recipe(after)) return false;
  const old = before.split(/\s+/);
  const added: string[] = [];
  for (const word of after.split(/\s+/)) {
    if (word === old[0]) old.shift();
    else added.push(word);
  }
  if (old.length > 0) return false;
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  for (const word of added) {
    const names = [word, ...["c", "cc", "cpp", "s"].map((ending) => word.replace(/\.o$/, `.${ending}`))];
    const paths = names.flatMap((name) => pathIn(folder, name.includes("$") ? UNKNOWN : name) ?? []);
    const isNew = await Promise.all(paths.map(async (file) => (await candidate.has(file)) && !(await base.has(file))));
    if (!isNew.includes(true)) return false;
  }
  return true;
}

/** Which parts of a path are there now. A path without parts is there if the file is. */
export async function partsThere(
  look: Look,
  { path, keys }: DecidingPath,
): Promise<{ readonly isThere: boolean; readonly there: readonly string[] }> {
  const text = await look.text(path);
  if (keys === undefined) return { isThere: text !== undefined || (await look.has(path)), there: [] };
  const parts = text === undefined ? undefined : partsOf(path, text);
  const there = keys.filter((key) => valueAt(parts, key) !== undefined);
  return { isThere: there.length > 0, there };
}
