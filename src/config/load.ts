import { isMapping } from "../domain/mapping.ts";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { closestMatch } from "../domain/closest-match.ts";
import { type KeyPath, problemsError, type Speech, type TextProblem, writtenKey } from "../domain/data-problem.ts";
import { RalphError } from "../domain/error.ts";
import { findProblems, valueAt } from "../system/check-data.ts";
import { isBelow } from "../system/folder.ts";
import { findUp } from "../system/find-up.ts";
import { readTextFile } from "../system/text-file.ts";
import { readYaml } from "../system/yaml-text.ts";
import type { Config, ConfigRequest, ConfigSource, LoadedConfig, Origin } from "./config.ts";
import { readEnvironment, valueFromText } from "./environment.ts";
import { configKeys, parseKey } from "./keys.ts";
import type { Kind } from "./kinds.ts";
import { pathProblems, repositoryProblems } from "./repository-rules.ts";
import { baseLayer, configSchema, plainHarness } from "./schema.ts";
import { complete, freeze, mapValues, merge, rootFields, type Tree } from "./tree.ts";

const FILE_LIMIT_BYTES = 1024 * 1024;

const DEFAULT: Origin = { kind: "default", text: "default" };

/** Data of one place, checked, its paths as seen from the workspace. */
interface Layer {
  readonly tree: Tree;
  readonly source?: ConfigSource;
  readonly origin: (path: readonly string[]) => Origin;
}

/** See `loadConfig` in the contract. */
export async function loadLayers(request: ConfigRequest): Promise<LoadedConfig> {
  const place = await findPlaces(request);
  const layers: Layer[] = [{ tree: baseLayer, origin: () => DEFAULT }];
  for (const file of place.files) {
    const layer = await readFileLayer(file, place);
    if (layer !== undefined) layers.push(layer);
  }
  const flags = flagLayer(request, place);
  layers.push(environmentLayer(request, place, namesIn([...layers, flags])), flags);

  const merged = layers.map(({ tree }) => tree).reduce(merge);
  const config: Config = freeze(configSchema.parse(merged));
  // A copy: lists in it may be the caller's own, and those are not ours to freeze.
  const form = freeze(structuredClone(complete(rootFields, merged)));
  const plain = freeze(plainHarness.parse({}));
  const sources = layers.flatMap(({ source }) => source ?? []);
  return {
    config,
    written: form,
    workspace: place.workspace,
    files: sources.map(({ file }) => file).reverse(),
    sources,
    harness: (name) => (Object.hasOwn(config.harnesses, name) ? config.harnesses[name]! : plain),
    lookup: (key) => {
      const path = parseKey(key);
      const value = valueAt(config, path);
      if (value === undefined) throw unknownKey(key);
      return { value, written: valueAt(form, path), origin: originOf(layers, path) };
    },
  };
}

interface Places {
  readonly cwd: string;
  readonly workspace: string | undefined;
  /** The weakest first. */
  readonly files: readonly SourceFile[];
}

interface SourceFile {
  readonly path: string;
  readonly isRequired: boolean;
  readonly isUsers: boolean;
}

/** cfg-R1: upwards from the working directory; from the `--config` file where that leads nowhere. */
async function findPlaces({ cwd, env, configFile }: ConfigRequest): Promise<Places> {
  const given = configFile === undefined ? undefined : resolve(cwd, configFile);
  const workspace = (await findUp(cwd, ".ralph")) ?? (given && (await findUp(dirname(given), ".ralph")));
  const own = userFile(env);
  const usual = [own, workspace && join(workspace, ".ralph", "config.yaml")].filter((file) => file !== undefined);
  const isUsers = (path: string): boolean => path === own;
  const files = usual
    .filter((path) => path !== given)
    .map((path) => ({ path, isRequired: false, isUsers: isUsers(path) }));
  const last = given === undefined ? [] : [{ path: given, isRequired: true, isUsers: isUsers(given) }];
  return { cwd, workspace, files: [...files, ...last] };
}

export function userFile({ XDG_CONFIG_HOME: xdg, HOME: home }: ConfigRequest["env"]): string | undefined {
  // The XDG rules: a relative value is to be ignored.
  if (xdg?.startsWith("/") === true) return join(xdg, "ralphctl", "config.yaml");
  return home?.startsWith("/") === true ? join(home, ".config", "ralphctl", "config.yaml") : undefined;
}

