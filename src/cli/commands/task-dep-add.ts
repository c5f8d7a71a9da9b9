import { changeNeeds } from "../../app/task/change-tasks.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { neededIds } from "../task-options.ts";
import { isJson } from "../format/task-text.ts";

/** Makes a task wait for others. */
export async function run(input: Input, io: Io): Promise<void> {
  const request = { task: input.args[0]!, needs: neededIds(input), kind: "add" } as const;
  const changed = await changeNeeds(request, caller(input, io), ({ task, need }) => {
    io.err(`${task} now needs ${need}\n`);
  });
  if (isJson(input)) io.out(`${JSON.stringify(taskJson(changed))}\n`);
}
