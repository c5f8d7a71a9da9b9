import type { MarkChange, PlanMark, PlanNotice } from "./entry.ts";
import type { Titled } from "./entry-id.ts";
import type { Draft } from "./keys.ts";
import type { MarkdownNode } from "./markdown.ts";
import { acceptanceIn, type PlanField, fieldsOf, neededIn, textOf } from "./markdown-fields.ts";

// Waves: `## Wave 1`, `- **Depends On**: None`, `### Task 1.1: Title` and its fields, among them
// `- **Status**: [ ] pending`. Box and word together are the mark: the tools that write this layout keep them in step.

const STATUS = /^\\?\[([ xX>~-])\\?\](?:[ \t]+(pending|in-progress|complete|completed|shelved)\b)?/;
const LABELS: Readonly<Record<MarkChange, string>> = {
  open: "pending",
  failed: "pending",
  parked: "pending",
  done: "complete",
  dropped: "shelved",
};
const CHARS: Readonly<Record<MarkChange, string>> = { open: " ", failed: " ", parked: " ", done: "x", dropped: "-" };

/** A heading whose own text has a `Status` field with a box. */
export const isWaveTask = (node: MarkdownNode): boolean => node.kind === "heading" && statusOf(node) !== undefined;

function statusOf(node: MarkdownNode): PlanField | undefined {
  return fieldsOf(node.body).find(({ name, value }) => name === "status" && STATUS.test(value));
}

export function waveTaskDraft(node: MarkdownNode, titled: Titled): Draft {
  const status = statusOf(node)!;
  const [whole, char = "", label] = STATUS.exec(status.value)!;
  const box = status.line.offset + status.valueAt;
  const fields = fieldsOf(node.body);
  const hidden = new Set(fields.filter(({ name }) => BOOKKEEPING.has(name)).map(({ line }) => line));
  return {
    kind: "task",
    ...titled,
    description: textOf(node.body.filter((line) => !hidden.has(line))),
    acceptance: acceptanceIn(node.body),
    status: markOf(char, label),
    needs: neededIn(fields),
    line: node.line,
    // From inside the box to the end of the word.
    mark: { start: box + whole.indexOf("[") + 1, end: box + (label ? whole.length : whole.indexOf("[") + 2) },
  };
}

/** Fields that the entry has elsewhere, or that are ours. */
const BOOKKEEPING = new Set(["status", "updated at", "dependencies", "depends on"]);

function markOf(char: string, label: string | undefined): PlanMark {
  if (char === "x" || char === "X") return "done";
  if (char === "-") return "dropped";
  return char !== " " || label === "in-progress" ? "started" : "open";
}

/** `Task 1.1: Title`, `1.1: Title` or `T3: Title`; an id has a digit. */
export function waveTitle(text: string): Titled {
  const match = /^(?:task[ \t]+)?([A-Za-z0-9._-]{1,64})[ \t]*[:–—-][ \t]+(?=\S)/i.exec(text);
  if (!match || !/\d/.test(match[1]!)) return { title: text, fullTitle: text };
  return { id: match[1]!, title: text.slice(match[0].length), fullTitle: text };
}

/** The new text of a mark: the character in the box and, where one follows, the word. */
export function remark(mark: string, change: MarkChange): string {
  const label = /[a-z-]{2,}$/.exec(mark.slice(1))?.[0];
  const between = label === undefined ? mark.slice(1) : mark.slice(1, -label.length) + LABELS[change];
  return CHARS[change] + between;
}

/**
 * For each kept wave the drafts that come first: the waves it names, or the one before it when it names none.
 * `Depends On: None` is a wave that waits for nothing. A wave without tasks hands on what it waits for.
 */
export function waveNeeds(
  nodes: readonly MarkdownNode[],
  indexOf: ReadonlyMap<MarkdownNode, number>,
  notices: PlanNotice[],
): Map<MarkdownNode, number[]> {
  const waves = nodes.filter((node) => node.kind === "heading" && waveNumber(node.text) !== undefined);
  const byNumber = new Map(waves.map((node) => [waveNumber(node.text)!, node]));
  const needs = new Map<MarkdownNode, number[]>();
  for (const [at, wave] of waves.entries()) {
    const field = fieldsOf(wave.body).find(({ name }) => name === "depends on");
    const named = Array.from((field?.value ?? "").matchAll(/\bwave[ \t]+(\d{1,9})\b/gi), ([, number]) => number!);
    const unknown = named.filter((number) => !byNumber.has(number));
    for (const number of unknown) notices.push({ line: wave.line, message: `There is no wave ${number}` });
    const first = field ? named.map((number) => byNumber.get(number)) : [waves[at - 1]];
    const drafts = first.flatMap((node) => (node && node !== wave ? draftsOf(node, indexOf, needs) : []));
    needs.set(wave, [...new Set(drafts)]);
  }
  return needs;
}

function draftsOf(
  wave: MarkdownNode,
  indexOf: ReadonlyMap<MarkdownNode, number>,
  needs: ReadonlyMap<MarkdownNode, number[]>,
): readonly number[] {
  const index = indexOf.get(wave);
  return index === undefined ? (needs.get(wave) ?? []) : [index];
}

const waveNumber = (heading: string): string | undefined => /^wave[ \t]+(\d{1,9})\b/i.exec(heading)?.[1];
