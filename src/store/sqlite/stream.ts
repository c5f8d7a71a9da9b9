import { byAge, cleanTask, type CleanTask, type NewTask } from "../../domain/task-input.ts";
import type { AddCounts, AddOptions } from "../store.ts";
import { addClean } from "./add.ts";
import { type Connection, write } from "./connection.ts";

export async function addStream(
  c: Connection,
  chunks: AsyncIterable<readonly NewTask[]>,
  options: AddOptions,
): Promise<AddCounts> {
  const tasks: CleanTask[] = [];
  for await (const chunk of chunks) {
    for (const task of chunk) tasks.push(cleanTask(task));
    options.onProgress?.(tasks.length);
  }
  tasks.sort(byAge);
  const { ids, updated, kept } = await write(c, () => addClean(c, tasks, options), { durable: true });
  return { added: ids.length, updated, kept };
}
