import type { RecordJson } from "../domain/run/record-json.ts";
import type { Need } from "../app/page/needs.ts";
import type { WorkspaceVersion } from "../app/page/hub.ts";
import type { edgesOf, graphTaskJson } from "../format/graph-json.ts";
import type { attemptsJson } from "../format/inspect-json.ts";
import type { listedRunJson } from "../format/run-list-json.ts";
import type { taskPageJson } from "../format/task-page.ts";
import type { workspaceStatusJson } from "../format/workspace-status-json.ts";
import type { TaskId } from "../domain/task.ts";

/** U-10: the version of the API is part of its paths. */
export const API = "/api/v1";

/** U-03: the header that carries the token. No cookie: another port of this machine would get it, too. */
export const TOKEN_HEADER = "x-ralphctl-token";

/** What every read answers. The page is written against these types. */
export interface ApiReads {
  "/status": ReturnType<typeof workspaceStatusJson>;
  "/graph": GraphReply;
  "/needs": readonly Need[];
  "/tasks/ID": TaskReply;
  "/runs": readonly ReturnType<typeof listedRunJson>[];
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
}

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

/** Every answer that is not 2xx. */
export interface ApiProblem {
  readonly error: string;
  readonly hint: string | null;
}
