import { isSeq } from "yaml";
import { positionAt } from "../domain/position.ts";
import { PlanError, type PlanMark } from "./entry.ts";
import { type Draft, toReading } from "./keys.ts";
import { linesOf, type PlanLine } from "./markdown-line.ts";
import { textOf } from "./markdown-fields.ts";
import { type Marking, type Parsed, writeMarks } from "./marking.ts";
import type { PlanFormat } from "./plan.ts";
import { hasAnchor, isYamlMap, pairOf, parseYaml, wordsOf } from "./yaml-document.ts";

/**
 * A task of Backlog.md is a file: front matter with `id`, `title`, `status`, `priority`, `dependencies` and
 * `parent_task_id`, then sections. Its mark is `status`: `Done`, or anything else. Acceptance criteria are check boxes.
 */
export const backlogTask: PlanFormat = {
  name: "Backlog.md",
  matches: (fileName) => /(?:^|[\\/])\.?backlog[\\/]tasks[\\/][^\\/]+\.md$/i.test(fileName),
  read: (text) => parse(text).reading,
  write: (text, marks) => writeMarks(text, marks, MARKING),
};

interface Backlog extends Parsed {
  /** `status` is an anchor, or has none to change. */
  readonly isFixed: boolean;
}

const MARKING: Marking<Backlog> = {
  parse,
  shown: (change) => ({ status: change === "done" ? "done" : "open" }),
  edits: ({ text, isFixed }, wanted) =>
    wanted.map(({ entry: { mark, line }, change }) => {
      if (mark === undefined || isFixed) {
        throw new PlanError({ line, column: 1 }, "There is no `status` to change", "Write status: To Do");
      }
      const word = change === "done" ? "Done" : "To Do";
      const quote = /^["']/.exec(text.slice(mark.start, mark.end))?.[0] ?? "";
      return { ...mark, text: `${quote}${word}${quote}` };
    }),
};

/** A file without front matter, such as a README beside the tasks, has no entry. */
function parse(text: string): Backlog {
  const end = frontMatterEnd(text);
  if (end === undefined) return { text, reading: toReading([]), isFixed: false };
  const first = text.startsWith("\uFEFF") ? 1 : 0;
  // The first line becomes a comment of the same length, so that all places stay right.
  const front = `${text.slice(0, first)}#${text.slice(first + 1, end)}`;
  const map = parseYaml(front)?.contents ?? null;
  if (!isYamlMap(map)) throw fault({ line: 1, column: 1 }, "The front matter is not a map");
  const valueOf = (name: string) => pairOf(text, map, name)?.value ?? undefined;
  const words = (name: string): string => (wordsOf(valueOf(name)) ?? "").trim();
  const status = valueOf("status");
  const [id, title] = [words("id"), words("title")];
  if (title === "") throw fault(positionAt(text, map.range[0]), "The task has no `title`");
  const { description, acceptance } = bodyOf(text, end);
  const draft: Draft = {
    kind: "task",
    id: id === "" ? undefined : id,
    title,
    description,
    acceptance,
    status: statusOf(words("status")),
    elsewhere: listOf(valueOf("dependencies")),
    inside: words("parent_task_id"),
    priority: PRIORITIES[words("priority").toLowerCase()],
    line: 1,
    mark: status && status.range[1] > status.range[0] ? { start: status.range[0], end: status.range[1] } : undefined,
  };
  return { text, reading: toReading([draft]), isFixed: status !== undefined && hasAnchor(status) };
}

const PRIORITIES: Readonly<Record<string, number>> = { high: 1, medium: 2, low: 3 };

/** The offset of the line that closes it; undefined without any. */
function frontMatterEnd(text: string): number | undefined {
  if (!/^\uFEFF?---[ \t]*\r?\n/.test(text)) return undefined;
  const closing = /\n---[ \t]*(?:\r?\n|$)/g;
  closing.lastIndex = 3;
  const match = closing.exec(text);
  return match === null ? undefined : match.index + 1;
}

function statusOf(word: string): PlanMark {
  if (/^(?:done|completed?|closed)$/i.test(word)) return "done";
  return /^(?:in[ -]progress|doing|started|(?:in )?review)$/i.test(word) ? "started" : "open";
}

function listOf(node: Parameters<typeof wordsOf>[0]): string[] {
  const items = isSeq(node) ? (node.items as (typeof node)[]) : [node];
  return items.map((item) => (wordsOf(item) ?? "").trim()).filter((word) => word !== "");
}

/** The sections but for the criteria, without the comments by which the tool finds them. */
function bodyOf(text: string, from: number): { readonly description: string; readonly acceptance: string[] } {
  const body: PlanLine[] = [];
  const acceptance: string[] = [];
  let isCriteria = false;
  let isFront = true;
  for (const line of linesOf(text)) {
    if (line.offset < from) continue;
    if (isFront) {
      isFront = false; // the closing line itself
      continue;
    }
    const words = line.text.trim();
    if (words.startsWith("## ")) isCriteria = /^## +acceptance criteria$/i.test(words);
    else if (isCriteria) {
      const item = /^[-*+] \[[ xX]\] (?:#\d{1,9} )?/.exec(words);
      if (item) acceptance.push(words.slice(item[0].length));
    }
    if (!isCriteria && !(words.startsWith("<!--") && words.endsWith("-->"))) body.push(line);
  }
  return { description: textOf(body), acceptance: acceptance.filter((words) => words !== "") };
}

const fault = (position: { readonly line: number; readonly column: number }, problem: string): PlanError =>
  new PlanError(position, problem, "Write front matter with id, title and status, as backlog task create does");