async function readFileLayer(
  { path: file, isRequired, isUsers }: SourceFile,
  place: Places,
): Promise<Layer | undefined> {
  const name = shortName(file, place.cwd);
  const text = await readTextFile(file, { limitBytes: FILE_LIMIT_BYTES, what: `The configuration \`${name}\`` });
  if (text === undefined) {
    if (!isRequired) return undefined;
    throw new RalphError("config", `Cannot find the configuration file \`${name}\``, {
      hint: "Check the path given with `--config`",
    });
  }
  const isTheirs = !isUsers && place.workspace !== undefined && isBelow(place.workspace, file);
  const { tree, yaml } = checkText(text, { file, cwd: place.cwd, isTheirs });
  const isOfWorkspace = place.workspace !== undefined && file === join(place.workspace, ".ralph", "config.yaml");
  const seen = isOfWorkspace ? tree : rebasePaths(tree, folderOfFile(file), place.workspace);
  return {
    source: { file, isUsers, tree: seen },
    tree: seen,
    origin: (path) => {
      const { line } = yaml.locate(path, "key");
      return { kind: "file", text: `file ${name} line ${line}`, file, line };
    },
  };
}

/** A file whose text is checked. */
export interface CheckedFile extends Pick<ConfigRequest, "cwd"> {
  readonly file: string;
  /** It is the repository's, which may not set everything. */
  readonly isTheirs: boolean;
}

/** The data of a file's text; throws what is wrong with it. */
export function checkText(text: string, { file, cwd, isTheirs }: CheckedFile) {
  const name = shortName(file, cwd);
  const yaml = readYaml(text);
  if (yaml.kind === "broken") throw problemsError("config", yaml.problems, name);
  const tree = withoutEmpty(yaml.data ?? {});
  const problems = configProblems(tree, { nameOf: writtenKey, locate: yaml.locate });
  if (isTheirs && problems.length === 0) {
    problems.push(...repositoryProblems(tree, yaml.locate), ...pathProblems(tree, folderOfFile(file), yaml.locate));
  }
  if (problems.length > 0) throw problemsError("config", problems, name);
  return { tree, yaml };
}

/** Throws if a key cannot have this value. */
export function checkValue(path: readonly string[], value: unknown): void {
  const tree = path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as Tree;
  const problems = configProblems(tree, { nameOf: writtenKey, locate: () => undefined });
  if (problems.length > 0) throw problemsError("usage", problems);
}

function environmentLayer({ env }: ConfigRequest, place: Places, harnesses: readonly string[]): Layer {
  const { tree, variables, problems } = readEnvironment(env, harnesses);
  const variableFor = (path: KeyPath) =>
    variables.find((entry) => entry.path.every((step, index) => step === path[index]));
  const nameOf = (path: KeyPath): string => {
    const entry = variableFor(path);
    return entry === undefined ? writtenKey(path) : entry.variable + writtenKey(path.slice(entry.path.length));
  };
  const all = [...problems, ...configProblems(tree, { nameOf, locate: () => undefined })];
  if (all.length > 0) throw problemsError("config", all);
  return {
    tree: rebasePaths(tree, place.cwd, place.workspace),
    origin: (path) => {
      const variable =
        variableFor(path)?.variable ?? variables.find(({ path: [first] }) => first === path[0])?.variable;
      return { kind: "environment", text: `environment ${variable}`, variable: variable ?? "" };
    },
  };
}

function flagLayer({ flags = {}, flagNames = {} }: ConfigRequest, place: Places): Layer {
  const tree = mapValues(rootFields, flags, (value, kind) =>
    typeof value === "string" ? valueFromText(value, kind) : value,
  );
  const nameOf: Speech["nameOf"] = (path) =>
    flagNames[path.filter((step) => typeof step === "string").join(".")] ?? writtenKey(path);
  const problems = configProblems(tree, { nameOf, locate: () => undefined });
  if (problems.length > 0) throw problemsError("usage", problems);
  return {
    tree: rebasePaths(tree, place.cwd, place.workspace),
    origin: (path) => ({ kind: "flag", text: `flag ${nameOf(path)}` }),
  };
}

