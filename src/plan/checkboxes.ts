import { backlogTask } from "./backlog-task.ts";
import type { PlanMark, PlanNotice, PlanReading } from "./entry.ts";
import { titledOf, trailingNeeds, type Titled, withoutNeeds } from "./entry-id.ts";
import { type Draft, toReading } from "./keys.ts";
import { type Outline, type MarkdownNode, outlineOf } from "./markdown.ts";
import { acceptanceIn, fieldsOf, neededIn, textOf } from "./markdown-fields.ts";
import { type Marking, type Parsed, writeMarks } from "./marking.ts";
import type { PlanFormat } from "./plan.ts";
import type { TextEdit } from "./text-edit.ts";
import { isWaveTask, remark, waveNeeds, waveTaskDraft, waveTitle } from "./waves.ts";

/** A change's `tasks.md`: numbered check boxes in sections (OpenSpec), or waves of tasks with fields (ito, spool). */
export const changeTasks: PlanFormat = {
  name: "tasks.md",
  matches: (fileName) => /(?:^|[\\/])tasks\.md$/i.test(fileName),
  ...checkboxes({ isChange: true }),
};

/** `IMPLEMENTATION_PLAN.md`, and any other Markdown file with check boxes that no other format reads. */
export const implementationPlan: PlanFormat = {
  name: "IMPLEMENTATION_PLAN.md",
  matches: (fileName) =>
    /\.(?:md|markdown)$/i.test(fileName) && !changeTasks.matches(fileName) && !backlogTask.matches(fileName),
  ...checkboxes({ isChange: false }),
};

interface MarkdownRules {
  /**
   * In a change `1.2 add it` has an id even before a lower-case word, headings with a `Status` field are tasks, and
   * `Wave` headings come one after the other.
   */
  readonly isChange: boolean;
}

/** Writes check boxes and the `Status` fields of waves; nothing else of the text changes. */
function checkboxes(rules: MarkdownRules): Pick<PlanFormat, "read" | "write"> {
  const read = (text: string): PlanReading => readCheckboxes(text, rules);
  const parse = (text: string): Parsed => ({ text, reading: read(text) });
  return { read, write: (text, marks) => writeMarks(text, marks, { ...MARKING, parse }) };
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
function readCheckboxes(text: string, rules: MarkdownRules): PlanReading {
  const outline = outlineFor(text, rules);
  const kept = keptNodes(outline.nodes, rules);
  const titles = new Map(kept.map((node) => [node, nodeTitle(node, rules)]));
  const ids = new Set(Array.from(titles.values(), ({ id }) => id).filter((id) => id !== undefined));
  const indexOf = new Map(kept.map((node, index) => [node, index]));
  const notices: PlanNotice[] = [...outline.notices];
  const waves = rules.isChange ? waveNeeds(outline.nodes, indexOf, notices) : new Map<MarkdownNode, number[]>();
  const drafts = kept.map((node): Draft => {
    const parent = node.parent === undefined ? undefined : indexOf.get(outline.nodes[node.parent]!);
    const titled = titles.get(node)!;
    if (node.kind === "item") return Object.assign(itemDraft(node, titled, ids), { parent });
    if (rules.isChange && isWaveTask(node)) return Object.assign(waveTaskDraft(node, titled), { parent });
    const { text: title, body, line } = node;
    const after = waves.get(node) ?? [];
    return { kind: "group", title, description: textOf(body), status: "open", parent, after, line };
  });
  return toReading(drafts, notices);
}

function nodeTitle(node: MarkdownNode, rules: MarkdownRules): Titled {
  if (node.kind === "item") return titledOf(node.text, rules);
  return rules.isChange && isWaveTask(node) ? waveTitle(node.text) : { title: node.text, fullTitle: node.text };
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
function outlineFor(text: string, { isChange }: MarkdownRules): Outline {
  const outline = outlineOf(text);
  if (!isChange) return outline;
  const opaque = outline.nodes.filter((node) => isWaveTask(node)).map((node) => node.line);
  return opaque.length === 0 ? outline : outlineOf(text, new Set(opaque));
}

/** Drops headings without entries. Parents come before their entries, so one pass from the end is enough. */
function keptNodes(nodes: readonly MarkdownNode[], { isChange }: MarkdownRules): MarkdownNode[] {
  const isKept = nodes.map((node) => node.kind === "item" || (isChange && isWaveTask(node)));
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const { parent } = nodes[index]!;
    if (isKept[index] && parent !== undefined) isKept[parent] = true;
  }
  return nodes.filter((_, index) => isKept[index]);
}

/** `ids` are all ids of the file: other words in `(needs: …)` are prose. */
function itemDraft(node: MarkdownNode, titled: Titled, ids: ReadonlySet<string>): Draft {
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
    needs: [...(isList ? inTitle : []), ...neededIn(fieldsOf(node.body))],
    line: node.line,
    mark: { start: offset, end: offset + 1 },
  };
}
