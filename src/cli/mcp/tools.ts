import { showContext } from "../../app/context.ts";
import { addTask } from "../../app/task/add-task.ts";
import type { Caller } from "../../app/task/caller.ts";
import { claimTask, type TaskClaim } from "../../app/task/claim-task.ts";
import { listTasks } from "../../app/task/list-tasks.ts";
import { showTask } from "../../app/task/show-task.ts";
import type { ScopeChoice } from "../../app/workspace.ts";
import { RalphError } from "../../domain/error.ts";
import { sessionOf } from "../../domain/run/session.ts";
import { taskJson } from "../../domain/task-json.ts";
import { type TaskState, taskStates } from "../../domain/task-state.ts";
import { scopeChoice } from "../flags.ts";
import { claimText } from "../task-claim.ts";
import { taskPageJson } from "../../format/task-page.ts";
import { type ToolFields, readFields, type Values } from "./fields.ts";

/** A tool, with the rules of the command it stands for. */
export interface Tool {
  readonly name: string;
  readonly doc: string;
  readonly fields: ToolFields;
  readonly isReadOnly: boolean;
  /** Returns JSON as `--json` prints it, or a sentence. */
  readonly call: (sent: unknown, caller: Caller) => Promise<string>;
}

const ID = { kind: "text", doc: "the task, by id or unique prefix", isNeeded: true } as const;

const SCOPE = {
  project: { kind: "text", doc: "the project projects/NAME" },
  change: { kind: "text", doc: "the change, by its id" },
  sprint: { kind: "text", doc: "the sprint, by its folder" },
} as const satisfies ToolFields;

const scopeOf = ({ project, change, sprint }: Values<typeof SCOPE>): ScopeChoice =>
  scopeChoice({ args: [], options: { project, change, sprint } });

/** Makes a tool from a function, and checks its arguments first. */
function tool<Of extends ToolFields>(
  about: Omit<Tool, "call" | "fields"> & { readonly fields: Of },
  work: (values: Values<Of>, caller: Caller) => Promise<string>,
): Tool {
  return { ...about, call: async (sent, caller) => await work(readFields(about.fields, sent), caller) };
}

const MOST = 50;

const list = tool(
  {
    name: "task_list",
    doc: 'List tasks, oldest first. Those in the state "ready" could be worked on now.',
    isReadOnly: true,
    fields: {
      status: { kind: "texts", doc: "only these states", choices: taskStates },
      text: { kind: "text", doc: "only with this text in title or description" },
      tag: { kind: "text", doc: "only with this tag" },
      parent: { kind: "text", doc: "only parts of this task" },
      limit: { kind: "number", doc: `at most this many (default: ${MOST})` },
      ...SCOPE,
    },
  },
  async ({ status, text, tag, parent, limit = MOST, ...scope }, caller) => {
    if (limit < 1) throw new RalphError("usage", "limit must be 1 or more", { hint: "Send limit: 1" });
    // Checked against the states.
    const states = status as readonly TaskState[] | undefined;
    const request = { scope: scopeOf(scope), states, text, tag, parent, limit };
    const tasks: unknown[] = [];
    let hasMore = false;
    for await (const batch of listTasks(request, caller)) {
      tasks.push(...batch.tasks.map((task) => taskJson(task, batch.standings.get(task.id))));
      hasMore ||= batch.isCut;
    }
    return JSON.stringify({ tasks, hasMore });
  },
);

const show = tool(
  {
    name: "task_show",
    doc: "Show everything about a task: what it says, what it needs, its attempts and its log.",
    isReadOnly: true,
    fields: { id: ID },
  },
  async ({ id }, caller) => JSON.stringify(taskPageJson(await showTask(id, caller))),
);

const add = tool(
  {
    name: "task_add",
    doc: "Add a task that was found to be necessary. Gates and models are a person's to set.",
    isReadOnly: false,
    fields: {
      title: { kind: "text", doc: "one line", isNeeded: true },
      description: { kind: "text", doc: "what the title does not say" },
      acceptance: { kind: "texts", doc: "what must be true when it is done" },
      needs: { kind: "texts", doc: "ids of tasks that must be done first" },
      parent: { kind: "text", doc: "its parent task" },
      priority: { kind: "number", doc: "lower goes first (default: 2)" },
      tags: { kind: "texts", doc: "labels to find it by" },
      ...SCOPE,
    },
  },
  async ({ project, change, sprint, ...task }, caller) => {
    const scope = scopeOf({ project, change, sprint });
    return JSON.stringify(taskJson(await addTask({ task, scope, by: "agent" }, caller)));
  },
);

const done = tool(
  {
    name: "task_done",
    doc: "Claim that the task assigned to this session is done. ralphctl runs its gates when the session ends: only they decide.",
    isReadOnly: false,
    fields: { id: ID, summary: { kind: "text", doc: "what tasks that need it should know" } },
  },
  async ({ id, summary = "" }, caller) => await claim(id, { claim: "done", text: summary }, caller),
);

const fail = tool(
  {
    name: "task_fail",
    doc: "Say that the task assigned to this session cannot be done. It counts as an attempt.",
    isReadOnly: false,
    fields: { id: ID, reason: { kind: "text", doc: "why it cannot be done", isNeeded: true } },
  },
  async ({ id, reason }, caller) => await claim(id, { claim: "failed", text: said("reason", reason) }, caller),
);

const park = tool(
  {
    name: "task_park",
    doc: "Set the task assigned to this session aside with a question that only a person can answer.",
    isReadOnly: false,
    fields: { id: ID, question: { kind: "text", doc: "the question a person must answer", isNeeded: true } },
  },
  async ({ id, question }, caller) => await claim(id, { claim: "parked", text: said("question", question) }, caller),
);

const context = tool(
  {
    name: "context_show",
    doc: "Read what a person added for the agents while they work.",
    isReadOnly: true,
    fields: SCOPE,
  },
  async (choice, caller) => {
    const { scope, text } = await showContext(scopeOf(choice), caller);
    return JSON.stringify({ version: 1, scope, text });
  },
);

function said(name: string, text: string): string {
  if (text.trim() !== "") return text.trim();
  throw new RalphError("usage", `The ${name} is blank`, { hint: `Write the ${name} in words` });
}

/** A client is an agent: it can only claim, and only inside a session (P-13). */
async function claim(id: string, { claim, text }: Pick<TaskClaim, "claim" | "text">, caller: Caller): Promise<string> {
  const session = sessionOf(caller.env);
  if (session !== undefined) return claimText(await claimTask({ id, words: [], session, claim, text }, caller), claim);
  const message = "Cannot make a claim here: this server was not started inside a session of ralphctl run";
  throw new RalphError("usage", message, {
    hint: `Ask a person, whose \`ralphctl task done ${id}\` runs the gates; inside a session, pass the variables RALPHCTL_* on to the server`,
  });
}

/** Every tool there is, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [list, show, add, done, fail, park, context];
