import { append } from "../../domain/append.ts";
import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { LINES, type MakeFile, namesIn, plainValue, prerequisitesOf, recipeOf, SETTINGS } from "./make-file.ts";
import { filesLike } from "./files-like.ts";
import { UNKNOWN } from "./shell.ts";
import { below, type Call, pathIn, type Resolver, shown, type Walk } from "./walk.ts";

/** In the order in which GNU make looks for them. */
const MAKE_FILES = ["GNUmakefile", "makefile", "Makefile"];
const JUST_FILES = ["justfile", ".justfile", "Justfile"];

/** These change how every recipe runs. */
const FOR_ALL = ["PATH", "SHELL", ".SHELLFLAGS", ".RECIPEPREFIX", "MAKEFLAGS", "MAKEFILES", "MAKE", LINES, SETTINGS];
const RULES_FOR_ALL = [".DEFAULT", ".IGNORE", ".ONESHELL", ".POSIX", ".PHONY", ".SILENT"];

/** Variables of compilers and builds: what they say is work more often than it is proof. */
const OF_BUILDS =
  /\.(?:(?:C|CC|CXX|CPP|LD|GO|RUST|AS)FLAGS|LD(?:LIBS|ADD)|LIBS|CC|CXX|LD|AR|PREFIX|VERSION|\w*(?:SRCS?|OBJS?|SOURCES|OBJECTS|HEADERS))$/;

/** Make, and just: the rules that a target reaches, and the variables in them. Not followed: `$(eval …)`, computed includes. */
export const make: Resolver = (call, walk) => /^(?:g?make|just)$/.test(call.program) && followMake(call, walk);

async function followMake(call: Call, walk: Walk): Promise<true> {
  const namedIn = (folder: string): string[] =>
    (call.program === "just" ? JUST_FILES : MAKE_FILES).map((name) => below(folder, name));
  const { folder, files, targets } = readArguments(call);
  if (folder === undefined) {
    walk.cannotFollow(`\`${shown(["make", ...call.args])}\`: its folder is known only when it runs`);
    return true;
  }
  const first = await firstOf(walk, files.length > 0 ? files.map((file) => pathIn(folder, file)) : namedIn(folder));
  if (files.length === 0) decideShadows(walk, namedIn(folder), first);
  if (first === undefined) {
    walk.markNew();
    for (const path of namedIn(folder)) walk.decide({ path, why: "make file", isDefinition: false, isTest: true });
    return true;
  }
  const read = await readAll(walk, first, folder);
  const goals = targets.length > 0 ? targets : [defaultGoal(read)];
  await followTargets({ call, walk, read, folder }, goals);
  return true;
}

/** A file that make would find first. */
function decideShadows(walk: Walk, named: readonly string[], first: string | undefined): void {
  if (first === undefined) return;
  for (const path of named.slice(0, named.indexOf(first))) {
    walk.decide({ path, why: `make would read it in place of ${first}`, isDefinition: true });
  }
}

interface MakeCall {
  readonly folder: string | undefined;
  readonly files: readonly string[];
  readonly targets: readonly string[];
}

function readArguments({ args, folder: start }: Call): MakeCall {
  const files: string[] = [];
  const targets: string[] = [];
  let folder: string | undefined = start;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!;
    const joined = /^(?:-([Cf])(.+)|--(directory|file|makefile)=(.*))$/.exec(word);
    const isSplit = /^(?:-[CfIoWl]|--(?:directory|file|makefile))$/.test(word);
    const value = joined?.[2] ?? joined?.[4] ?? (isSplit ? (args[++at] ?? "") : undefined);
    if (value !== undefined && /^-(?:C|-directory)/.test(word))
      folder = folder === undefined ? undefined : pathIn(folder, value);
    else if (value !== undefined && /^-(?:f|-file|-makefile)/.test(word)) files.push(value);
    else if (value === undefined && !word.startsWith("-") && !word.includes("=")) targets.push(word);
  }
  return { folder, files, targets };
}

async function firstOf(walk: Walk, paths: readonly (string | undefined)[]): Promise<string | undefined> {
  for (const path of paths) if (path !== undefined && (await walk.look.has(path))) return path;
  return undefined;
}

type ReadFiles = ReadonlyMap<string, MakeFile>;

