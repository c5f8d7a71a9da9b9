import { type Completed, completeTasks } from "../../app/task/complete-tasks.ts";
import { checkHost } from "../check-host.ts";
import { type Input, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { claimInSession } from "../task-claim.ts";
import { printChange } from "../print-change.ts";

/** Marks tasks as done if the gates pass; an agent can only claim its own. */
export async function run(input: Input, io: Io): Promise<number> {
  const summary = textOption(input, "summary");
  if (await claimInSession(input, io, { claim: "done", text: (words) => summary ?? words })) return 0;
  const completed = await completeTasks({ ids: input.args, summary }, await checkHost(input, io, io.err));
  for (const one of completed) {
    if (one.kind === "done") printChange(one.task, sentenceOf(one), { input, io });
    else io.err(`${sentenceOf(one)}\n`);
  }
  if (completed.some(({ kind }) => kind === "interrupted")) return EXIT_CODES.interrupted.code;
  return completed.some(({ kind }) => kind === "rejected") ? EXIT_CODES.failure.code : 0;
}

function sentenceOf(completed: Completed): string {
  const { id } = completed.task;
  if (completed.kind === "interrupted") return `${id} is unchanged: the check was interrupted`;
  if (completed.kind === "rejected") return `${id} is not done: ${completed.reasons.join("; ")}`;
  return completed.strength === "look" ? `${id} is done by your word: there is no gate` : `${id} is done`;
}
