import { isScalar, isSeq, type ParsedNode, type YAMLMap } from "yaml";
import { positionAt } from "../domain/position.ts";
import { PlanError, type PlanMark } from "./entry.ts";
import { type Draft, toReading } from "./keys.ts";
import { type Marking, type Parsed, writeMarks } from "./marking.ts";
import type { PlanFormat } from "./plan.ts";
import { lineCounter } from "./text-edit.ts";
import { isSameBut, STEP_KEYS, stepEdits } from "./step-edits.ts";
import { hasAnchor, isYamlMap, pairOf, parseYaml, wordsOf } from "./yaml-document.ts";

/**
 * A sprint's `PROGRESS.yaml` (S003-04, D-11): `dynamic-steps` in their order without edges, and `phases`, each after
 * the one before; a phase may hold `steps` and a step `phases`, in sequence too, unless they name what they need
 * (`depends-on`). `status` is `pending` or `completed`;
 * `in-progress`, `blocked` and `skipped` are read. `ralph-status: failed|parked|dropped` beside it is ours.
 */
export const sprintProgress: PlanFormat = {
  name: "PROGRESS.yaml",
  matches: (fileName) => /(?:^|[\\/])PROGRESS\.ya?ml$/i.test(fileName),
  read: (text) => parse(text).reading,
  write: (text, marks) => writeMarks(text, marks, MARKING),
};

const STATUS: Readonly<Record<string, PlanMark>> = {
  pending: "open",
  blocked: "open",
  "in-progress": "started",
  completed: "done",
  skipped: "dropped",
};

interface Step {
  readonly map: YAMLMap.Parsed;
  readonly draft: Draft;
  /** What `status` alone says. */
  readonly status: PlanMark;
  /** An anchor on it or around it: a change here would be a change elsewhere too. */
  readonly isShared: boolean;
}

interface Progress extends Parsed {
  readonly root: ParsedNode | null;
  readonly steps: readonly Step[];
}

interface Scan {
  readonly text: string;
  readonly lineOf: (offset: number) => number;
  readonly steps: Step[];
}

const MARKING: Marking<Progress> = {
  parse,
  shown: (change) =>
    change === "failed" || change === "parked" ? { status: "open", aside: change } : { status: change },
  edits: ({ text, steps }, wanted) =>
    wanted.flatMap(({ index, change }) => {
      const { map, status, isShared, draft } = steps[index]!;
      if (!isShared) return stepEdits(text, { map, status }, change);
      const problem = `"${draft.title.slice(0, 80)}" is shared by an anchor: marking it would mark its copies`;
      throw new PlanError({ line: draft.line, column: 1 }, problem, "Write the step out instead of sharing it");
    }),
  isOtherwiseSame: (before, after, wanted) =>
    isSameBut(before.root, after.root, {
      marked: new Set(wanted.map(({ index }) => before.steps[index]!.map)),
      keys: STEP_KEYS,
    }),
};

function parse(text: string): Progress {
  const root = parseYaml(text)?.contents ?? null;
  const scan: Scan = { text, lineOf: lineCounter(text), steps: [] };
  if (isYamlMap(root)) {
    readLists(scan, root, { names: ["dynamic-steps", "phases"], isShared: hasAnchor(root) });
  } else if (!isEmpty(root)) {
    throw fault(text, root, "The file is not a map with `dynamic-steps` or `phases`");
  }
  return { text, root, steps: scan.steps, reading: toReading(scan.steps.map(({ draft }) => draft)) };
}

const isEmpty = (node: ParsedNode | null | undefined): boolean => !node || (isScalar(node) && node.value === null);

interface Lists {
  readonly names: readonly string[];
  readonly parent?: number;
  readonly isShared: boolean;
}

/** The lists of a map, in the order of the file. */
function readLists(scan: Scan, map: YAMLMap.Parsed, { names, parent, isShared }: Lists): void {
  const lists = names
    .map((name) => ({ name, value: pairOf(scan.text, map, name)?.value }))
    .filter(({ value }) => !isEmpty(value))
    .sort((a, b) => a.value!.range[0] - b.value!.range[0]);
  for (const { name, value } of lists) {
    if (!isSeq(value)) throw fault(scan.text, value!, `\`${name}\` is not a list`);
    // Where one names its prerequisites, only these come first.
    const isSequence = name !== "dynamic-steps" && !value.items.some((item) => hasNeeds(scan.text, item));
    let before: number | undefined;
    for (const item of value.items) {
      const index = readStep(scan, item, { parent, before, isShared: isShared || hasAnchor(value) });
      before = isSequence ? index : undefined;
    }
  }
}

const hasNeeds = (text: string, item: ParsedNode): boolean =>
  isYamlMap(item) && pairOf(text, item, "depends-on") !== undefined;

/** Ids of steps that come first. */
function needsOf(text: string, step: YAMLMap.Parsed): string[] {
  const value = pairOf(text, step, "depends-on")?.value;
  if (isEmpty(value)) return [];
  const nodes: readonly ParsedNode[] = isSeq(value) ? value.items : [value!];
  return nodes.map((node) => {
    const id = wordsOf(node)?.trim();
    if (id === undefined || id === "") throw fault(text, node, "`depends-on` is not a list of ids");
    return id;
  });
}

interface Place {
  readonly parent: number | undefined;
  readonly before: number | undefined;
  readonly isShared: boolean;
}

function readStep(scan: Scan, node: ParsedNode, { parent, before, isShared }: Place): number {
  if (!isYamlMap(node)) throw fault(scan.text, node, "A step is not a map with `id`, `prompt` and `status`");
  const words = (name: string): string | undefined => {
    const value = pairOf(scan.text, node, name)?.value;
    const text = wordsOf(value)?.trim();
    if (text === undefined && !isEmpty(value)) throw fault(scan.text, value!, `\`${name}\` is not text`);
    return text;
  };
  const prompt = words("prompt") ?? "";
  const id = words("id") || undefined;
  const title = prompt.split(/[\r\n]/, 1)[0]!.trim() || id;
  if (title === undefined) throw fault(scan.text, node, "A step has neither `prompt` nor `id`");
  const value = pairOf(scan.text, node, "status")?.value;
  const status = statusOf(words("status"));
  if (status === undefined) throw fault(scan.text, value!, "`status` is neither `pending` nor `completed`");
  const aside = words("ralph-status");
  const draft: Draft = {
    kind: "task",
    id,
    title,
    description: /[\r\n]/.test(prompt) ? prompt : "",
    status: status === "open" && aside === "dropped" ? "dropped" : status,
    aside: aside === "failed" || aside === "parked" ? aside : undefined,
    parent,
    after: before === undefined ? [] : [before],
    needs: needsOf(scan.text, node),
    line: scan.lineOf(node.range[0]),
    mark: value && value.range[1] > value.range[0] ? { start: value.range[0], end: value.range[1] } : undefined,
  };
  const index = scan.steps.length;
  const shared = isShared || hasAnchor(node) || (value !== undefined && value !== null && hasAnchor(value));
  scan.steps.push({ map: node, draft, status, isShared: shared });
  readLists(scan, node, { names: ["steps", "phases"], parent: index, isShared: shared });
  return index;
}

/** Undefined for a word that means nothing. */
const statusOf = (word: string | undefined): PlanMark | undefined =>
  word === undefined || word === "" ? "open" : Object.hasOwn(STATUS, word) ? STATUS[word] : undefined;

function fault(text: string, node: ParsedNode | null, problem: string): PlanError {
  const hint = "Write steps as { id, prompt, status: pending }";
  return new PlanError(positionAt(text, node?.range[0] ?? 0), problem, hint);
}