/** A make file and those that it includes. */
async function readAll(walk: Walk, first: string, folder: string): Promise<ReadFiles> {
  const read = new Map<string, MakeFile>();
  const queue = [first];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const parts = read.has(path) ? undefined : await walk.parts(path);
    if (!isMakeFile(parts)) continue;
    read.set(path, parts);
    walk.decide({ path, keys: ["include"], why: "make file", isDefinition: true });
    for (const name of parts.include) append(queue, await included({ walk, read, folder, path }, name));
  }
  return read;
}

interface Including {
  readonly walk: Walk;
  readonly read: ReadFiles;
  readonly folder: string;
  /** The file that includes. */
  readonly path: string;
}

/** The files that `include a.mk *.mk $(wildcard b/*.mk)` means. A new one decides, too. */
async function included({ walk, read, folder, path }: Including, name: string): Promise<string[]> {
  const patterns = /^\$[({]\s*wildcard\s+(.*)[)}]$/.exec(name)?.[1]?.trim();
  const words = (patterns ?? name).split(/\s+(?![^(]*\))/).flatMap((word) => expand(word, read).split(/\s+/));
  const found: string[] = [];
  for (const word of words) {
    const file = word.includes(UNKNOWN) ? undefined : pathIn(folder, word);
    const isPattern = /[*?]/.test(word);
    if (file === undefined) {
      walk.cannotFollow(`\`include ${name}\` in ${path}`);
      continue;
    }
    const files = isPattern ? await filesLike(walk, file) : [file];
    for (const one of isPattern ? [file, ...files] : files) {
      // Rules in files by other names are compared as a whole.
      if (!isMakeFile(await walk.parts(one)))
        walk.decide({ path: one, why: `${path} includes it`, isDefinition: false });
    }
    append(found, files);
  }
  return found;
}

const isMakeFile = (parts: Mapping | undefined): parts is MakeFile => parts !== undefined && isMapping(parts["rule"]);

const defaultGoal = (read: ReadFiles): string => {
  const [first] = read.values();
  const named = plainValue(first?.variable[".DEFAULT_GOAL"]);
  return named ?? Object.keys(first?.rule ?? {}).find((name) => !/^\.|%/.test(name)) ?? "all";
};

interface Following {
  readonly call: Call;
  readonly walk: Walk;
  readonly read: ReadFiles;
  readonly folder: string;
}

