import { isScalar, type YAMLMap } from "yaml";
import { positionAt } from "../domain/position.ts";
import { PlanError } from "./entry.ts";
import { applyEdits } from "./text-edit.ts";
import { insertPair, isSameBut, removePair, setValue } from "./step-edits.ts";
import { hasAnchor, isYamlMap, pairOf, parseYaml } from "./yaml-document.ts";

/** The status of the whole sprint in `PROGRESS.yaml`, as written there; undefined: none. */
export interface GoalMark {
  readonly status: string | undefined;
  readonly summary: string | undefined;
}

/** The goal is achieved. A text in double quotes of JSON is one of YAML, too. */
export const achievedMark = (summary: string | undefined): GoalMark => ({
  status: "completed",
  summary: summary === undefined ? undefined : JSON.stringify(summary),
});

export const isAchieved = ({ status }: GoalMark): boolean => /^(["']?)completed\1$/.test(status ?? "");

/** Throws `PlanError` if the file is not a map, or if one of the keys is not a string. */
export function readGoalMark(text: string): GoalMark {
  const map = mapOf(text);
  return { status: writtenAt(text, map, "status"), summary: writtenAt(text, map, "summary") };
}

/**
 * The text with the two keys set and every other character as it was (S003-04). Throws `PlanError`, having
 * changed nothing, when reading the result back shows any other difference.
 */
export function writeGoalMark(text: string, mark: GoalMark): string {
  const result = setKey(setKey(text, "status", mark.status), "summary", mark.summary);
  const [before, after] = [mapOf(text), mapOf(result)];
  const isRight = isSameBut(before, after, { marked: new Set([before]), keys: KEYS });
  if (isRight) return result;
  throw new PlanError({ line: 1, column: 1 }, "Cannot write the sprint's `status` into this file", HINT);
}

const KEYS = new Set<unknown>(["status", "summary"]);
const HINT = "Write it as a line of its own: `status: pending`";

function mapOf(text: string): YAMLMap.Parsed {
  const root = parseYaml(text)?.contents;
  if (isYamlMap(root) && root.items.length > 0) return root;
  throw new PlanError(positionAt(text, root?.range[0] ?? 0), "The file is not a map with `goal`", HINT);
}

function writtenAt(text: string, map: YAMLMap.Parsed, name: string): string | undefined {
  const value = pairOf(text, map, name)?.value;
  if (!value || value.range[0] === value.range[1]) return undefined;
  if (!isScalar(value) || hasAnchor(value)) {
    throw new PlanError(positionAt(text, value.range[0]), `\`${name}\` is not text`, HINT);
  }
  return text.slice(value.range[0], value.range[1]).trimEnd();
}

function setKey(text: string, name: string, written: string | undefined): string {
  const map = mapOf(text);
  const pair = pairOf(text, map, name);
  if (writtenAt(text, map, name) === written) return text;
  if (written === undefined) return pair === undefined ? text : applyEdits(text, [removePair(text, map, pair)]);
  return applyEdits(text, [
    pair === undefined ? insertPair(text, map, [name, written]) : setValue(text, pair, { written }),
  ]);
}
