import { isScalar, isSeq, type ParsedNode, type YAMLMap, type YAMLSeq } from "yaml";
import { positionAt } from "../domain/position.ts";
import { PlanError } from "./entry.ts";
import { lineEnd, applyEdits, type TextEdit } from "./text-edit.ts";
import { sprintProgress } from "./sprint-progress.ts";
import { isYamlMap, pairOf, parseYaml } from "./yaml-document.ts";

/** A step to be written into `PROGRESS.yaml`. */
export interface NewStep {
  readonly id: string;
  readonly prompt: string;
  readonly addedAt: string;
  /** Undefined outside a run. */
  readonly addedInIteration: number | undefined;
}

const LIST = "dynamic-steps";

/**
 * The text with these steps at the end of `dynamic-steps` and every other character as it was (D-11). Throws
 * `PlanError`, having changed nothing, when reading the result back does not show exactly the old entries and the new.
 */
export function appendSteps(text: string, steps: readonly NewStep[]): string {
  if (steps.length === 0) return text;
  const before = sprintProgress.read(text).entries;
  const root = parseYaml(text)?.contents ?? null;
  const result = applyEdits(text, [isYamlMap(root) ? intoMap(text, root, steps) : intoEmpty(text, root, steps)]);
  const after = sprintProgress.read(result).entries;
  const ids = new Set(steps.map(({ id }) => id));
  const isOld = after.filter(({ id }) => id === undefined || !ids.has(id));
  const isRight =
    after.length === before.length + steps.length &&
    isOld.length === before.length &&
    isOld.every(({ title, status }, at) => title === before[at]!.title && status === before[at]!.status);
  if (isRight) return result;
  throw new PlanError({ line: 1, column: 1 }, `Cannot add a step to \`${LIST}\` as it is written`, HINT);
}

const HINT = "Write the steps as a list with a dash before each";

function intoEmpty(text: string, root: ParsedNode | null, steps: readonly NewStep[]): TextEdit {
  if (root !== null && !(isScalar(root) && root.value === null)) {
    throw new PlanError(positionAt(text, root.range[0]), "The file is not a map", HINT);
  }
  return atEnd(text, steps);
}

/** As a new key behind everything. */
const atEnd = (text: string, steps: readonly NewStep[]): TextEdit => {
  const newline = newlineOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return {
    start: text.length,
    end: text.length,
    text: `${gap}${LIST}:${newline}${block(steps, "  ", newline)}${newline}`,
  };
};

function intoMap(text: string, root: YAMLMap.Parsed, steps: readonly NewStep[]): TextEdit {
  const pair = pairOf(text, root, LIST);
  const { value } = pair ?? {};
  if (root.flow && (!isSeq(value) || !value.flow)) {
    throw new PlanError(positionAt(text, root.range[0]), `The braces have no \`${LIST}\``, HINT);
  }
  if (pair === undefined) return atEnd(text, steps);
  if (isSeq(value) && value.items.length > 0) return intoList(text, value, steps);
  const newline = newlineOf(text);
  // Behind its colon, in place of `[]`, `~` or nothing.
  const colon = text.indexOf(":", pair.key.range[1]) + 1;
  if (root.flow && isSeq(value)) return { start: value.range[0] + 1, end: value.range[0] + 1, text: flow(steps) };
  const end = value && value.range[1] > value.range[0] ? value.range[1] : colon;
  const start = value && value.range[1] > value.range[0] ? colon : end;
  const rest = text.slice(end, lineEnd(text, end));
  const indent = " ".repeat(column(text, pair.key.range[0]) + 2);
  // A comment behind the key stays on its line.
  return { start, end: end + rest.length, text: `${rest}${newline}${block(steps, indent, newline)}` };
}

function intoList(text: string, list: YAMLSeq.Parsed, steps: readonly NewStep[]): TextEdit {
  const last = list.items.at(-1)!;
  if (list.flow) return { start: last.range[1], end: last.range[1], text: `, ${flow(steps)}` };
  const newline = newlineOf(text);
  const content = text.slice(0, last.range[1]).trimEnd().length;
  const end = lineEnd(text, content);
  const indent = " ".repeat(column(text, list.range[0]));
  return { start: end, end, text: `${newline}${block(steps, indent, newline)}` };
}

const block = (steps: readonly NewStep[], indent: string, newline: string): string =>
  steps
    .map((step) => {
      const [first, ...rest] = pairsOf(step).map(([key, value]) => `${key}: ${value}`);
      return [`${indent}- ${first}`, ...rest.map((line) => `${indent}  ${line}`)].join(newline);
    })
    .join(newline);

const flow = (steps: readonly NewStep[]): string =>
  steps
    .map(
      (step) =>
        `{${pairsOf(step)
          .map(([key, value]) => `"${key}": ${quoted(value)}`)
          .join(", ")}}`,
    )
    .join(", ");

const quoted = (value: string): string => (/^(?:"|\d)/.test(value) ? value : JSON.stringify(value));

// A text in double quotes of JSON is one of YAML, too.
const pairsOf = ({ id, prompt, addedAt, addedInIteration }: NewStep): (readonly [string, string])[] => [
  ["id", id],
  ["prompt", JSON.stringify(prompt)],
  ["status", "pending"],
  ["added-at", JSON.stringify(addedAt)],
  ...(addedInIteration === undefined ? [] : [["added-in-iteration", String(addedInIteration)] as const]),
];

const newlineOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

const column = (text: string, at: number): number => {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return at - start - (start === 0 && text.startsWith("\uFEFF") ? 1 : 0);
};
