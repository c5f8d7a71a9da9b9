import { RalphError } from "../domain/error.ts";
import { isMapping, type Mapping } from "../domain/mapping.ts";
import type { ForeignTask, ForeignTasks, TaskDatabase } from "./foreign.ts";
import { idOf, listOf, paragraphs, wordsOf } from "./words.ts";

/**
 * `tasks.json` of Task Master: lists of tasks by tag, or in old files one list. A task may have subtasks, which are called
 * by their number within it.
 */
export const taskMaster: TaskDatabase = {
  name: "task-master",
  tool: "Task Master",
  kind: "text",
  matches: (path) => /(?:^|[\\/])tasks\.json$/i.test(path),
  read: (text) => {
    const lists = listsIn(text);
    const chosen = chooseList(lists);
    const others = lists.filter((list) => list !== chosen && hasOpen(list.tasks)).map(({ tag }) => tag);
    const notices = others.length === 0 ? [] : [`Left out are the tags ${others.join(", ")} of Task Master`];
    return { tasks: chosen === undefined ? [] : tasksOf(chosen.tasks), notices } satisfies ForeignTasks;
  },
};

interface TagList {
  readonly tag: string;
  readonly tasks: readonly Mapping[];
}

const fault = (problem: string): RalphError =>
  new RalphError("data", `This is no tasks.json of Task Master: ${problem}`, {
    hint: 'Write it as { "master": { "tasks": [ … ] } }',
  });

function listsIn(text: string): TagList[] {
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw fault("it is not JSON");
  }
  if (!isMapping(data)) throw fault("it is not an object");
  const whole: readonly (readonly [string, unknown])[] = Array.isArray(data["tasks"])
    ? [["master", data]]
    : Object.entries(data);
  const lists = whole.flatMap(([tag, value]) =>
    isMapping(value) && Array.isArray(value["tasks"]) ? [{ tag, tasks: value["tasks"].filter(isMapping) }] : [],
  );
  if (lists.length === 0) throw fault("it has no list of tasks");
  return lists;
}

/** `master`, unless only others have something to do. */
const chooseList = (lists: readonly TagList[]): TagList | undefined =>
  lists.find(({ tag, tasks }) => tag === "master" && hasOpen(tasks)) ?? lists.find(({ tasks }) => hasOpen(tasks));

const hasOpen = (tasks: readonly Mapping[]): boolean => tasks.some((task) => stateOf(task) !== "settled");

function tasksOf(tasks: readonly Mapping[]): ForeignTask[] {
  return tasks.flatMap((task) => {
    const id = idOf(task["id"]);
    const parts = listOf(task["subtasks"]).filter(isMapping);
    const numbers = new Set(parts.map((part) => idOf(part["id"])));
    const own = taskOf(task, { id, needs: namesIn(task["dependencies"]) });
    const inside = parts.map((part) =>
      Object.assign(
        taskOf(part, {
          id: `${id}.${idOf(part["id"])}`,
          // A number alone is a subtask of the same task, if there is one.
          needs: namesIn(part["dependencies"]).map((need) => (numbers.has(need) ? `${id}.${need}` : need)),
        }),
        { parent: nameOf(id) },
        // What is done is done with all of its parts.
        own.state === "settled" ? { state: "settled" as const } : {},
      ),
    );
    return [own, ...inside];
  });
}

const namesIn = (value: unknown): string[] => listOf(value).map(idOf);

/** Its numbers would be taken for iterations here. */
const nameOf = (id: string): string => `tm-${id}`;

function taskOf(task: Mapping, { id, needs }: { readonly id: string; readonly needs: readonly string[] }): ForeignTask {
  const title = wordsOf(task["title"]);
  if (id === "" || title === "") throw fault("a task has no id or no title");
  return {
    id: nameOf(id),
    title,
    description: paragraphs([
      ["", wordsOf(task["description"])],
      ["Details", wordsOf(task["details"])],
      ["How to test it", wordsOf(task["testStrategy"])],
    ]),
    priority: PRIORITIES[wordsOf(task["priority"])],
    state: stateOf(task),
    needs: needs.map(nameOf),
  };
}

const PRIORITIES: Readonly<Record<string, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

function stateOf(task: Mapping): ForeignTask["state"] {
  const status = wordsOf(task["status"]);
  if (["done", "completed", "cancelled"].includes(status)) return "settled";
  if (status === "deferred") return { question: "Task Master has it as deferred. Should it be done now?" };
  return status === "review" ? { question: "Task Master has it in review. Is it done?" } : "open";
}
