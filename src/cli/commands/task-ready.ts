import { readyTasks } from "../../app/task/list-tasks.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { Input } from "../command.ts";
import { caller, countOption, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { jsonArray } from "../json-array.ts";
import { isJson, taskLines } from "../format/task-text.ts";

/** Enough to read. */
const DEFAULT_LIMIT = 100;

/** Lists ready tasks, next first. */
export async function run(input: Input, io: Io): Promise<void> {
  const limit = countOption(input, "limit") ?? DEFAULT_LIMIT;
  const { tasks, hasScopes, isCut } = await readyTasks({ scope: scopeChoice(input), limit }, caller(input, io));
  if (isJson(input)) {
    const json = jsonArray(io);
    json.add(tasks.map(taskJson));
    json.end();
  } else {
    io.out(taskLines()(tasks.map((task) => [task, { hasScopes }])));
    if (tasks.length === 0) io.err("No tasks are ready. See why: ralphctl task list, ralphctl doctor\n");
  }
  if (isCut) io.err(`Showing only the first ${tasks.length}; there are more. Show more: --limit ${limit * 10}\n`);
}
