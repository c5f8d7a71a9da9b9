import { AGENT_EVENT_DOCS } from "./agent-event-docs.ts";
import { END_EVENT_DOCS } from "./end-event-docs.ts";
import type { EVENT_OBJECTS } from "./event-objects.ts";
import type { EventOf, RunEvent } from "./event.ts";

type Simple = "text" | "number" | "true, false" | keyof typeof EVENT_OBJECTS;
type FieldType = `${Simple | `list of ${Simple}`}${"" | "?"}`;
type Field = readonly [type: FieldType, meaning: string];

/** Every type of event with all its fields. A missing or unknown one does not compile. */
export type EventDocs<Type extends RunEvent["type"]> = {
  readonly [Each in Type]: {
    readonly doc: string;
    readonly fields: { readonly [Name in Exclude<keyof EventOf<Each>, "type">]-?: Field };
  };
};

const iteration = ["number", "number of the iteration, from 1"] as const;
const check = [
  "text",
  "`baseline`: before the first attempt; `own`: those of a task before its first session; `extra`: of a claim, with files as the base has them; `final`: before the run is complete",
] as const;
const commit = ["text", "its hash"] as const;
const gate = ["text", "its id"] as const;
const hook = ["text", "its id"] as const;
const point = ["text", "the point: `iteration-end`, `run-end` …"] as const;
const hookIteration = ["number?", "number of the iteration; absent for points outside one"] as const;
const ofLane = ["number?", "the lane that caused it; absent if it has an iteration or only one lane works"] as const;
const gateIteration = ["number?", "number of the iteration; absent in a check of the run"] as const;

