import type { GateStats } from "../app/page/gate-stats.ts";
import type { WorkspaceVersion } from "../app/page/hub.ts";
import type { Talk } from "../app/page/iteration-talk.ts";
import type { Need } from "../app/page/needs.ts";
import type { RecordJson } from "../domain/run/record-json.ts";
import type { TaskId } from "../domain/task.ts";
import type { edgesOf, graphTaskJson } from "../format/graph-json.ts";
import type { attemptsJson, iterationJson, runJson } from "../format/inspect-json.ts";
import type { listedRunJson } from "../format/run-list-json.ts";
import type { taskPageJson } from "../format/task-page.ts";
import type { workspaceStatusJson } from "../format/workspace-status-json.ts";

/** U-10: the version of the API is part of its paths. */
export const API = "/api/v1";

/** U-03: the header that carries the token. No cookie: another port of this machine would get it, too. */
export const TOKEN_HEADER = "x-ralphctl-token";

/** How many lines or events there are in all, beside a window of them. */
export const TOTAL_HEADER = "x-ralphctl-total";

/** What every read answers. The page is written against these types. */
export interface ApiReads {
  "/status": ReturnType<typeof workspaceStatusJson>;
  "/graph": GraphReply;
  "/needs": readonly Need[];
  "/tasks/ID": TaskReply;
  "/runs": readonly ReturnType<typeof listedRunJson>[];
  "/runs/RUN": ReturnType<typeof runJson>;
  "/runs/RUN/report": Html;
  "/runs/RUN/N": ReturnType<typeof iterationJson>;
  "/runs/RUN/N/prompt": Lines;
  "/runs/RUN/N/diff": Lines;
  "/runs/RUN/N/transcript": Talk;
  "/runs/RUN/N/gate/K": Lines;
  "/gates": readonly GateStats[];
}

/** A text, sent as plain text: a window of its lines. */
export interface Lines {
  readonly lines: readonly string[];
}

/** A page of its own. */
export interface Html {
  readonly html: string;
}

export interface GraphReply {
  readonly tasks: readonly (ReturnType<typeof graphTaskJson> & { readonly needs: readonly TaskId[] })[];
  readonly edges: ReturnType<typeof edgesOf>;
  /** The open tasks of a longest chain, first to last. */
  readonly critical: readonly TaskId[];
}

/** `task show --json`, with the record of each attempt as `inspect TASK --json` has it. */
export interface TaskReply extends Omit<ReturnType<typeof taskPageJson>, "attemptLog"> {
  readonly attemptLog: ReturnType<typeof attemptsJson>["attempts"];
  /** What can be done about it. */
  readonly verbs: readonly string[];
  /** The change that a person is asked about. */
  readonly evidence: string | null;
}

const WINDOW = "`?from=` is the first line (from 1), `lines=` how many (at most 20,000)";

/** What each of them is for. The reference page comes from it. */
export const API_READS: Readonly<Record<keyof ApiReads, string>> = {
  "/status": "Runs, tasks, questions and cost of all scopes, as `status --json` prints them.",
  "/graph":
    "The tasks and edges of `task graph --json`. Tasks also have `needs`; `critical` lists the open tasks of a longest chain.",
  "/needs":
    "Everything that waits for a person: `kind` (`question`, `failed`, `conflict`, `lane` or `look`), `task` and its `scope` (or null), `title`, `text`, `evidence` (a diff or a report, or null), `verbs` (what can be sent to `/do/VERB`), `type` (what to type where no verb helps, or null), `sinceMs` (or null).",
  "/tasks/ID":
    "A task as `task show --json` prints it. Its `attemptLog` has the record of each attempt, as `inspect TASK --json` has it; `verbs` is what can be sent to `/do/VERB`, `evidence` the change that a person is asked about (a diff, or null).",
  "/runs":
    "The kept runs, newest first: `run`, `scope`, `state` (`running`, `finished`, or `ended` without a word), `startedAt`, `lastAt`, `mode`, `harness`, `branch`, `ending`, `reason`, `tasks` (counts), `commits`, `costUsd`, `isCostPartial`, `isCostEstimated`, `tokens`, `iterations`.",
  "/runs/RUN": "A run as `inspect RUN --json` prints it.",
  "/runs/RUN/report": "The report of a run as one HTML page, as `report --html` writes it.",
  "/runs/RUN/N": "An iteration as `inspect RUN/N --json` prints it.",
  "/runs/RUN/N/prompt": `The prompt of the iteration, as plain text. ${WINDOW}.`,
  "/runs/RUN/N/diff": `What the iteration changed, as a patch in plain text. ${WINDOW}.`,
  "/runs/RUN/N/transcript":
    "What the agent said and did: the lines of `events.ndjson` whose type begins with `agent.`, as a list. `?from=` and `lines=` count events.",
  "/runs/RUN/N/gate/K": `The whole output of a gate, as plain text. K is its place in \`gates\` of the iteration, from 0. ${WINDOW}.`,
  "/gates":
    "The gates of the kept runs, the slowest first: `gate`, `runs`, `failed`, `flaky` (how often it failed and passed on the same files), `medianMs`, `p95Ms`.",
};

