import type { Mapping } from "../../domain/mapping.ts";
import type { Look } from "../source.ts";
import { bareText } from "./bare-text.ts";
import { isFixturesOnly } from "./fixtures.ts";
import { isGrown, isSame, partsOf, valueAt } from "./parts.ts";
import type { DecidingPath } from "./resolution.ts";
import { sharedKeys, type Tools } from "./shared-files.ts";
import { UNKNOWN } from "./shell.ts";
import { pathIn } from "./walk.ts";

/** A path in the approved state and in the candidate. */
export interface Compared {
  readonly path: string;
  readonly base: Look;
  readonly candidate: Look;
}

/** Lists to which an entry may be added: it adds something to check. */
const MAY_GROW =
  /^(?:workspaces(?:\.packages)?|packages|include|files|references|workspace\.(?:default-)?members|features\.default|rule\.\.PHONY)$/;

/** The parts among `keys` that changed; an empty list: all of the file. Undefined: none. */
export async function changedKeys(
  compared: Compared,
  keys: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  const { path } = compared;
  const { before, after, states } = await read(compared);
  if (before === after) return undefined;
  if (states === undefined)
    return plain(path, before) === plain(path, withoutNew(path, { before, after })) ? undefined : [];
  if (keys === undefined && (before === undefined || after === undefined)) return [];
  const wanted = keys ?? topKeys(states.before, states.after);
  const changed: string[] = [];
  for (const key of wanted) {
    const [old, now] = [valueAt(states.before, key), valueAt(states.after, key)];
    if (isSame(old, now) || (MAY_GROW.test(key) && isGrown(old, now))) continue;
    if (/^(?:rule|variable)\./.test(key) && (await hasNewFiles(compared, old, now))) continue;
    changed.push(key);
  }
  return changed.length > 0 ? changed : undefined;
}

/** The same for a file that a tool finds by its name. */
export async function changedSettings(compared: Compared, tools: Tools): Promise<readonly string[] | undefined> {
  const { path, base } = compared;
  const { before, after, states } = await read(compared);
  const shared = sharedKeys(path);
  // One that does not parse is compared as a whole.
  if (shared !== undefined) return await changedKeys(compared, states && shared(states, tools));
  if (/(?:^|\/)conftest\.py$/.test(path) && after !== undefined) {
    return (await isFixturesOnly(path, { before, after, base })) ? undefined : [];
  }
  return await changedKeys(compared, undefined);
}

interface ReadStates {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Undefined if one of them has no parts. A file that does not exist has none, unless only some parts matter. */
  readonly states: { readonly before: Mapping; readonly after: Mapping } | undefined;
}

async function read({ path, base, candidate }: Compared): Promise<ReadStates> {
  const [before, after] = await Promise.all([base.text(path), candidate.text(path)]);
  const old = before === undefined ? {} : partsOf(path, before);
  const now = after === undefined ? {} : partsOf(path, after);
  return { before, after, states: old === undefined || now === undefined ? undefined : { before: old, after: now } };
}

const topKeys = (before: Mapping, after: Mapping): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

const LOCAL_LINE = /^\s*(?:-e|--editable|--find-links|-f|--no-index|[./])|@\s*\S+:|^\s*(?:git\+|https?:|file:)/;

/** To name a new file in a project of .NET, or a gem that was not there, is work. */
function withoutNew(path: string, { before = "", after }: Pick<ReadStates, "before" | "after">): string | undefined {
  if (/\.(?:cs|fs|vb)proj$/.test(path)) {
    return after?.replaceAll(NAMES_FILE, (line) => (before.includes(line.trim()) ? line : ""));
  }
  if (!/(?:^|\/)(?:Gemfile|gems\.rb)$/.test(path)) return after;
  const isNew = (name: string | undefined): boolean => name !== undefined && !before.includes(name);
  return after
    ?.split("\n")
    .filter((line) => !isNew(/\bgem\s*\(?\s*(["'][^"']+["'])/.exec(line)?.[1]))
    .join("\n");
}

const NAMES_FILE = /^[ \t]*<(?:Compile|EmbeddedResource|Content|None)\s+Include="[^"\n]*"\s*\/>[ \t]*\r?\n/gm;

/** Of a build of Java the versions and dependencies are left off: to upgrade one is work. */
function plain(path: string, text: string | undefined): string | undefined {
  // Of the packages that Python needs those that come from a folder or an address.
  if (/(?:requirements|constraints)[\w-]*\.txt$/.test(path)) {
    const lines = (text ?? "").split("\n");
    return lines.filter((line) => LOCAL_LINE.test(line)).join("\n");
  }
  if (/(?:^|\/)(?:Gemfile|gems\.rb)$/.test(path))
    return (text ?? "")
      .split("\n")
      .filter((line) => LOCAL_GEM.test(line))
      .join("\n");
  if (/\.(?:cs|fs|vb)proj$/.test(path)) return text?.replaceAll(OF_DOTNET, "");
  if (path.endsWith("pom.xml")) return text?.replaceAll(OF_MAVEN, "");
  if (/\.gradle(?:\.kts)?$/.test(path)) return text?.replaceAll(OF_GRADLE, "");
  return text === undefined ? undefined : bareText(path, text);
}

const OF_MAVEN = /<dependenc(?:ies|yManagement)>[^]*?<\/dependenc(?:ies|yManagement)>|<version>[^<]*<\/version>/g;
const OF_DOTNET =
  /<(?:Package|Project)Reference\b(?:[^<>]*\/>|[^<>]*>(?:(?!<(?:Package|Project)Reference\b)[^]){0,2000}?<\/(?:Package|Project)Reference>)\s*|<(?:\w*Version)>[^<]*<\/\w*Version>\s*/g;
const LOCAL_GEM = /\b(?:path|git|github|gist)(?::|["']?\s*=>)/;
const OF_GRADLE = /^\s*dependencies\s*\{[^]*?^\s*\}|\bversion\s*=?\s*["'][^"']*["']/gm;

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
