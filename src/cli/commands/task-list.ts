import { type ListRequest, listTasks, readyTasks, taskTree } from "../../app/task/list-tasks.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { type Input, listOption, textOption } from "../command.ts";
import { caller, countOption, scopeChoice } from "../flags.ts";
import { taskLines } from "../../format/task-text.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson, jsonArray, printJsonArray } from "../json.ts";

/** Lists tasks, oldest first. */
export async function list(input: Input, io: Io): Promise<void> {
  const request: ListRequest = {
    scope: scopeChoice(input),
    states: listOption(input, "status") as readonly TaskState[] | undefined,
    tag: textOption(input, "tag"),
    text: textOption(input, "text"),
    parent: textOption(input, "parent"),
    limit: countOption(input, "limit"),
  };
  const json = isJson(input) ? jsonArray(io) : undefined;
  const lines = taskLines();
  let count = 0;
  for await (const { tasks, standings, hasScopes, isCut } of listTasks(request, caller(input, io))) {
    if (json) json.add(tasks.map((task) => taskJson(task, standings.get(task.id))));
    else await printPage(io, lines(tasks.map((task) => [task, { hasScopes, standing: standings.get(task.id) }])));
    await io.drained();
    count += tasks.length;
    if (isCut) io.err(`Showing only the first ${count}; there are more\n`);
  }
  json?.end();
  if (count > 0 || json) return;
  io.err(nothingText(request));
  if (!isFiltered(request)) io.err(await foundText(caller(input, io)));
}

/** Tasks that only files have so far: the first run brings them in. */
async function foundText(around: ReturnType<typeof caller>): Promise<string> {
  const [{ findInWorkspace }, { foundLines }] = await Promise.all([
    import("../../app/found/find-all.ts"),
    import("../../format/found-lines.ts"),
  ]);
  const lines = foundLines(await findInWorkspace(around));
  return lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;
}

const isFiltered = ({ scope, ...filters }: ListRequest): boolean =>
  [...Object.values(scope), ...Object.values(filters)].some((value) => value !== undefined);

function nothingText(request: ListRequest): string {
  return isFiltered(request)
    ? "No matching tasks. List all: ralphctl task list\n"
    : "No tasks yet. Add one: ralphctl task add TITLE\n";
}

/** Enough to read. */
const DEFAULT_LIMIT = 100;

/** Lists ready tasks, next first. */
export async function ready(input: Input, io: Io): Promise<void> {
  const limit = countOption(input, "limit") ?? DEFAULT_LIMIT;
  const { tasks, hasScopes, isCut } = await readyTasks({ scope: scopeChoice(input), limit }, caller(input, io));
  if (isJson(input))
    printJsonArray(
      io,
      tasks.map((task) => taskJson(task)),
    );
  else {
    await printPage(io, taskLines()(tasks.map((task) => [task, { hasScopes }])));
    if (tasks.length === 0) io.err("No tasks are ready. See why: ralphctl task list, ralphctl doctor\n");
  }
  if (isCut) io.err(`Showing only the first ${tasks.length}; there are more. Show more: --limit ${limit * 10}\n`);
}

const BATCH = 1000;

/** Tasks beneath their parents. */
export async function tree(input: Input, io: Io): Promise<void> {
  const { entries, standings, hasScopes } = await taskTree(
    { scope: scopeChoice(input), root: input.args[0] },
    caller(input, io),
  );
  const json = isJson(input) ? jsonArray(io) : undefined;
  const lines = taskLines();
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch = entries.slice(at, at + BATCH);
    if (json) json.add(batch.map(({ task, depth }) => ({ ...taskJson(task, standings.get(task.id)), depth })));
    else
      await printPage(
        io,
        lines(batch.map(({ task, depth }) => [task, { hasScopes, depth, standing: standings.get(task.id) }])),
      );
    await io.drained();
  }
  json?.end();
  if (entries.length === 0 && !json) io.err("No tasks here. Add one: ralphctl task add TITLE\n");
}