/** The events of the stream `/events`, with the data of each. */
export interface ApiEvents {
  workspace: WorkspaceVersion;
  snapshot: SnapshotData | null;
  /** A line of `events.ndjson`. */
  event: Readonly<Record<string, unknown>>;
}

export interface SnapshotData {
  readonly run: string;
  readonly isRunning: boolean;
  readonly record: RecordJson;
}

export const API_EVENTS: Readonly<Record<keyof ApiEvents, string>> = {
  workspace:
    "Something has changed: `tasks` counts changes of the tasks, `runs` those of the list of runs. Ask again for what you show. At most twice a second.",
  snapshot:
    "Where a run is: `run`, `isRunning`, `record` (the fold of all events so far, open iterations only, maps as lists of pairs). It is sent first, when another run has begun or the run's process has ended, and in place of events that are not kept any more or that the reader was too slow for. Null: there was no run yet.",
  event: "The next line of `events.ndjson` of that run; see [events](events.md).",
};

/** A field of a body: what it means; `?` behind the type: it may be missing. */
type Fields = Readonly<Record<string, readonly [type: "text" | "text?" | "number", meaning: string]>>;

const task: Fields[string] = ["text", "its id, or the beginning of it"];
const run: Fields[string] = ["text", "its id"];

/** U-04: everything that can be changed, with the fields of the body. There is nothing else. */
export const API_VERBS = {
  answer: {
    doc: "Answers the question of a parked task (`task answer`).",
    fields: { task, text: ["text", "the answer"] },
  },
  reset: { doc: "Opens a task again, with all its attempts (`task reset`).", fields: { task } },
  retry: { doc: "Lets a failed task be tried again (`task reset`).", fields: { task } },
  drop: { doc: "Settles a task as not to be done (`task drop`).", fields: { task, reason: ["text?", "why"] } },
  park: {
    doc: "Sets a task aside until a question is answered (`task park`).",
    fields: { task, question: ["text", "the question"] },
  },
  context: {
    doc: "Adds a paragraph that agents get from the next iteration on (`context add`).",
    fields: { text: ["text", "the paragraph"], scope: ["text?", "a scope with tasks; absent: the workspace"] },
  },
  comment: {
    doc: "Adds words about a line of a change to the task, for its next attempt.",
    fields: {
      task,
      file: ["text", "the file as the diff names it"],
      line: ["number", "the line"],
      text: ["text", "the words"],
    },
  },
  allow: { doc: "Lets a task change files that decide how it is proven (`task allow`).", fields: { task } },
  approve: {
    doc: "Records that a person has looked at a done task and accepts it (`task approve`).",
    fields: { task },
  },
  land: { doc: "Lets your branch follow what landed (`land`). Gates may run first, so it may take long.", fields: {} },
  pause: { doc: "Pauses a run after its iteration (`pause`).", fields: { run } },
  resume: { doc: "Lets a paused or waiting run go on (`resume`).", fields: { run } },
  "stop-after": { doc: "Ends a run after its iteration (`stop --after`).", fields: { run } },
  stop: { doc: "Stops a run; a second time at once (`stop`).", fields: { run } },
} as const satisfies Readonly<Record<string, { readonly doc: string; readonly fields: Fields }>>;

export type ApiVerb = keyof typeof API_VERBS;

/** The answer to each of them: a sentence. */
export interface ApiSaid {
  readonly said: string;
}

/** Every answer that is not 2xx. */
export interface ApiProblem {
  readonly error: string;
  readonly hint: string | null;
}
