import { addContext } from "../../app/context.ts";
import { landWork } from "../../app/land.ts";
import { choiceOf } from "../../app/run/other-scopes.ts";
import { type RunRequestKind, sendTo, stopFrom } from "../../app/run/send-request.ts";
import type { CheckHost } from "../../app/run/checks.ts";
import { approveTasks } from "../../app/task/approve-tasks.ts";
import { reading } from "../../app/task/caller.ts";
import { allowTasks, answerTask, changeTasks, commentTask } from "../../app/task/change-tasks.ts";
import { RalphError } from "../../domain/error.ts";
import type { StatusChange } from "../../domain/transition.ts";
import {
  allowedWords,
  answeredWords,
  approvedWords,
  droppedWords,
  landedWords,
  resetWords,
} from "../../format/changed-words.ts";
import type { ApiVerb } from "../api.ts";
import type { VerbBody } from "./read-body.ts";

/** The world of a write: gates may run for it. */
export type ActHost = CheckHost & { readonly from: string };

type Act = (body: VerbBody, host: ActHost) => Promise<string>;

/** U-04: what each verb does: the use case of the command of the same name. Returns a sentence. */
export const ACTS: Readonly<Record<ApiVerb, Act>> = {
  answer: async (body, host) => answeredWords(await answerTask(body.text("task"), body.text("text"), host)),
  reset: async (body, host) => await change(body, host, { change: { kind: "reset" }, words: resetWords }),
  retry: async (body, host) => await change(body, host, { change: { kind: "reset" }, words: resetWords }),
  drop: async (body, host) =>
    await change(body, host, { change: { kind: "drop", reason: body.optional("reason") }, words: droppedWords }),
  park: async (body, host) =>
    await change(body, host, {
      change: { kind: "park", question: body.text("question") },
      words: ({ id }) => `${id} is parked`,
    }),
  context: async (body, host) => {
    const choice = await choiceOf(await knownScope(body.optional("scope"), host), host);
    const added = await addContext(body.text("text"), choice, host);
    return added ? `The next iteration of ${added.scope} will see it` : "Nothing was added: the text is blank";
  },
  comment: async (body, host) => {
    const comment = { file: body.text("file"), line: body.number("line"), text: body.text("text") };
    const { id, status } = await commentTask(body.text("task"), comment, host);
    const isOver = status === "done" || status === "dropped" || status === "failed";
    return `The next attempt at ${id} will see it${isOver ? `. It is ${status}: reset it for another attempt` : ""}`;
  },
  allow: async (body, host) => {
    let said = "";
    await allowTasks([body.text("task")], host, (allowed) => (said = allowedWords(allowed)));
    return said;
  },
  approve: async (body, host) => (await approveTasks([body.text("task")], host)).map(approvedWords).join("\n"),
  land: async (_, host) => {
    const report = await landWork(host);
    if (report.refusal === undefined) return landedWords(report);
    throw new RalphError("busy", report.refusal.why, { hint: report.refusal.remedy });
  },
  pause: async (body, host) => await ask(body, host, { request: "pause", said: "will pause after this iteration" }),
  resume: async (body, host) => await ask(body, host, { request: "resume", said: "continues" }),
  "stop-after": async (body, host) =>
    await ask(body, host, { request: "stop after", said: "will stop after this iteration" }),
  stop: async (body, host) => {
    const run = body.text("run");
    if (!(await stopFrom(run, host))) throw noSuchRun(run);
    return `Run ${run} stops. It finishes a proof that is under way; a second stop ends it at once`;
  },
};

async function change(
  body: VerbBody,
  host: ActHost,
  { change, words }: { readonly change: StatusChange; readonly words: (task: { readonly id: string }) => string },
): Promise<string> {
  let said = "";
  await changeTasks({ ids: [body.text("task")], change }, host, (task) => (said = words(task)));
  return said;
}

async function ask(
  body: VerbBody,
  host: ActHost,
  { request, said }: { readonly request: RunRequestKind; readonly said: string },
): Promise<string> {
  const run = body.text("run");
  if (!(await sendTo(run, request, host))) throw noSuchRun(run);
  return `Run ${run} ${said}`;
}

const noSuchRun = (run: string): RalphError =>
  new RalphError("busy", `Run ${JSON.stringify(run.slice(0, 80))} is not running`, {
    hint: "Look at the list of runs",
  });

/** U-04: a scope with tasks, never a path. */
async function knownScope(scope: string | undefined, host: ActHost): Promise<string> {
  if (scope === undefined || scope === "workspace") return "workspace";
  const known = await reading(host, async ({ store }) => await store.scopes());
  if (known.includes(scope)) return scope;
  throw new RalphError("usage", `There is no scope ${JSON.stringify(scope.slice(0, 80))} with tasks`, {
    hint: `Choose one of: ${[...new Set(["workspace", ...known])].join(", ")}`,
  });
}
