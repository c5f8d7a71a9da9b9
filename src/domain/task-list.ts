import { RalphError } from "./error.ts";
import { lineToTask } from "./task-line.ts";
import { cleanTask, type NewTask } from "./task-input.ts";
import type { TaskId } from "./task.ts";

export interface ListRules {
  /** The scope of tasks that name none. */
  readonly scope: string;
  readonly newId: () => TaskId;
  /** The creation time of the newest task. */
  readonly now: number;
}

/**
 * Parses a list of tasks: JSONL if the text begins with `{`, else a Markdown list. Every task gets
 * an id, so that parents can be named. Throws a `RalphError` that names the line.
 */
export function parseTaskList(text: string, rules: ListRules): NewTask[] {
  const tasks = text.trimStart().startsWith("{") ? fromJsonl(text, rules) : fromMarkdown(text, rules);
  // Each a millisecond older than the next: so their order survives an export, which is sorted by id.
  const first = rules.now - (tasks.length - 1);
  return tasks.map((task, index) => Object.assign({ createdAt: first + index }, task));
}

function fromJsonl(text: string, { scope, newId }: ListRules): NewTask[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const task = lineToTask(line, index + 1, { scope, needsId: false });
    return [checked({ ...task, id: task.id ?? newId() }, index + 1)];
  });
}

interface Item {
  readonly line: number;
  readonly indent: number;
  /** Where the text of the item begins: what is indented as far belongs to it. */
  readonly inside: number;
  readonly title: string;
  readonly mark: string;
  readonly id: TaskId;
  readonly parent: TaskId | undefined;
  readonly body: string[];
}

const ITEM = /^( *)((?:[-*+]|\d{1,9}[.)]) +)(?:\[(.)\](?: +|$))?(.*)$/u;
const FENCE = /^ *(`{3,}|~{3,})/;

/** Bullets or numbers, with or without a check box, nested by indentation; text below an item is its description. */
function fromMarkdown(text: string, rules: ListRules): NewTask[] {
  const items: Item[] = [];
  const open: Item[] = [];
  let fence: string | undefined;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = raw.replaceAll("\t", "    ");
    const indent = line.search(/\S/);
    const isFence = FENCE.exec(line)?.[1];
    const item = fence === undefined && isFence === undefined ? ITEM.exec(line) : null;
    if (isFence !== undefined) fence = fence === undefined ? isFence[0] : fence === isFence[0] ? undefined : fence;
    if (item) {
      while (open.length > 0 && open.at(-1)!.indent >= item[1]!.length) open.pop();
      const made = newItem(item, { line: index + 1, parent: open.at(-1)?.id, id: rules.newId() });
      open.push(made);
      items.push(made);
    } else if (open.length > 0 && (indent === -1 || indent > open[0]!.indent || fence !== undefined)) {
      open.at(-1)!.body.push(line.slice(Math.min(Math.max(indent, 0), open.at(-1)!.inside)));
    } else if (indent !== -1 && !/^ {0,3}#{1,6} /.test(line)) {
      throw new RalphError("data", `Line ${index + 1}: this line is neither a list item nor part of one`, {
        hint: "Begin each task with `- `, or indent what belongs to it",
      });
    }
  }
  return items.map((one) => checked(toTask(one, rules.scope), one.line));
}

function newItem(match: RegExpExecArray, place: Pick<Item, "line" | "parent" | "id">): Item {
  const [, before = "", bullet = "", mark = " ", title = ""] = match;
  return { ...place, indent: before.length, inside: before.length + bullet.length, title, mark, body: [] };
}

const toTask = ({ id, parent, title, mark, body }: Item, scope: string): NewTask => ({
  id,
  scope,
  title,
  description: body
    .join("\n")
    .replace(/^\s*\n/, "")
    .trimEnd(),
  ...(parent !== undefined && { parent }),
  ...((mark === "x" || mark === "X") && { status: "done" }),
  ...(mark === "-" && { status: "dropped" }),
});

/** The store would refuse it too, but it does not know the line. */
function checked(task: NewTask, line: number): NewTask {
  return atLine(line, () => {
    cleanTask(task);
    return task;
  });
}

/** Runs it; what it refuses names the line. */
export function atLine<Result>(line: number, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const message = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
    throw new RalphError(error.kind, `Line ${line}: ${message}`, { hint: error.hint, cause: error });
  }
}