/** Decides by every rule that a goal reaches, and follows their recipes. */
async function followTargets({ call, walk, read, folder }: Following, goals: readonly string[]): Promise<void> {
  const seen = new Set<string>();
  const queue = [...goals, ...RULES_FOR_ALL, ...patternsIn(read)];
  const names = new Set(FOR_ALL);
  if (readArguments(call).targets.length === 0) names.add(".DEFAULT_GOAL");
  const recipes: string[] = [];
  for (let target = queue.shift(); target !== undefined; target = queue.shift()) {
    if (seen.has(target)) continue;
    seen.add(target);
    const rules = [...read.values()].flatMap(({ rule }) => rule[target] ?? []);
    for (const rule of rules) {
      // `.PHONY: deploy` makes nothing.
      if (!RULES_FOR_ALL.includes(target))
        append(
          queue,
          prerequisitesOf(rule).flatMap((name) => expand(name, read).split(/\s+/)),
        );
      append(recipes, recipeOf(rule));
      for (const name of namesIn(rule)) names.add(name);
    }
    const isGoal = goals.includes(target);
    if (isGoal && rules.length === 0) noteNewGoal(walk, read, target);
    if (rules.some((rule) => recipeOf(rule).length > 0))
      await noteUpToDate({ call, walk, read, folder }, target, isGoal);
  }
  const used = [...read.values()].some(({ variable }) =>
    Object.values(variable).some((text) => /\$[({]eval\b/.test(text)),
  );
  if (used) walk.cannotFollow("`$(eval …)` in a make file");
  const reached = { targets: seen, names: reachable(names, read) };
  decideParts(walk, read, reached);
  const commands = [...recipes.map((line) => expand(line, read)), ...asked(read, reached)];
  const paths = [...read.values()].flatMap(({ variable }) => plainValue(variable["PATH"])?.split(":") ?? []);
  for (const word of paths) walk.search(pathIn(folder, expand(word, read)));
  for (const line of commands) await walk.follow(line, { folder, depth: call.depth + 1 });
}

/** What make itself asks the shell or a file: `$(shell cat want)`, `$(file <want)`. */
function asked(read: ReadFiles, { targets, names }: Reached): string[] {
  const textsIn = ({ rule, variable }: MakeFile): string[] =>
    Array.from(targets, (target) => rule[target] ?? "").concat(Array.from(names, (name) => variable[name] ?? ""));
  const text = [...read.values()].flatMap(textsIn).join("\n");
  const calls = text.matchAll(/\$[({](?:shell\s+|file\s+(?=<))([^(){}\n]*)[)}]/g);
  return Array.from(calls, ([, command = ""]) => `: $(${expand(command, read)})`);
}

/** Every pattern rule may make a file on the way. */
const patternsIn = (read: ReadFiles): string[] =>
  [...read.values()].flatMap(({ rule }) => Object.keys(rule).filter((name) => name.includes("%")));

function noteNewGoal(walk: Walk, read: ReadFiles, goal: string): void {
  walk.markNew();
  for (const path of read.keys()) {
    walk.decide({
      path,
      keys: [`rule.${goal}`],
      why: `rule for ${goal}, which was not there`,
      isDefinition: false,
      isTest: true,
    });
  }
}

/** A file or a folder with the name of a target makes it up to date, unless the target is phony. */
async function noteUpToDate(
  { call, walk, read, folder }: Following,
  target: string,
  isDefinition: boolean,
): Promise<void> {
  // just makes no files.
  if (call.program === "just" || /^\.|%/.test(target)) return;
  const isPhony = [...read.values()].some(({ rule }) => prerequisitesOf(rule[".PHONY"] ?? "").includes(target));
  const path = isPhony ? undefined : pathIn(folder, target);
  if (path === undefined || path === "") return;
  if ((await walk.look.has(path)) || (await walk.look.names(path)).length > 0) return;
  const why = `make runs no recipe if ${target} exists`;
  for (const name of [path, `${path}/**`]) walk.decide({ path: name, why, isDefinition });
}

/** The variables that the given ones use, too. */
function reachable(names: ReadonlySet<string>, read: ReadFiles): ReadonlySet<string> {
  const all = new Set<string>();
  const queue = [...names];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (all.has(name)) continue;
    all.add(name);
    // A list over which such a line goes may be one of sources.
    if (name === LINES) continue;
    for (const { variable } of read.values()) append(queue, namesIn(variable[name] ?? ""));
  }
  return all;
}

interface Reached {
  readonly targets: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

function decideParts(walk: Walk, read: ReadFiles, { targets, names }: Reached): void {
  const isThere = (target: string): boolean =>
    RULES_FOR_ALL.includes(target) || [...read.values()].some(({ rule }) => rule[target] !== undefined);
  const rules = [...targets].filter(isThere).map((target) => `rule.${target}`);
  const variables = [...names].map((name) => `variable.${name}`);
  const exported = [...read.values()].flatMap(({ exports }) => exports.map((name) => `variable.${name}`));
  for (const path of read.keys()) {
    const own = variables.filter((key) => !OF_BUILDS.test(key));
    walk.decide({ path, keys: [...rules, ...own], why: "make file", isDefinition: true });
    const built = variables.filter((key) => OF_BUILDS.test(key));
    // Programs in recipes may read these.
    const given = [...new Set([...built, "exported", ...exported])];
    walk.decide({ path, keys: given, why: "variables of a make file", isDefinition: false });
  }
}

/** A text of a make file as the shell gets it; what only make knows is UNKNOWN. */
function expand(text: string, read: ReadFiles, depth = 0): string {
  const pattern =
    /\$(?:\$|[({](?:shell\s+|file\s+(?=<))([^(){}]*)[)}]|[({]([A-Za-z0-9_.-]+)[)}]|[({][^)}]*[)}]|([@<^?*%]))/g;
  return text.replaceAll(pattern, (all, command?: string, name?: string) => {
    if (all === "$$") return "$";
    if (command !== undefined) return `$(${command})`;
    if (name === "MAKE") return "make";
    if (name === "CURDIR") return ".";
    const values = [...read.values()].flatMap(
      ({ variable }) => plainValue(name === undefined ? "" : variable[name]) ?? [],
    );
    const [value] = values;
    return values.length !== 1 || value === undefined || depth > 5 ? UNKNOWN : expand(value, read, depth + 1);
  });
}
