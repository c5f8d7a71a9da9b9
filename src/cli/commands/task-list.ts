import { type ListRequest, listTasks } from "../../app/task/list-tasks.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { type Input, listOption, textOption } from "../command.ts";
import { caller, countOption, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { jsonArray } from "../json-array.ts";
import { isJson, taskLines } from "../format/task-text.ts";

/** Lists tasks, oldest first. */
export async function run(input: Input, io: Io): Promise<void> {
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
  for await (const { tasks, hasScopes, isCut } of listTasks(request, caller(input, io))) {
    if (json) json.add(tasks.map(taskJson));
    else io.out(lines(tasks.map((task) => [task, { hasScopes }])));
    await io.drained();
    count += tasks.length;
    if (isCut) io.err(`Showing only the first ${count}; there are more\n`);
  }
  json?.end();
  if (count === 0 && !json) io.err(nothingText(request));
}

function nothingText({ scope, ...filters }: ListRequest): string {
  const isFiltered = [...Object.values(scope), ...Object.values(filters)].some((value) => value !== undefined);
  return isFiltered
    ? "No matching tasks. List all: ralphctl task list\n"
    : "No tasks yet. Add one: ralphctl task add TITLE\n";
}
