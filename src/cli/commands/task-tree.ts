import { taskTree } from "../../app/task/list-tasks.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { Input } from "../command.ts";
import { caller, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { jsonArray } from "../json-array.ts";
import { isJson, taskLines } from "../format/task-text.ts";

const BATCH = 1000;

/** Tasks beneath their parents. */
export async function run(input: Input, io: Io): Promise<void> {
  const { entries, hasScopes } = await taskTree({ scope: scopeChoice(input), root: input.args[0] }, caller(input, io));
  const json = isJson(input) ? jsonArray(io) : undefined;
  const lines = taskLines();
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch = entries.slice(at, at + BATCH);
    if (json) json.add(batch.map(({ task, depth }) => ({ ...taskJson(task), depth })));
    else io.out(lines(batch.map(({ task, depth }) => [task, { hasScopes, depth }])));
    await io.drained();
  }
  json?.end();
  if (entries.length === 0 && !json) io.err("No tasks here. Add one: ralphctl task add TITLE\n");
}
