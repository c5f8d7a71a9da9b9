import { changeNeeds } from "../../app/task/change-tasks.ts";
import { showTask } from "../../app/task/show-task.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import { taskLine } from "../../format/task-text.ts";
import { isJson } from "../json.ts";
import type { Io } from "../io.ts";
import { neededIds } from "../task-options.ts";

const change = (kind: "add" | "remove", told: string) => async (input: Input, io: Io) => {
  const request = { task: input.args[0]!, needs: neededIds(input), kind };
  const changed = await changeNeeds(request, caller(input, io), ({ task, need }) => {
    io.err(`${task} ${told} ${need}\n`);
  });
  if (isJson(input)) io.out(`${JSON.stringify(taskJson(changed))}\n`);
};

/** Makes a task wait for others. */
export const addNeeds = change("add", "now needs");

/** Makes a task no longer wait for others. */
export const removeNeeds = change("remove", "no longer needs");

/** What a task needs, and what needs it. */
export async function listNeeds(input: Input, io: Io): Promise<void> {
  const { task, dependents, needed, neededBy } = await showTask(input.args[0]!, caller(input, io));
  if (isJson(input)) {
    io.out(`${JSON.stringify({ id: task.id, needs: task.needs, dependents })}\n`);
    return;
  }
  const more = dependents.length - neededBy.length + task.needs.length - needed.length;
  io.out(needed.map((other) => `needs      ${taskLine(other)}\n`).join(""));
  io.out(neededBy.map((other) => `needed by  ${taskLine(other)}\n`).join(""));
  if (more > 0) io.err(`And ${more} more: ralphctl task dep list ${task.id} --json\n`);
  if (needed.length + neededBy.length > 0) return;
  io.err(
    `${task.id} needs nothing and nothing needs it. Add a dependency: ralphctl task dep add ${task.id} --needs ID\n`,
  );
}
