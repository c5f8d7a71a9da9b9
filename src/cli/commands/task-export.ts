import { resolve } from "node:path";
import { exportTasks } from "../../app/task/export-tasks.ts";
import type { Input } from "../command.ts";
import { caller, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";

/** Writes the tasks down as JSONL. */
export async function run(input: Input, io: Io): Promise<void> {
  const [file] = input.args;
  const print = async (text: string): Promise<void> => {
    io.out(text);
    await io.drained();
  };
  const to = file === undefined || file === "-" ? print : resolve(io.cwd, file);
  const count = await exportTasks({ scope: scopeChoice(input), to }, caller(input, io));
  if (to !== print) io.err(`${count} ${count === 1 ? "task" : "tasks"} written to ${file}\n`);
}