/** What each event means. The reference page and the parser of event lines use it. A `?` marks an optional field. */
export const EVENT_DOCS: EventDocs<RunEvent["type"]> = {
  "run.started": {
    doc: "A run has begun.",
    fields: {
      run: ["text", "its id"],
      scope: ["text", "`workspace`, `project/NAME`, `change/ID`, `sprint/NAME`, or `changes` for several at once"],
      changes: ["list of text?", "ids of these changes, as far as they were ready; absent: it works on one scope"],
      mode: ["text", "`plan` or `build`"],
      harness: ["text", ""],
      version: ["text", "of ralphctl"],
      pid: ["number", "of ralphctl"],
      folder: ["text", "the working tree"],
      branch: ["text?", "the branch that follows proven work; absent: detached HEAD"],
      head: ["text", "the commit on which it starts"],
      lane: ["lane", "where the agent works; with several lanes, the first"],
      lanes: ["number?", "how many lanes may work at once; absent in earlier versions: 1"],
      fleet: ["true, false?", "the lanes of all machines of a fleet may work; absent: only those of this one"],
      notIncluded: ["changed files?", "your uncommitted changes, which the run does not see; absent: none"],
      limits: ["limits", ""],
      gates: ["list of gate definition", "the commands that verify work"],
      hooks: ["list of hook definition?", "the hooks of the run; absent: none"],
      tasks: ["number", "open tasks in its scope"],
    },
  },
  "run.notice": {
    doc: "A message for people.",
    fields: { level: ["text", "`info` or `warning`"], text: ["text", ""], lane: ofLane },
  },
  "run.waiting": {
    doc: "The run waits.",
    fields: {
      for: ["text", "`limit` (a usage limit), `outage` or `pause`"],
      untilMs: ["number?", "milliseconds since 1970; absent: until a person resumes it"],
    },
  },
  "run.resumed": { doc: "The wait is over.", fields: {} },
  "run.asked": {
    doc: "Somebody asked the run to stop or pause after the iteration, or took that back.",
    fields: {
      stop: ["true, false", "it will stop"],
      pause: ["true, false", "it will pause, or is paused"],
      from: ["text?", "where it was asked, such as the page; absent: in a terminal"],
    },
  },
  "lanes.held": {
    doc: "Lanes without a task begin none, although one is ready.",
    fields: {
      why: ["text?", "`alone` (a task that conflicted too often), `budget` or `iterations`; absent: they may again"],
      task: ["task?", "the one that works alone"],
      lane: ofLane,
    },
  },
  "check.started": {
    doc: "Gates run, and it is not the verdict about a claim; their events follow.",
    fields: { check, lane: ofLane },
  },
  "check.finished": {
    doc: "The check is over.",
    fields: { check, red: ["list of text", "the gates that failed"], lane: ofLane },
  },
  "tasks.changed": {
    doc: "Plan files or sessions changed tasks.",
    fields: {
      change: [
        "text",
        "`added`, `updated`, `dropped`, `revived`, `parked`, `reopened`, `put back` or `claimed together` (done)",
      ],
      tasks: ["list of task", ""],
      strength: ["text?", "claimed together: `proven`, `unbroken` or `look`"],
      with: ["text?", "claimed together: the task whose session claimed them"],
      lane: ofLane,
    },
  },
  "iteration.started": {
    doc: "A session begins.",
    fields: {
      iteration,
      of: ["number", "the limit on iterations; 0: none"],
      mode: ["text", "`plan` or `build`"],
      task: ["task?", "the assigned one; absent in plan mode"],
      scope: ["text?", "its scope, if the run works on several changes at once"],
      attempts: ["number", "attempts at the task so far"],
      attemptLimit: ["number", "attempts allowed"],
      harness: ["text", ""],
      model: ["text?", "absent: the agent's own default"],
      override: ["text?", "why the model differs from the strategy's: `hint`, `task` or `no-progress`"],
      lane: ["number", "the lane it works in; 0: the working tree itself"],
      folder: ["text", "folder with its files, relative to the working tree"],
      left: ["work left?", "counts of the other tasks; absent in plan mode"],
      chain: ["number?", "how many open tasks must be done one after the other; only with several lanes"],
    },
  },
  ...AGENT_EVENT_DOCS,
  "session.stopped": {
    doc: "ralphctl stopped the agent, or processes that it left running.",
    fields: {
      iteration,
      why: ["text", ""],
      limit: ["text?", "the limit it exceeded, as a configuration key"],
      limitMs: ["number?", "the value of that limit"],
    },
  },
  "session.changed": {
    doc: "The session changed files. Nothing is proven yet.",
    fields: { iteration, files: ["number", "how many"], paths: ["list of text", "the first ones"] },
  },
  "claim.made": {
    doc: "The agent claims something. A claim is not proof.",
    fields: {
      iteration,
      claim: ["text", "`done`, `failed`, `failure` or `parked`"],
      channel: [
        "text",
        "how it claimed: `message` (its final message), `command`, `plan` (the plan file) or `person` (with `step`)",
      ],
    },
  },
  "protocol.broken": {
    doc: "The agent broke a rule of the loop. The next session is told.",
    fields: { iteration, note: ["text", ""] },
  },
  "gate.started": {
    doc: "A gate runs.",
    fields: {
      iteration: gateIteration,
      lane: ofLane,
      gate,
      kind: ["text", "`task`, `workspace`, `command` or `reviewer`"],
      command: ["text", ""],
    },
  },
  "gate.finished": {
    doc: "A gate finished.",
    fields: {
      iteration: gateIteration,
      lane: ofLane,
      gate,
      passed: ["true, false", ""],
      runs: ["number", "how often it ran"],
      durationMs: ["number", ""],
      end: ["gate end", "of its last run"],
      swept: ["number?", "processes that it left running and ralphctl ended; absent: none"],
      output: ["text", "the end of its output"],
      file: ["text", "the file with all its output"],
    },
  },
  "verdict.reached": {
    doc: "ralphctl decided about a claim.",
    fields: {
      iteration,
      verdict: ["text", "`accepted`, `rejected`, `parked`, `undecided` or `deferred`"],
      reasons: ["list of text", "the proof, or why there is none"],
      tree: ["text?", "hash of the git tree that was checked"],
      diff: ["text?", "the change that a person is asked about, or should look at"],
    },
  },
  "commit.made": {
    doc: "ralphctl committed work.",
    fields: {
      iteration: ["number?", "number of the iteration; absent for a commit outside one"],
      lane: ofLane,
      commit,
      subject: ["text", ""],
      files: ["number", "how many"],
      leftOut: ["list of left-out file", "files that the commit leaves out, and why"],
    },
  },
  "work.kept": {
    doc: "ralphctl shelved work that is not proven.",
    fields: { task: ["text?", "id"], lane: ofLane, ref: ["text", "the git ref"], commit, why: ["text", ""] },
  },
  "iteration.finished": {
    doc: "An iteration is over, and its results are stored.",
    fields: {
      iteration,
      task: ["task?", "absent in plan mode"],
      outcome: [
        "text",
        "`verified`, `rejected`, `conflict`, `gave-up`, `crashed`, `timed-out`, `idle`, `unfinished`, `planned`, `limited`, `outage`, `overflow`, `login`, `stopped`, `deferred`, `parked`, `failure` or `lost`",
      ],
      status: ["text?", "new status of the task: `done`, `pending`, `failed` or `parked`"],
      retry: ["true, false?", "the task failed, but will be tried again; absent: it will not"],
      counted: ["true, false", "whether it counts as an attempt"],
      strength: ["text?", "if verified: `proven`, `unbroken` or `look`"],
      look: ["list of text?", "why a person should look; absent: there is no need"],
      reason: ["text?", ""],
      question: ["text?", "the question for a person"],
      session: ["text", "how the session ended: the `kind` of its outcome"],
      sessionId: ["text?", "the agent's own id of the session"],
      commit: ["text?", "the commit that it made"],
      durationMs: ["number", ""],
      costUsd: ["number?", "absent: unknown"],
      tokens: ["number", ""],
      isEstimated: ["true, false", "whether cost or tokens are estimates"],
      isCostPartial: ["true, false?", "true: some of the cost is unknown, such as a reviewer's, so this is a minimum"],
    },
  },
  "hook.started": {
    doc: "A hook runs.",
    fields: {
      iteration: hookIteration,
      lane: ofLane,
      hook,
      point,
      kind: ["text", "`command`, `prompt`, `workflow` or `webhook`"],
      command: ["text", "the command, the prompt, the workflow's name, or the host of the webhook"],
      parallel: ["true, false", "whether the run continues without waiting"],
    },
  },
  "hook.finished": {
    doc: "A hook finished. It never changes a verdict or the exit code.",
    fields: {
      iteration: hookIteration,
      lane: ofLane,
      hook,
      point,
      passed: ["true, false", ""],
      reason: ["text?", "why it failed"],
      durationMs: ["number", ""],
      swept: ["number?", "processes that it left running and ralphctl ended; absent: none"],
      costUsd: ["number?", "of its sessions; absent: no sessions, or unknown"],
      tokens: ["number?", "of its sessions"],
      isEstimated: ["true, false?", "whether cost or tokens are estimates"],
      isCostPartial: ["true, false?", "true: some of the cost is unknown, so this is a minimum"],
      output: ["text", "the end of its output, or of its agent's message"],
      folder: ["text", "folder with its files, relative to the working tree"],
      patch: ["text?", "file with the changes that its agent proposes, relative to the working tree"],
    },
  },
  ...END_EVENT_DOCS,
};
