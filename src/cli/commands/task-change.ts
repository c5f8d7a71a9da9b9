import * as tasks from "../../app/task/change-tasks.ts";
import { showTask } from "../../app/task/show-task.ts";
import { RalphError } from "../../domain/error.ts";
import { printableLine } from "../../domain/printable.ts";
import type { Task } from "../../domain/task.ts";
import type { TaskPatch } from "../../domain/task-input.ts";
import { taskJson } from "../../domain/task-json.ts";
import { type Input, textOption } from "../command.ts";
import { caller, countOption, wholeOption } from "../flags.ts";
import { plural } from "../../format/run-text.ts";
import { allowedWords, answeredWords, droppedWords, resetWords } from "../../format/changed-words.ts";
import { changeOf, part } from "../../format/task-page.ts";
import { printChange } from "../print-change.ts";
import type { Io } from "../io.ts";
import { isJson } from "../json.ts";
import { claimInSession } from "../task-claim.ts";
import { gateOption, neededText, textsOption, wordsFrom } from "../task-options.ts";

async function change(input: Input, io: Io, { ids = input.args, change, told }: ChangeCommand): Promise<void> {
  await tasks.changeTasks({ ids, change }, caller(input, io), (task) => {
    printChange(task, told(task), { input, io });
  });
}

interface ChangeCommand {
  /** Default: all arguments. */
  readonly ids?: readonly string[];
  readonly change: Parameters<typeof tasks.changeTasks>[0]["change"];
  readonly told: (task: Pick<Task, "id">) => string;
}

/** Opens tasks again, with all their attempts. */
export const resetTasks = async (input: Input, io: Io): Promise<void> =>
  await change(input, io, { change: { kind: "reset" }, told: resetWords });

/** Settles tasks as not to be done. */
export const dropTasks = async (input: Input, io: Io): Promise<void> =>
  await change(input, io, { change: { kind: "drop", reason: textOption(input, "reason") }, told: droppedWords });

/**
 * Answers the question of a parked task: it is open again, or done if a person says that it was done already, or allowed
 * to change how it is proven.
 */
export async function answerTask(input: Input, io: Io): Promise<void> {
  const answer = input.args.length > 1 ? wordsFrom(input, 1, "answer") : await askAnswer(input, io);
  if (answer === undefined) return;
  const answered = await tasks.answerTask(input.args[0]!, answer, caller(input, io));
  printChange(answered.task, answeredWords(answered), { input, io });
}

/** At a terminal, a person sees the question and its change before the answer. Undefined: no answer. */
async function askAnswer(input: Input, io: Io): Promise<string | undefined> {
  const view = await showTask(input.args[0]!, caller(input, io));
  const { id, question } = view.task;
  if (!io.isInteractive || question === undefined) return wordsFrom(input, 1, "answer");
  io.err(`${id}  ${printableLine(view.task.title)}\n${part("Question", question)}${part("Change", changeOf(view))}\n`);
  const answer = await io.askText("Your answer", {
    fault: (text) => (text.trim() === "" ? "Write an answer" : undefined),
  });
  return answer?.trim();
}

/** T-10: lets tasks change files that decide how they are proven. */
export const allowTasks = async (input: Input, io: Io): Promise<void> =>
  await tasks.allowTasks(input.args, caller(input, io), (allowed) =>
    printChange(allowed.task, allowedWords(allowed), { input, io }),
  );

/** Sets a task aside until a question is answered. */
export async function parkTask(input: Input, io: Io): Promise<void> {
  const question = wordsFrom(input, 1, "question");
  if (await claimInSession(input, io, { claim: "parked", text: () => question })) return;
  await change(input, io, {
    ids: input.args.slice(0, 1),
    change: { kind: "park", question },
    told: ({ id }) => `${id} is parked. Answer with: ralphctl task answer ${id} TEXT`,
  });
}

/** Settles tasks as failed, by a person; an agent can only say that its own has. */
export async function failTasks(input: Input, io: Io): Promise<void> {
  const needed = (): string => neededText(input, "reason", "Say why: --reason TEXT");
  const text = (words: string): string =>
    textOption(input, "reason") === undefined && words !== "" ? words : needed();
  if (await claimInSession(input, io, { claim: "failed", text })) return;
  const reason = needed();
  await change(input, io, { change: { kind: "fail", reason }, told: ({ id }) => `${id} failed: ${reason}` });
}

/** Removes tasks with all beneath them, for good. */
export async function removeTasks(input: Input, io: Io): Promise<void> {
  await tasks.removeTasks(input.args, caller(input, io), ({ task, removed }) => {
    if (isJson(input)) io.out(`${JSON.stringify({ ...taskJson(task), removed })}\n`);
    io.err(`Removed ${task.id}${removed === 1 ? "" : ` and ${plural(removed - 1, "task")} below it`}\n`);
  });
}

/** Edits the fields of a task; other commands change its state. */
export async function editTask(input: Input, io: Io): Promise<void> {
  const patch = patchOf(input);
  const fields = Object.keys(patch);
  if (fields.length === 0 && io.hasTerminal) return await (await import("../edit-task.ts")).editInEditor(input, io);
  if (fields.length === 0) {
    throw new RalphError("usage", "Nothing to change: no option was given", {
      hint: "Give an option, for example --priority 1",
    });
  }
  const task = await tasks.editTask(input.args[0]!, patch, caller(input, io));
  printChange(task, `${task.id} changed: ${fields.join(", ")}`, { input, io });
}

/** Only the given options; other fields stay. */
function patchOf(input: Input): TaskPatch {
  const allow = textOption(input, "allowNoChange");
  const patch: TaskPatch = {
    title: textOption(input, "title"),
    description: textOption(input, "description"),
    acceptance: textsOption(input, "acceptance"),
    priority: wholeOption(input, "priority"),
    tags: textsOption(input, "tag"),
    gates: gateOption(input),
    model: orNone(textOption(input, "model")),
    allowNoChange: allow === undefined ? undefined : allow === "yes",
    mayChange: textsOption(input, "mayChange"),
    attemptLimit: textOption(input, "attempts") === "none" ? null : countOption(input, "attempts"),
    summary: textOption(input, "summary"),
    parent: orNone(textOption(input, "parent")),
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

const orNone = (text: string | undefined): string | null | undefined => (text === "none" ? null : text);
