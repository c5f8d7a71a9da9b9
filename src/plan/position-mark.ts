import { isScalar, type YAMLMap } from "yaml";
import { groupBy } from "../domain/group.ts";
import { isAchieved, readGoalMark, writeGoalMark } from "./goal-mark.ts";
import { PlanError, type PlanEntry } from "./entry.ts";
import { sprintProgress } from "./sprint-progress.ts";
import { setValue } from "./step-edits.ts";
import { applyEdits, type TextEdit } from "./text-edit.ts";
import { isYamlMap, pairOf, parseYaml } from "./yaml-document.ts";

/**
 * The text with `status` and `current` of a sprint with phases as its marks say it; every other character stays. A text
 * that cannot be read stays as it is.
 */
export function writePosition(text: string): string {
  try {
    const { entries } = sprintProgress.read(text);
    const phases = { entries, within: groupBy(entries, ({ parentKey }) => parentKey) };
    return entries.length === 0 ? text : withCurrent(withStatus(text, phases), phases);
  } catch (error) {
    if (error instanceof PlanError) return text;
    throw error;
  }
}

/** The same for a file of which only the text is known: one with steps that agents plan has a goal, which others mark. */
export function writeOwnPosition(text: string): string {
  const root = parseYaml(text)?.contents;
  const isListed = isYamlMap(root) && root.has("phases") && !root.has("dynamic-steps") && !root.has("mode");
  return isListed ? writePosition(text) : text;
}

interface Phases {
  readonly entries: readonly PlanEntry[];
  /** By the key of what holds them. */
  readonly within: ReadonlyMap<string | undefined, readonly PlanEntry[]>;
}

function withStatus(text: string, { entries, within }: Phases): string {
  const mark = readGoalMark(text);
  const leaves = entries.filter(({ key }) => !within.has(key));
  const isDone = leaves.every(isSettled);
  if (isDone === isAchieved(mark)) {
    const hasBegun = leaves.some(isSettled);
    const isWaiting = /^(["']?)not-started\1$/.test(mark.status ?? "");
    return isWaiting && hasBegun ? writeGoalMark(text, { ...mark, status: "in-progress" }) : text;
  }
  return writeGoalMark(text, { ...mark, status: isDone ? "completed" : "in-progress" });
}

const isSettled = ({ status }: PlanEntry): boolean => status === "done" || status === "dropped";

/** The numbers of the phase, its step and the step's phase that come next, as far as the file has keys for them. */
function withCurrent(text: string, phases: Phases): string {
  const root = parseYaml(text)?.contents;
  const current = isYamlMap(root) ? pairOf(text, root, "current")?.value : undefined;
  if (!isYamlMap(current)) return text;
  const path = nextIn(phases);
  const edits = ["phase", "step", "sub-phase"].flatMap((name, depth) => editOf(text, current, [name, path[depth]]));
  return applyEdits(text, edits);
}

function editOf(text: string, map: YAMLMap.Parsed, [name, number]: readonly [string, number | undefined]): TextEdit[] {
  const pair = pairOf(text, map, name);
  if (pair === undefined || (pair.value && !isScalar(pair.value))) return [];
  const written = String(number ?? null);
  const before = pair.value ? text.slice(pair.value.range[0], pair.value.range[1]).trim() : "";
  return before === written ? [] : [setValue(text, pair, { written })];
}

/** From the outside in. Past the last phase when all are done. */
function nextIn({ within }: Phases): number[] {
  const top = within.get(undefined) ?? [];
  const index = top.findIndex((entry) => !isWhole(within, entry));
  if (index === -1) return [top.length];
  const path = [index];
  for (let inside = within.get(top[index]!.key); inside !== undefined;) {
    const next = inside.findIndex((entry) => !isWhole(within, entry));
    path.push(next);
    inside = within.get(inside[next]!.key);
  }
  return path;
}

/** A phase with steps is done when each of them is. */
function isWhole(within: Phases["within"], entry: PlanEntry): boolean {
  return within.get(entry.key)?.every((each) => isWhole(within, each)) ?? isSettled(entry);
}
