import type { NewTask } from "../domain/task-input.ts";
import type { ForeignTask, ForeignTasks } from "./foreign.ts";

/** The open tasks of another tool, as ours. */
export interface OpenTasks {
  readonly tasks: readonly NewTask[];
  /** How many it has settled: they stay there, because nothing here has proven them. */
  readonly settled: number;
  readonly notices: readonly string[];
}

export function openTasks({ tasks, notices }: ForeignTasks, { scope, tag }: { scope: string; tag: string }): OpenTasks {
  const found = [...notices];
  const open = new Map<string, ForeignTask>();
  for (const task of tasks) {
    const id = cleanId(task.id);
    if (task.state === "settled") continue;
    if (open.has(id)) found.push(`The id ${id} is there twice: the second one was left out`);
    else open.set(id, task);
  }
  const parentOf = (id: string): string | undefined => {
    const parent = cleanId(open.get(id)?.parent ?? "");
    return open.has(parent) ? parent : undefined;
  };
  const parents = new Map([...open.keys()].map((id) => [id, parentOf(id)]));
  const circular = circularIn(parents);
  for (const id of circular) parents.delete(id);
  if (circular.size > 0)
    found.push(`These are parts of each other, and became tasks side by side: ${[...circular].slice(0, 8).join(", ")}`);
  const made = [...open].map(([id, task]) => {
    const needs = [...new Set(task.needs.map(cleanId))].filter((need) => open.has(need));
    const outside = needs.filter((need) => !isWithin(parents, id, need) && !isWithin(parents, need, id));
    if (outside.length < needs.length) found.push(`${id} needs a part of itself, or what it is a part of: left out`);
    return taskOf(task, { id, scope, tag, parent: parents.get(id), needs: outside });
  });
  return { tasks: made, settled: tasks.filter(({ state }) => state === "settled").length, notices: found };
}

/** An id that the store takes; those of the known tools are such. */
const cleanId = (id: string): string =>
  id
    .replaceAll(/[^A-Za-z0-9._-]+|\.{2,}/g, "-")
    .replace(/^\./, "-")
    .slice(0, 64);

type Parents = ReadonlyMap<string, string | undefined>;

/** Tasks that would be inside of themselves. Each is looked at once. */
function circularIn(parents: Parents): Set<string> {
  const clear = new Set<string>();
  const circular = new Set<string>();
  for (const start of parents.keys()) {
    const path = new Set<string>();
    let at: string | undefined = start;
    while (at !== undefined && !clear.has(at) && !path.has(at)) {
      path.add(at);
      at = parents.get(at);
    }
    const isLoop = at !== undefined && path.has(at);
    if (isLoop) for (const id of [...path].slice([...path].indexOf(at!))) circular.add(id);
    for (const id of path) clear.add(id);
  }
  return circular;
}

/** How deep a task may lie: what is deeper counts as outside. */
const DEEPEST = 100;

function isWithin(parents: Parents, inner: string, outer: string): boolean {
  let at: string | undefined = inner;
  for (let depth = 0; at !== undefined && depth < DEEPEST; depth += 1) {
    if (at === outer) return true;
    at = parents.get(at);
  }
  return false;
}

const MAX_TITLE = 1_000;
const MAX_TEXT = 1_000_000;

function taskOf(
  task: ForeignTask,
  own: { id: string; scope: string; tag: string; parent: string | undefined; needs: readonly string[] },
): NewTask {
  const { tag, ...place } = own;
  const { title, description, acceptance = [], priority, tags = [], state, createdAtMs } = task;
  const isLong = title.length > MAX_TITLE;
  return {
    ...place,
    title: isLong ? `${title.slice(0, MAX_TITLE - 1)}…` : title,
    description: (isLong ? `${title}\n\n${description}` : description).slice(0, MAX_TEXT),
    acceptance: acceptance.map((text) => text.slice(0, MAX_TEXT)),
    priority: priority === undefined ? undefined : Math.round(Math.max(0, Math.min(priority, 9))),
    tags: [...new Set([tag, ...tags.filter((word) => word !== "").map((word) => word.slice(0, 64))])].slice(0, 50),
    createdAt: createdAtMs,
    ...(typeof state === "object" && { status: "parked" as const, question: state.question }),
  };
}
