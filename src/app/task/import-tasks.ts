import { relative, resolve, sep } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { lineToTask, type LineRules } from "../../domain/task-line.ts";
import { cleanTask, type NewTask } from "../../domain/task-input.ts";
import { atLine } from "../../domain/task-list.ts";
import type { AddCounts, AddOptions, Store } from "../../store/store.ts";
import { pathExists } from "../../system/folder.ts";
import { fileBytes, linesOf } from "../../system/lines.ts";
import { bringInStep, type FollowedPlan } from "../follow-plan.ts";
import { type PlanFile, planFile } from "../plan-file.ts";
import { type Caller, scopeOf, writing } from "./caller.ts";
import { type DatabaseFile, type DatabaseImport, importDatabase, taskDatabases } from "./import-database.ts";
import { findStore } from "../task-store.ts";
import type { ScopeChoice } from "../workspace.ts";

export interface ImportRequest {
  /** Relative to the working directory; undefined: JSONL from `input`. */
  readonly file: string | undefined;
  readonly input: () => AsyncIterable<Uint8Array>;
  readonly format?: string | undefined;
  /** The scope of tasks that name none. */
  readonly scope: ScopeChoice;
  readonly onProgress?: AddOptions["onProgress"];
}

export type ImportReport =
  | ({ readonly format: "jsonl" } & AddCounts)
  | DatabaseImport
  | ({ readonly format: string } & FollowedPlan);

/** Adds the tasks of a file to the workspace, all of them or none. */
export async function importTasks(request: ImportRequest, caller: Caller): Promise<ImportReport> {
  const { root } = await findStore(caller.cwd);
  const path = request.file === undefined ? undefined : resolve(caller.cwd, request.file);
  if (path !== undefined && !pathExists(path)) {
    throw new RalphError("data", `There is no file ${request.file}`, { hint: "Check the name" });
  }
  const database = path === undefined ? undefined : databaseFor({ root, path, format: request.format });
  if (database !== undefined) {
    const scope = (await scopeOf(request.scope, caller, root)) ?? "workspace";
    return await writing(caller, async ({ store }) => await importDatabase(store, database, { scope }));
  }
  const isJsonl =
    request.format === "jsonl" || (request.format === undefined && /\.(jsonl|ndjson)$/i.test(path ?? ".jsonl"));
  const file = isJsonl || path === undefined ? undefined : planFile({ root, file: path, format: request.format });
  if (!isJsonl && file === undefined) {
    throw new RalphError("usage", "Standard input must be JSONL", { hint: "Name the plan file instead of -" });
  }
  const scope = (await scopeOf(request.scope, caller, root)) ?? "workspace";
  return await writing(caller, async ({ store }): Promise<ImportReport> => {
    if (file) return { format: file.format.name, ...(await importPlan(store, file, { root, scope })) };
    const bytes = path === undefined ? request.input() : fileBytes(path);
    return { format: "jsonl", ...(await importLines(store, bytes, { scope, onProgress: request.onProgress })) };
  });
}

/** The database of another tool, by its format or else by its name. */
function databaseFor({
  root,
  path,
  format,
}: {
  readonly root: string;
  readonly path: string;
  readonly format: string | undefined;
}): DatabaseFile | undefined {
  const database = taskDatabases.find((one) => (format === undefined ? one.matches(path) : one.name === format));
  return database && { name: relative(root, path).split(sep).join("/"), path, database };
}

/** JSONL → tasks, merged by id: the later `updatedAt` wins. */
export async function importLines(
  store: Store,
  bytes: AsyncIterable<Uint8Array>,
  { scope, onProgress }: Pick<AddOptions, "onProgress"> & { readonly scope: string },
): Promise<AddCounts> {
  const rules: LineRules = { scope, needsId: true };
  let last: { readonly task: NewTask; readonly line: number }[] = [];
  const chunks = async function* (): AsyncIterable<readonly NewTask[]> {
    for await (const lines of linesOf(bytes)) {
      const filled = lines.filter(({ text }) => text.trim() !== "");
      last = filled.map(({ text, number: line }) => ({ task: lineToTask(text, line, rules), line }));
      yield last.map(({ task }) => task);
    }
    last = [];
  };
  try {
    return await store.addStream(chunks(), { onExisting: "newer", onProgress });
  } catch (error) {
    // The store refuses a task when it takes it, and does not know the line: the last lines it was given are asked again.
    for (const { task, line } of last) atLine(line, () => cleanTask(task));
    throw error;
  }
}

/** Imports a plan file. Importing it again updates tasks, and drops none. */
async function importPlan(
  store: Store,
  file: PlanFile,
  place: { readonly root: string; readonly scope: string },
): Promise<FollowedPlan> {
  const result = await bringInStep(file, { store, ...place, file: file.name, editor: "person" }, "import");
  if (result.kind === "followed") return result;
  if (result.kind === "missing") {
    throw new RalphError("data", `There is no file ${result.file}`, { hint: "Check the name" });
  }
  throw new RalphError("data", result.message, { hint: result.hint });
}
