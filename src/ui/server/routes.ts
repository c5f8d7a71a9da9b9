import { inspect } from "../../app/inspect/inspect.ts";
import { createGateStats } from "../../app/page/gate-stats.ts";
import { createTalkReader } from "../../app/page/iteration-talk.ts";
import { findIteration, type IterationText, iterationText } from "../../app/page/iteration-texts.ts";
import { createRunList } from "../../app/page/list-runs.ts";
import { listNeeds } from "../../app/page/needs.ts";
import { verbsFor } from "../../app/page/task-verbs.ts";
import { makeReport, type RunReport } from "../../app/report.ts";
import { workspaceStatus } from "../../app/status.ts";
import { type Caller, reading } from "../../app/task/caller.ts";
import { graphTasks } from "../../app/task/graph-tasks.ts";
import { showTask } from "../../app/task/show-task.ts";
import { RalphError } from "../../domain/error.ts";
import { criticalPath } from "../../domain/graph/critical-path.ts";
import { mapStrings, type Redactor } from "../../domain/redact.ts";
import { version } from "../../domain/version.ts";
import { edgesOf, graphTaskJson } from "../../format/graph-json.ts";
import { attemptsJson, iterationJson, runJson } from "../../format/inspect-json.ts";
import { listedRunJson } from "../../format/run-list-json.ts";
import { changeOf, taskPageJson } from "../../format/task-page.ts";
import { workspaceStatusJson } from "../../format/workspace-status-json.ts";
import type { ApiReads, Lines } from "../api.ts";
import { reportPage } from "../report/page.tsx";

/** What a path names, and what a text may not show. */
export interface ReadRequest {
  /** The parts of the path that are written in capitals, in order. */
  readonly named: readonly string[];
  readonly redact: Redactor;
  /** How many lines or events at the beginning are not asked for. */
  readonly skip: number;
}

export type Reads = { readonly [Path in keyof ApiReads]: (request: ReadRequest) => Promise<ApiReads[Path]> };

/** U-10: every read, by its path. The same functions as `--json` of the commands. */
export function createReads(caller: Caller): Reads {
  const listRuns = createRunList();
  const gateStats = createGateStats();
  const talkOf = createTalkReader();
  const text = async (
    { named: [run = "", iteration = ""], redact }: ReadRequest,
    what: IterationText,
  ): Promise<Lines> => ({
    lines: linesOf(redact(await iterationText({ run, iteration }, what, caller))),
  });
  return {
    "/status": async () => workspaceStatusJson(await workspaceStatus({}, caller)),
    "/graph": async () => await graphReply(caller),
    "/needs": async () => await listNeeds(caller),
    "/tasks/ID": async ({ named: [id = ""] }) => {
      const view = await showTask(id, caller);
      return {
        ...taskPageJson(view),
        attemptLog: await attemptsOf(view.task.id, caller),
        verbs: await reading(caller, async ({ store }) => await verbsFor(store, view.task, view.standing?.kind)),
        evidence: changeOf(view) ?? null,
      };
    },
    "/runs": async () => (await listRuns(caller)).map(listedRunJson),
    "/runs/RUN": async ({ named: [run = ""] }) => await runReply(run, caller),
    "/runs/RUN/report": async ({ named: [run], redact }) => ({ html: await reportReply(run, caller, redact) }),
    "/runs/RUN/N": async ({ named: [run = "", iteration = ""] }) =>
      iterationJson(await findIteration({ run, iteration }, caller)),
    "/runs/RUN/N/prompt": async (request) => await text(request, "prompt"),
    "/runs/RUN/N/diff": async (request) => await text(request, "diff"),
    "/runs/RUN/N/transcript": async ({ named: [run = "", iteration = ""], skip }) =>
      await talkOf({ run, iteration, skip }, caller),
    "/runs/RUN/N/gate/K": async (request) => await text(request, { gate: Number(request.named[2]) }),
    "/gates": async () => await gateStats(caller),
  };
}

async function graphReply(caller: Caller): Promise<ApiReads["/graph"]> {
  const { tasks } = await graphTasks({}, caller);
  return {
    tasks: tasks.map((task) => Object.assign(graphTaskJson(task), { needs: task.needs })),
    edges: tasks.flatMap(edgesOf),
    critical: criticalPath(tasks),
  };
}

async function attemptsOf(id: string, caller: Caller) {
  const found = await inspect({ subject: id, scope: {} }, caller);
  return found.kind === "task" ? attemptsJson(found.task, found.attempts).attempts : [];
}

async function runReply(run: string, caller: Caller): Promise<ApiReads["/runs/RUN"]> {
  const found = await inspect({ subject: run, scope: {} }, caller);
  if (found.kind === "run") return runJson(found);
  throw unknownRun(run);
}

async function reportReply(run: string | undefined, caller: Caller, redact: Redactor): Promise<string> {
  const made = await makeReport({ run, scope: {}, withDiffs: true }, caller);
  if (made === undefined) throw unknownRun(run ?? "");
  // Before it becomes HTML, in which a value may be spelled in another way; and what lies in other places of the report.
  return redact(reportPage(mapStrings(made, redact) as RunReport, version));
}

const unknownRun = (run: string): RalphError => new RalphError("usage", `Unknown run ${JSON.stringify(run)}`);

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