/** A list or a word at the top is not a tree; it goes on to the check, which says so. */
const withoutEmpty = (data: unknown): Tree =>
  isMapping(data) ? mapValues(rootFields, data, (value) => value) : (data as Tree);

/** Harness names that the user wrote anywhere. */
function namesIn(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ tree: { harness, harnesses } }) => [
    ...(isMapping(harnesses) ? Object.keys(harnesses) : []),
    ...[harness].flat().filter((name) => typeof name === "string"),
  ]);
}

const originOf = (layers: readonly Layer[], path: readonly string[]): Origin =>
  layers.findLast(({ tree }) => valueAt(tree, path) !== undefined)?.origin(path) ?? DEFAULT;

export function unknownKey(key: string): RalphError {
  const meant = closestMatch(
    key,
    configKeys().map(({ path }) => path.join(".")),
  );
  return new RalphError("usage", `Unknown configuration key \`${key}\``, {
    hint: meant === undefined ? "List them with `ralphctl config get`" : `Write \`${meant}\``,
  });
}

/** The path as the user would write it. */
function shortName(file: string, cwd: string): string {
  const inside = relative(cwd, file);
  return inside === ".." || inside.startsWith(`..${sep}`) ? file : inside;
}

/** The folder that relative paths of a configuration file start from: its own, or the one that holds `.ralph/` (cfg-R1). */
export function folderOfFile(file: string): string {
  const folder = dirname(file);
  return basename(folder) === ".ralph" ? dirname(folder) : folder;
}

/**
 * A path below a folder as seen from there, with forward slashes; any other as it is, absolute.
 * `undefined` for the folder: always absolute.
 */
export function pathFrom(folder: string | undefined, path: string): string {
  if (folder === undefined) return path;
  const inside = relative(folder, path);
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return path;
  return inside === "" ? "." : inside.replaceAll(sep, "/");
}

/** Makes what was written relative to `base` mean the same from the workspace. */
export function rebasePaths(tree: Tree, base: string, workspace: string | undefined): Tree {
  const rebase = (path: string): string => pathFrom(workspace, resolve(base, path));
  return mapValues(rootFields, tree, (value, kind) => rebased(value, kind, rebase));
}

function rebased(value: unknown, kind: Kind, rebase: (path: string) => string): unknown {
  if (kind.holds === undefined) return value;
  if (Array.isArray(value)) return value.map((entry: unknown) => rebased(entry, kind, rebase));
  if (isMapping(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, rebased(entry, kind, rebase)]));
  }
  if (typeof value !== "string" || kind.words?.includes(value) === true) return value;
  if (kind.holds === "paths") return rebase(value);
  if (!value.includes("/")) return value;
  const program = rebase(value);
  // Without a slash it would be looked for on the PATH.
  return program.includes("/") ? program : `./${program}`;
}

/** A list of hooks from another file than the configuration, by the same rules; paths in `speech` begin in that list. */
export function readHookList(data: unknown, speech: Speech): Config["hooks"] | { readonly problems: TextProblem[] } {
  const tree = { hooks: data };
  const inside = (path: KeyPath): KeyPath => path.slice(1);
  const problems = configProblems(tree, {
    nameOf: (path) => speech.nameOf(inside(path)),
    locate: (path, part) => speech.locate(inside(path), part),
  });
  return problems.length > 0 ? { problems } : freeze(configSchema.parse(tree).hooks);
}

/** What is wrong with a tree of the configuration, in plain sentences; empty when nothing is. */
const configProblems = (tree: unknown, speech: Speech): TextProblem[] =>
  findProblems(configSchema, tree, {
    ...speech,
    whole: "The configuration",
    hints: {
      value: (rule, value) =>
        rule.includes("text") && ["number", "boolean"].includes(typeof value)
          ? "Put quotes around it"
          : "Correct the value; `ralphctl config schema` describes every key",
      key: () => "Remove it; `ralphctl config schema` lists every key",
    },
    // A key of that very name in another group: `cost` at the top was meant as `limits.cost`.
    meantAs: (name) =>
      configKeys()
        .find(({ path, variable }) => path.at(-1) === name && variable !== undefined)
        ?.path.join("."),
  });
