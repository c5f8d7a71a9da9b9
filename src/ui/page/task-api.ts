import type { GraphTask } from "../../domain/graph/graph.ts";
import type { TaskJson } from "../../domain/task-json.ts";
import type { attemptJson } from "../../format/task-page.ts";
import type { iterationJson } from "../../format/inspect-json.ts";
import type { Act } from "./act.ts";

/** What the place of a task needs of the page around it. */
export interface TaskApi {
  /** A window of the lines of a text of the API. */
  readonly text: (path: string) => Promise<string>;
  readonly act: Act;
  /** Hears of every event of an iteration, until the returned function is called. */
  readonly subscribe: (run: string, iteration: number, onEvent: () => void) => () => void;
  readonly hrefOf: (task: string) => string;
}

export type RecordedIteration = ReturnType<typeof iterationJson>;

/** An attempt at a task, with its record if that is kept. */
export type AttemptData = ReturnType<typeof attemptJson> & { readonly record: RecordedIteration | null };

/** A task as the API tells it. */
export interface TaskData extends TaskJson {
  readonly dependents: readonly string[];
  readonly attemptLog: readonly AttemptData[];
  readonly verbs: readonly string[];
  readonly evidence: string | null;
}

export type NamedTask = Pick<GraphTask, "id" | "title" | "state">;
