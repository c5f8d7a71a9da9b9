import type { MarkChange, PlanMark, PlanNotice, PlanReading } from "./entry.ts";
import { titledOf, trailingNeeds, type Titled, withoutNeeds } from "./entry-id.ts";
import { type Draft, toReading } from "./keys.ts";
import { type Outline, type MarkdownNode, outlineOf } from "./markdown.ts";
import { acceptanceIn, fieldsOf, neededIn, textOf } from "./markdown-fields.ts";
import { type Marking, type Parsed, writeMarks } from "./marking.ts";
import type { TextEdit } from "./text-edit.ts";
import { isWaveTask, remark, waveNeeds, waveTaskDraft, waveTitle } from "./waves.ts";

export interface MarkdownRules {
  /** Whether `1.2 add it` has an id even before a lower-case word. */
  readonly isNumbered: boolean;
  /** Whether headings with a `Status` field are tasks, and `Wave` headings come one after the other. */
  readonly hasWaves: boolean;
}

const MARKS: Readonly<Record<string, PlanMark>> = {
  " ": "open",
  "!": "open",
  "?": "open",
  x: "done",
  X: "done",
  ">": "started",
  "~": "started",
  "/": "started",
  "-": "dropped",
};

/**
 * The check boxes of a Markdown text, below the headings that hold them. A box follows a list mark (`-`, `*`, `+`, `1.`,
 * `1)`) and has a title behind it. What the entry says besides:
 *
 * | in the file | read as |
 * | --- | --- |
 * | `[ ]` `[!]` `[?]` · `[x]` `[X]` · `[>]` `[~]` `[/]` · `[-]` | open · done · started · dropped; written are ` `, `x`, `-` |
 * | ids | see `entry-id.ts` |
 * | `Title (needs: 1.1, T012)`; also `depends on`, `blocked by` | needs, when every word is an id of the file |
 * | `- Needs: …`, `- Depends on: …`, `- Dependencies: …`, `- Blocked by: …` inside it | needs |
 * | `- Acceptance: …`, `- Acceptance criteria:`, `- Done when:` inside it, with bullets below | acceptance |
 * | all other text inside it | description |
 */
export function readCheckboxes(text: string, rules: MarkdownRules): PlanReading {
  const outline = outlineFor(text, rules);
  const kept = keptNodes(outline.nodes, rules);
  const titles = new Map(kept.map((node) => [node, nodeTitle(node, rules)]));
  const ids = new Set(Array.from(titles.values(), ({ id }) => id).filter((id) => id !== undefined));
  const indexOf = new Map(kept.map((node, index) => [node, index]));
  const notices: PlanNotice[] = [...outline.notices];
  const after = rules.hasWaves ? waveNeeds(outline.nodes, indexOf, notices) : new Map<MarkdownNode, number[]>();
  const drafts = kept.map((node): Draft => {
    const parent = node.parent === undefined ? undefined : indexOf.get(outline.nodes[node.parent]!);
    const titled = titles.get(node)!;
    if (node.kind === "item") return itemDraft(node, { titled, ids, parent });
    if (rules.hasWaves && isWaveTask(node)) return waveTaskDraft(node, titled, parent);
    return groupDraft(node, parent, after.get(node) ?? []);
  });
  return toReading(drafts, notices);
}

function nodeTitle(node: MarkdownNode, rules: MarkdownRules): Titled {
  if (node.kind === "item") return titledOf(node.text, rules);
  return rules.hasWaves && isWaveTask(node) ? waveTitle(node.text) : { title: node.text, fullTitle: node.text };
}

/** Writes check boxes and the `Status` fields of waves; nothing else of the text changes. */
export function writeCheckboxes(text: string, marks: ReadonlyMap<string, MarkChange>, rules: MarkdownRules): string {
  return writeMarks(text, marks, { ...MARKING, parse: (text) => ({ text, reading: readCheckboxes(text, rules) }) });
}

const MARKING: Omit<Marking<Parsed>, "parse"> = {
  shown: (change) => ({ status: change === "done" || change === "dropped" ? change : "open" }),
  edits: ({ text }, wanted) =>
    wanted.map(({ entry: { mark }, change }): TextEdit => {
      const { start, end } = mark!;
      return { start, end, text: remark(text.slice(start, end), change) };
    }),
};

/** Inside a task with a `Status` field, check boxes are its steps: a second look leaves them in its text. */
function outlineFor(text: string, { hasWaves }: MarkdownRules): Outline {
  const outline = outlineOf(text);
  if (!hasWaves) return outline;
  const opaque = outline.nodes.filter((node) => isWaveTask(node)).map((node) => node.line);
  return opaque.length === 0 ? outline : outlineOf(text, new Set(opaque));
}

/** Drops headings without entries. Parents come before their entries, so one pass from the end is enough. */
function keptNodes(nodes: readonly MarkdownNode[], { hasWaves }: MarkdownRules): MarkdownNode[] {
  const isKept = nodes.map((node) => node.kind === "item" || (hasWaves && isWaveTask(node)));
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const { parent } = nodes[index]!;
    if (isKept[index] && parent !== undefined) isKept[parent] = true;
  }
  return nodes.filter((_, index) => isKept[index]);
}

interface ItemContext {
  readonly titled: Titled;
  /** All ids of the file: other words in `(needs: …)` are prose. */
  readonly ids: ReadonlySet<string>;
  readonly parent: number | undefined;
}

function itemDraft(node: MarkdownNode, { titled, ids, parent }: ItemContext): Draft {
  const { char, offset } = node.box!;
  const inTitle = trailingNeeds(titled.title);
  const isList = inTitle.length > 0 && inTitle.every((id) => ids.has(id));
  const shorten = isList ? withoutNeeds : (title: string) => title;
  return {
    kind: "task",
    id: titled.id,
    title: shorten(titled.title),
    fullTitle: shorten(titled.fullTitle),
    description: textOf(node.body),
    acceptance: acceptanceIn(node.body),
    status: MARKS[char]!,
    parent,
    needs: [...(isList ? inTitle : []), ...neededIn(fieldsOf(node.body))],
    line: node.line,
    mark: { start: offset, end: offset + 1 },
  };
}

const groupDraft = (node: MarkdownNode, parent: number | undefined, after: readonly number[]): Draft => ({
  kind: "group",
  title: node.text,
  description: textOf(node.body),
  status: "open",
  parent,
  after,
  line: node.line,
});
