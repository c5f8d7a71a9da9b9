import { type HookConfig, readHooks } from "../../config/config.ts";
import { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";
import type { Position } from "../../domain/position.ts";
import type { KeyPath, TextProblem } from "../../system/yaml-text.ts";
import type { WrittenHook } from "./run-hooks.ts";

/** The value of `per-iteration-hooks` in a file, and where its parts are. */
export interface HooksInFile {
  readonly value: unknown;
  /** As the user would write it. */
  readonly file: string;
  /** As `readYaml` gives it, from the top of the file. */
  readonly locate: (path: KeyPath, part: "key" | "value") => Position;
}

const KEY = "per-iteration-hooks";

/**
 * S003-03: the hooks of a workflow as those of the configuration are, for `prepareHooks`. What SPRINT.yaml says of them,
 * by id (`{learning: {enabled: true}}`), is laid over them. Errors name file, line, key and rule.
 */
export async function workflowHooks(workflow: HooksInFile, sprint?: HooksInFile): Promise<WrittenHook[]> {
  const own = await readIn(workflow, workflow.value ?? [], (path) => path);
  const changes = sprint === undefined ? {} : changesIn(sprint, own.map(idOf));
  const changeOf = (index: number): Mapping => changes[idOf(own[index]!)] ?? {};
  const placeOf = (index: number, name: string): string =>
    sprint !== undefined && Object.hasOwn(changeOf(index), name)
      ? placeIn(sprint, [KEY, idOf(own[index]!), name])
      : placeIn(workflow, [KEY, index, name]);
  const withPlace = (hook: HookConfig, index: number): WrittenHook => ({
    ...hook,
    key: `${KEY}[${index}]`,
    placeOf: (name) => placeOf(index, name),
  });
  if (sprint === undefined) return own.map(withPlace);
  // It has just been read as a list of mappings.
  const list = (workflow.value ?? []) as readonly Mapping[];
  const changed = (hook: Mapping, index: number): Mapping => ({ ...hook, ...changeOf(index) });
  const inSprint = ([index, ...rest]: KeyPath): KeyPath => [idOf(own[Number(index)]!), ...rest];
  return (await readIn(sprint, list.map(changed), inSprint)).map(withPlace);
}

type Mapping = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const idOf = ({ id, use }: { readonly id: string | null; readonly use: string | null }): string => id ?? use ?? "";

async function readIn(place: HooksInFile, list: unknown, pathOf: (path: KeyPath) => KeyPath) {
  const hooks = await readHooks(list, {
    nameOf: (path) => written([KEY, ...pathOf(path)]),
    locate: (path, part) => place.locate([KEY, ...pathOf(path)], part),
  });
  if ("problems" in hooks) throw asError(place, hooks.problems[0]!);
  return hooks;
}

/** What the sprint says of hooks, each of which the workflow must have. */
function changesIn(sprint: HooksInFile, ids: readonly string[]): Readonly<Record<string, Mapping>> {
  const { value = {} } = sprint;
  const refuse = (path: KeyPath, sentence: string, hint: string): RalphError =>
    asError(sprint, { sentence: `${written(path)} ${sentence}`, hint, position: sprint.locate(path, "key") });
  const example = "Write `learning: { enabled: true }`";
  if (!isMapping(value)) throw refuse([KEY], "must be a mapping of ids to keys and values", example);
  for (const [id, change] of Object.entries(value)) {
    if (!ids.includes(id)) {
      const meant = closestMatch(id, [...ids]);
      const hint = meant === undefined ? `Choose one of: ${ids.join(", ")}` : `Did you mean ${meant}?`;
      throw refuse([KEY, id], "is no hook of the workflow", hint);
    }
    if (!isMapping(change)) throw refuse([KEY, id], "must be a mapping of keys to values", example);
  }
  // Each of them has just been found to be one.
  return value as Readonly<Record<string, Mapping>>;
}

const written = (path: KeyPath): string =>
  path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");

const asError = ({ file }: HooksInFile, { sentence, hint, position }: TextProblem): RalphError => {
  const at = position === undefined ? "" : `, line ${position.line}, column ${position.column}`;
  return new RalphError("data", `${sentence} (${file}${at})`, { hint });
};

const placeIn = ({ file, locate }: HooksInFile, path: KeyPath): string =>
  `file ${file} line ${locate(path, "key").line}`;
