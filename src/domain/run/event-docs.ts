import { AGENT_EVENT_DOCS } from "./agent-event-docs.ts";
import type { EventOf, RunEvent } from "./event.ts";

/** Objects that stand in events, by the name that the page calls them: their fields. */
export const EVENT_OBJECTS = {
  task: { id: "text", title: "text" },
  limits: { iterations: "number", timeMs: "number?", costUsd: "number?", tokens: "number?" },
  "gate definition": { gate: "text", kind: "text", command: "text" },
  "hook definition": { hook: "text", kind: "text", on: "list of text", command: "text" },
  "gate end": { kind: "text", code: "number?", signal: "text?", afterMs: "number?", limitBytes: "number?" },
  "left-out file": { path: "text", why: "text" },
  "session outcome": {
    kind: "text",
    status: "number?",
    error: "text?",
    retryable: "true, false?",
    limit: "text?",
    resetsAtMs: "number?",
    message: "text?",
    watchdog: "text?",
    code: "number, null?",
    signal: "text, null?",
    detail: "text?",
  },
  "work left": { ready: "number", blocked: "number", waiting: "number", failed: "number", settled: "number" },
  "waiting task": { id: "text", title: "text", question: "text" },
  "dropped task": { id: "text", title: "text", reason: "text" },
  "failed task": { id: "text", title: "text", reason: "text" },
  "blocked task": { id: "text", title: "text", by: "list of text" },
  "outside task": { id: "text", title: "text", scope: "text" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

type Simple = "text" | "number" | "true, false" | keyof typeof EVENT_OBJECTS;
type FieldType = `${Simple | `list of ${Simple}`}${"" | "?"}`;
type Field = readonly [type: FieldType, meaning: string];

/** Every type of event with every field of it: what is missing here, or is here and nowhere else, does not compile. */
export type EventDocs<Type extends RunEvent["type"]> = {
  readonly [Each in Type]: {
    readonly doc: string;
    readonly fields: { readonly [Name in Exclude<keyof EventOf<Each>, "type">]-?: Field };
  };
};

const iteration = ["number", "which one, from 1"] as const;
const check = ["text", "`baseline`: before the first attempt; `final`: before the run is complete"] as const;
const commit = ["text", "git's name for it"] as const;
const gate = ["text", "its id"] as const;
const hook = ["text", "its id"] as const;
const point = ["text", "why it runs: `iteration-end`, `run-end` …"] as const;
const hookIteration = ["number?", "the one that it is about; absent for a point of the run itself"] as const;
const gateIteration = ["number?", "which one; absent in a check of the run itself"] as const;

/** What each event means. The page about events is made from it, and lines are read by it. A `?` ends optional types. */
export const EVENT_DOCS: EventDocs<RunEvent["type"]> = {
  "run.started": {
    doc: "A run has begun; the working tree belongs to it until it ends.",
    fields: {
      run: ["text", "its id"],
      scope: ["text", "`workspace`, `project/NAME`, `change/ID` or `sprint/NAME`"],
      mode: ["text", "`plan` or `build`"],
      harness: ["text", ""],
      version: ["text", "of ralphctl"],
      pid: ["number", "of ralphctl"],
      folder: ["text", "the working tree"],
      branch: ["text?", "absent: none is checked out"],
      head: ["text?", "the commit that it starts from; absent: there is none yet"],
      limits: ["limits", ""],
      gates: ["list of gate definition", "the commands that will be started to prove work"],
      hooks: ["list of hook definition?", "what will run beside the loop; absent: nothing"],
      tasks: ["number", "open tasks that it is about"],
    },
  },
  "run.notice": {
    doc: "Something that somebody should know.",
    fields: { level: ["text", "`info` or `warning`"], text: ["text", ""] },
  },
  "run.waiting": {
    doc: "The run waits.",
    fields: {
      for: ["text", "`limit` (a usage limit), `outage` or `pause`"],
      untilMs: ["number?", "milliseconds since 1970; absent: until somebody resumes it"],
    },
  },
  "run.resumed": { doc: "The wait is over.", fields: {} },
  "check.started": { doc: "All gates run, outside of any iteration; their events follow.", fields: { check } },
  "check.finished": { doc: "The check is over.", fields: { check, red: ["list of text", "gates that failed"] } },
  "tasks.changed": {
    doc: "Plan files or sessions changed tasks.",
    fields: {
      change: ["text", "`added`, `updated`, `dropped`, `revived`, `parked`, `reopened` or `put back`"],
      tasks: ["list of task", ""],
    },
  },
  "iteration.started": {
    doc: "A session begins.",
    fields: {
      iteration,
      of: ["number", "the limit of iterations"],
      mode: ["text", "`plan` or `build`"],
      task: ["task?", "the assigned one; absent in plan mode"],
      attempts: ["number", "attempts that the task has behind it"],
      attemptLimit: ["number", "how many it may have"],
      harness: ["text", ""],
      model: ["text?", "absent: the agent's own default"],
      override: ["text?", "why it is another model than usual: `hint`, `task` or `no-progress`"],
      folder: ["text", "where everything about the iteration lies, relative to the working tree"],
      left: ["work left?", "how many tasks there are beside this one; absent in plan mode"],
    },
  },
  ...AGENT_EVENT_DOCS,
  "session.stopped": {
    doc: "We stopped the agent, or what it had left running.",
    fields: {
      iteration,
      why: ["text", ""],
      limit: ["text?", "the limit that was over, as the configuration calls it"],
      limitMs: ["number?", "how long it is"],
    },
  },
  "session.changed": {
    doc: "What the session did to the files; nothing of it is proven.",
    fields: { iteration, files: ["number", "how many"], paths: ["list of text", "the first of them"] },
  },
  "claim.made": {
    doc: "The agent claims something. Never proof.",
    fields: {
      iteration,
      claim: ["text", "`done`, `failed`, `failure` or `parked`"],
      channel: [
        "text",
        "where: in its final `message`, by a `command`, in the `plan` file, or by the word of the `person` who attended",
      ],
    },
  },
  "protocol.broken": {
    doc: "The agent broke the protocol, and is told.",
    fields: { iteration, note: ["text", ""] },
  },
  "gate.started": {
    doc: "A gate runs.",
    fields: {
      iteration: gateIteration,
      gate,
      kind: ["text", "`task`, `workspace`, `command` or `reviewer`"],
      command: ["text", ""],
    },
  },
  "gate.finished": {
    doc: "What a gate said.",
    fields: {
      iteration: gateIteration,
      gate,
      passed: ["true, false", ""],
      runs: ["number", "how often it ran"],
      durationMs: ["number", ""],
      end: ["gate end", "of its last run"],
      swept: ["number?", "processes that it left behind, which were ended; absent: none"],
      output: ["text", "its end"],
      file: ["text", "where all of it is"],
    },
  },
  "verdict.reached": {
    doc: "What the gates say of a claim.",
    fields: {
      iteration,
      verdict: ["text", "`accepted`, `rejected`, `parked`, `undecided` or `deferred`"],
      reasons: ["list of text", "by what it is proven, or why it is not"],
      tree: ["text?", "git's name for all files at the time"],
    },
  },
  "commit.made": {
    doc: "Work was committed.",
    fields: {
      iteration: ["number?", "which one; absent for a commit of the run itself"],
      commit,
      subject: ["text", ""],
      files: ["number", "how many"],
      leftOut: ["list of left-out file", "what is not in it, and why"],
    },
  },
  "work.kept": {
    doc: "Work that is not proven was put aside.",
    fields: {
      task: ["text?", "id"],
      ref: ["text", "its name, for `git log`"],
      commit,
      why: ["text", ""],
    },
  },
  "iteration.finished": {
    doc: "An iteration is over, and all that follows from it is written.",
    fields: {
      iteration,
      task: ["task?", "absent in plan mode"],
      outcome: [
        "text",
        "`verified`, `rejected`, `gave-up`, `crashed`, `timed-out`, `idle`, `unfinished`, `planned`, `limited`, `outage`, `overflow`, `login`, `stopped`, `deferred`, `parked`, `failure` or `lost`",
      ],
      status: ["text?", "what became of the task: `done`, `pending`, `failed` or `parked`"],
      retry: ["true, false?", "the task failed, but is tried again; absent: it is not"],
      counted: ["true, false", "whether it is an attempt at its task"],
      proof: ["text?", "of a verified one: `gates`, `the agent's own gates` or `none`"],
      reason: ["text?", ""],
      question: ["text?", "what a person is asked"],
      session: ["text", "how the session ended: the `kind` of its outcome"],
      sessionId: ["text?", "the agent's own name for it"],
      commit: ["text?", "with which it ended"],
      durationMs: ["number", ""],
      costUsd: ["number?", "absent: the agent reported none"],
      tokens: ["number", ""],
      isEstimated: ["true, false", "whether cost or tokens are a guess"],
    },
  },
  "hook.started": {
    doc: "A hook runs, beside the loop.",
    fields: {
      iteration: hookIteration,
      hook,
      point,
      kind: ["text", "`command`, `prompt`, `workflow` or `webhook`"],
      command: ["text", "the command, the prompt, the workflow's name or the host that it sends to"],
      parallel: ["true, false", "whether nothing waits for it"],
    },
  },
  "hook.finished": {
    doc: "What came of a hook. It changes no verdict, and no exit code.",
    fields: {
      iteration: hookIteration,
      hook,
      point,
      passed: ["true, false", ""],
      reason: ["text?", "why it did not do what it should"],
      durationMs: ["number", ""],
      swept: ["number?", "processes that it left behind, which were ended; absent: none"],
      costUsd: ["number?", "of its sessions; absent: there were none, or the agent reported none"],
      tokens: ["number?", "of its sessions"],
      isEstimated: ["true, false?", "whether cost or tokens are a guess"],
      output: ["text", "the end of what it wrote, or of what its agent said"],
      folder: ["text", "where all about it lies, relative to the working tree"],
      patch: ["text?", "the file with what its agent would change, relative to the working tree"],
    },
  },
  "run.finished": {
    doc: "The run is over; the last event.",
    fields: {
      ending: ["text", "`complete`, `unverified`, `failure`, `blocked`, `nothing`, `limit`, `login` or `interrupted`"],
      mode: ["text", "in which it ended: `plan` or `build`"],
      reason: ["text", "what ended it"],
      help: [
        "list of text?",
        "what would help: commands where there was nothing to do, words where a login was refused or a bill is unpaid",
      ],
      elsewhere: ["list of text?", "keys of scopes that have something to do, where the workspace itself has not"],
      limit: ["text?", "which was reached: `iterations`, `time`, `cost`, `tokens`, `errors` or `wait`"],
      left: ["work left", "numbers of tasks"],
      waiting: ["list of waiting task", "a person must answer"],
      failed: ["list of failed task", ""],
      blocked: ["list of blocked task", "held up, and by what"],
      outside: ["list of outside task?", "of what holds them up, the tasks of other scopes"],
      iterations: ["number", ""],
      verified: ["number", "tasks"],
      unverified: ["number", "tasks that are done without proof"],
      dropped: ["number", "tasks"],
      droppedTasks: ["list of dropped task", "the first of them: settled, though nobody did them"],
      commits: ["number", "that HEAD has and had not when the run began, the agent's own among them"],
      costUsd: ["number?", "absent: no agent reported any"],
      isCostPartial: ["true, false?", "some session reported none: it was at least this"],
      isCostEstimated: ["true, false?", "some of it is a guess"],
      tokens: ["number", ""],
      durationMs: ["number", ""],
    },
  },
};
