import { listNeeds } from "../../app/page/needs.ts";
import { createRunList } from "../../app/page/list-runs.ts";
import { inspect } from "../../app/inspect/inspect.ts";
import { workspaceStatus } from "../../app/status.ts";
import type { Caller } from "../../app/task/caller.ts";
import { graphTasks } from "../../app/task/graph-tasks.ts";
import { showTask } from "../../app/task/show-task.ts";
import { criticalPath } from "../../domain/graph/critical-path.ts";
import { edgesOf, graphTaskJson } from "../../format/graph-json.ts";
import { attemptsJson } from "../../format/inspect-json.ts";
import { listedRunJson } from "../../format/run-list-json.ts";
import { taskPageJson } from "../../format/task-page.ts";
import { workspaceStatusJson } from "../../format/workspace-status-json.ts";
import type { ApiReads } from "../api.ts";

/** What a path and its query name. All texts are checked before they come here. */
export interface ReadRequest {
  /** The parts of the path that are written in capitals, in order. */
  readonly named: readonly string[];
  readonly query: URLSearchParams;
}

type Reads = { readonly [Path in keyof ApiReads]: (request: ReadRequest) => Promise<ApiReads[Path]> };

/** U-10: every read, by its path. The same functions as `--json` of the commands. */
export function createReads(caller: Caller): Reads {
  const listRuns = createRunList();
  return {
    "/status": async () => workspaceStatusJson(await workspaceStatus({}, caller)),
    "/graph": async () => {
      const { tasks } = await graphTasks({}, caller);
      return {
        tasks: tasks.map((task) => ({ ...graphTaskJson(task), needs: task.needs })),
        edges: tasks.flatMap(edgesOf),
        critical: criticalPath(tasks),
      };
    },
    "/needs": async () => await listNeeds(caller),
    "/tasks/ID": async ({ named: [id = ""] }) => {
      const view = await showTask(id, caller);
      const { attempts } = await attemptsOf(view.task.id, caller);
      return { ...taskPageJson(view), attemptLog: attempts };
    },
    "/runs": async () => (await listRuns(caller)).map(listedRunJson),
  };
}

async function attemptsOf(id: string, caller: Caller) {
  const found = await inspect({ subject: id, scope: {} }, caller);
  if (found.kind !== "task") throw new Error(`${id} is a task, but inspect found another thing`);
  return attemptsJson(found.task, found.attempts);
}
