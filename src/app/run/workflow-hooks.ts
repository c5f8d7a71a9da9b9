import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { type HookConfig, readHooks } from "../../config/config.ts";
import { type KeyPath, type TextProblem, problemsError, writtenKey } from "../../domain/data-problem.ts";
import type { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";
import type { HooksInFile } from "../../scope/scope.ts";
import { idOf, type WrittenHook } from "./run-hooks.ts";

const KEY = "per-iteration-hooks";

/**
 * S003-03: the hooks of a workflow, read as those of the configuration. SPRINT.yaml may change them by id
 * (`{learning: {enabled: true}}`). Errors name file, line, key and rule.
 */
export async function workflowHooks(workflow?: HooksInFile, sprint?: HooksInFile): Promise<WrittenHook[]> {
  const own = workflow === undefined ? [] : await readIn(workflow, workflow.value ?? [], (path) => path);
  const changes = sprint === undefined ? {} : changesIn(sprint, own.map(idOf));
  if (workflow === undefined) return [];
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

async function readIn(place: HooksInFile, list: unknown, pathOf: (path: KeyPath) => KeyPath) {
  const hooks = await readHooks(list, {
    nameOf: (path) => writtenKey([KEY, ...pathOf(path)]),
    locate: (path, part) => place.locate([KEY, ...pathOf(path)], part),
  });
  if ("problems" in hooks) throw problemsError("data", hooks.problems, place.file);
  return hooks;
}

/** The changes that the sprint makes to hooks, each of which the workflow must have. */
function changesIn(sprint: HooksInFile, ids: readonly string[]): Readonly<Record<string, Mapping>> {
  const { value = {}, file, locate } = sprint;
  const problem = (path: KeyPath, rule: string, hint: string): TextProblem => ({
    sentence: `${writtenKey(path)} ${rule}`,
    hint,
    position: locate(path, "key"),
  });
  const example = "Write `learning: { enabled: true }`";
  const refuse = (...problems: TextProblem[]): RalphError => problemsError("data", problems, file);
  if (!isMapping(value)) throw refuse(problem([KEY], "must be a mapping of ids to keys and values", example));
  const problems = Object.entries(value).flatMap(([id, change]) => {
    if (!ids.includes(id)) return problem([KEY, id], "is not a hook of the workflow", hookHint(id, ids));
    return isMapping(change) ? [] : problem([KEY, id], "must be a mapping of keys to values", example);
  });
  if (problems.length > 0) throw refuse(...problems);
  // Each of them has just been found to be one.
  return value as Readonly<Record<string, Mapping>>;
}

function hookHint(id: string, ids: readonly string[]): string {
  const meant = closestMatch(id, [...ids]);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return ids.length === 0 ? "Remove it: the workflow has no hooks" : `Choose one of: ${ids.join(", ")}`;
}

const placeIn = ({ file, locate }: HooksInFile, path: KeyPath): string =>
  `file ${file} line ${locate(path, "key").line}`;
