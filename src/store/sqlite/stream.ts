import { cleanTask, type CleanTask, type NewTask, oldestFirst } from "../../domain/task-input.ts";
import type { AddCounts, AddOptions } from "../store.ts";
import { addClean } from "./add.ts";
import { type Connection, patiently, write } from "./connection.ts";
import { addStaged, dropStage, openStage, stage, type Stage } from "./stage.ts";

export async function addStream(
  c: Connection,
  chunks: AsyncIterable<readonly NewTask[]>,
  options: AddOptions,
): Promise<AddCounts> {
  let tasks: CleanTask[] = [];
  let staged: Stage | undefined;
  let count = 0;
  const spill = async (): Promise<void> => {
    await patiently(c, () => {
      staged ??= openStage(c);
      stage(c, staged, tasks);
    });
    tasks = [];
  };
  try {
    for await (const chunk of chunks) {
      for (const task of chunk) tasks.push(cleanTask(task));
      count += chunk.length;
      if (staged !== undefined || tasks.length > c.streamMemory) await spill();
      options.onProgress?.(count, "read");
    }
    if (staged !== undefined) {
      const table = staged;
      return await write(c, () => addStaged(c, table, options), { durable: true });
    }
    const { ids, updated, kept } = await write(c, () => addClean(c, oldestFirst(tasks), options), { durable: true });
    return { added: ids.size, updated, kept };
  } finally {
    if (staged !== undefined) dropStage(c, staged);
  }
}
