import { RalphError } from "../../domain/error.ts";
import type { TaskName } from "../../domain/run/event.ts";
import type { Input } from "../command.ts";
import { codeAfterRun } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { runAndPrint } from "../run-and-print.ts";
import { runRequest } from "../run-request.ts";
import type { Ask } from "../../domain/verdict.ts";
import { printable, printableLine } from "../../domain/printable.ts";
import { taskText } from "../../format/run-text.ts";

/** One session together with a person, in the agent's own interface. */
export async function run(input: Input, io: Io): Promise<number> {
  const request = runRequest(input);
  if (!io.hasTerminal) {
    throw new RalphError("usage", "step hands the terminal to the agent, but there is no terminal", {
      hint: "Run it at a terminal, or let the agent work alone: ralphctl run",
    });
  }
  const { stop } = io.interrupts();
  // A closed terminal does not answer, and must not hold the tree.
  const attend = {
    isDone: async (task: TaskName) => await io.confirm(`Is it done? ${taskText(task)}`, stop),
    mayChange: async ({ question, diff }: Ask) => {
      io.err(`\n${printable(diff)}\n`);
      return await io.confirm(printableLine(question), stop);
    },
  };
  return codeAfterRun((await runAndPrint({ request, input, io, attend })).ending);
}
