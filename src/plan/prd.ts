import { positionAt } from "../domain/position.ts";
import { PlanError } from "./entry.ts";
import { type JsonNode, memberOf, parseJson } from "./json.ts";
import { type Draft, toReading } from "./keys.ts";
import { type Marking, type Parsed, type Wanted, writeMarks } from "./marking.ts";
import type { PlanFormat } from "./plan.ts";
import { lineCounter, type TextEdit } from "./text-edit.ts";

/**
 * `prd.json`: `{ "userStories": [ … ] }`, or the array alone. A story has `id`, `title` (or `name`, or the first line
 * of its `description`), `description`, `notes`, `acceptanceCriteria` (or `steps`), a numeric `priority`, `passes`, and
 * the ids it waits for in `dependsOn` or `dependencies`. All but a title may be missing.
 */
export const prd: PlanFormat = {
  name: "prd.json",
  matches: (fileName) => /(?:^|[\\/])prd(?:[-.][^\\/]*)?\.json$/i.test(fileName),
  read: (text) => parse(text).reading,
  write: (text, marks) => writeMarks(text, marks, MARKING),
};

interface Stories extends Parsed {
  readonly stories: readonly JsonNode[];
}

function parse(text: string): Stories {
  const lineOf = lineCounter(text);
  const stories = storiesOf(text);
  return { text, stories, reading: toReading(stories.map((story) => draftOf(text, story, lineOf(story.start)))) };
}

function storiesOf(text: string): JsonNode[] {
  const root = parseJson(text);
  const stories = root.kind === "array" ? root : memberOf(root, "userStories");
  if (!stories) throw fault(text, root, "`userStories` is missing");
  if (stories.kind !== "array") throw fault(text, stories, "`userStories` is not a list");
  return stories.items;
}

function draftOf(text: string, story: JsonNode, line: number): Draft {
  if (story.kind !== "object") throw fault(text, story, "A story is not an object");
  const description = stringOf(story, "description");
  const notes = stringOf(story, "notes");
  const title = [stringOf(story, "title"), stringOf(story, "name"), firstLine(description)].find(
    (words) => words !== "",
  );
  if (title === undefined) throw fault(text, story, "A story has no `title`");
  const passes = memberOf(story, "passes");
  const isDone = passes?.kind === "value" ? passes.value : undefined;
  if (passes && typeof isDone !== "boolean") throw fault(text, passes, "`passes` is neither true nor false");
  const priority = valueOf(story, "priority");
  return {
    kind: "task",
    id: idOf(story),
    title,
    description: [description, notes].filter((words) => words !== "").join("\n\n"),
    acceptance: firstList(story, ["acceptanceCriteria", "steps"]),
    status: isDone ? "done" : "open",
    needs: firstList(story, ["dependsOn", "dependencies"]),
    priority: typeof priority === "number" ? priority : undefined,
    line,
    mark: passes && { start: passes.start, end: passes.end },
  };
}

const firstLine = (words: string): string => words.split(/[\r\n]/, 1)[0]!.trim();

function idOf(story: JsonNode): string | undefined {
  const id = valueOf(story, "id");
  const words = typeof id === "number" ? String(id) : typeof id === "string" ? id.trim() : "";
  return words === "" ? undefined : words;
}

function valueOf(story: JsonNode, name: string): unknown {
  const node = memberOf(story, name);
  return node?.kind === "value" ? node.value : undefined;
}

function stringOf(story: JsonNode, name: string): string {
  const value = valueOf(story, name);
  return typeof value === "string" ? value.trim() : "";
}

/** The first of these members that is there, as a list; a text alone is a list of one, and numbers are words. */
function firstList(story: JsonNode, names: readonly string[]): string[] {
  const node = names.map((name) => memberOf(story, name)).find((member) => member !== undefined);
  if (!node || node.kind === "object") return [];
  return (node.kind === "array" ? node.items : [node])
    .map((item) => (item.kind === "value" && item.value !== null ? String(item.value).trim() : ""))
    .filter((words) => words !== "");
}

const fault = (text: string, node: JsonNode, problem: string): PlanError =>
  new PlanError(positionAt(text, node.start), problem, "Write stories as { id, title, description, passes }");

/** Only `done` has a word here: every other state is a story that does not pass. */
const MARKING: Marking<Stories> = {
  parse,
  shown: (change) => ({ status: change === "done" ? "done" : "open" }),
  edits: ({ text, stories }, wanted) => wanted.map((one) => editPasses(text, stories[one.index]!, one)),
};

function editPasses(text: string, story: JsonNode, { entry: { mark }, change }: Wanted): TextEdit {
  const word = change === "done" ? "true" : "false";
  if (mark) return { ...mark, text: word };
  // A story without `passes`: it goes behind the last member, in the way that one is set.
  const last = story.kind === "object" ? story.members.at(-1) : undefined;
  const at = last?.value.end ?? story.start + 1;
  const before = last ? text.slice(0, last.nameAt) : "";
  const gap = /[ \t\r\n]*$/.exec(before.slice(-200))?.[0] ?? "";
  return { start: at, end: at, text: last ? `,${gap}"passes": ${word}` : `"passes": ${word}` };
}
