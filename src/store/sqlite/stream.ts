import type { NewTask } from "../../domain/task-input.ts";
import type { AddOptions } from "../store.ts";
import { addTasks } from "./add.ts";
import { type Connection, write } from "./connection.ts";

export async function addStream(
  c: Connection,
  chunks: AsyncIterable<readonly NewTask[]>,
  options: AddOptions,
): Promise<number> {
  const tasks: NewTask[] = [];
  for await (const chunk of chunks) {
    for (const task of chunk) tasks.push(task);
    options.onProgress?.(tasks.length);
  }
  return (await write(c, () => addTasks(c, tasks, options), { durable: true })).length;
}
