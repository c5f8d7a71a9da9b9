import { taskToLine } from "../domain/task-line.ts";
import type { Store } from "../store/store.ts";
import { writeWhole } from "../system/folder.ts";
import { openStoreToRead } from "./task-store.ts";
import { isScopeChosen, taskScope } from "./task-scope.ts";
import type { ScopeChoice, Surroundings } from "./workspace.ts";

const LINES_AT_ONCE = 500;

/** Every task, or those of some scopes, as JSONL: sorted by id, some lines at a time. */
export async function* taskLines(store: Store, scopes?: readonly string[]): AsyncIterable<string> {
  let lines: string[] = [];
  for await (const task of store.each({ scopes }, "id")) {
    lines.push(`${taskToLine(task)}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    yield lines.join("");
    lines = [];
  }
  if (lines.length > 0) yield lines.join("");
}

export interface ExportRequest {
  readonly scope: ScopeChoice;
  /** A file, written whole or not at all; or what takes the text piece by piece. */
  readonly to: string | ((text: string) => Promise<void>);
}

/** Writes the tasks of the workspace down. Returns how many. */
export async function exportTasks(request: ExportRequest, surroundings: Surroundings): Promise<number> {
  const scopes = isScopeChosen(request.scope) ? [(await taskScope(request.scope, surroundings)).key] : undefined;
  const { store } = await openStoreToRead(surroundings.cwd);
  let count = 0;
  const counted = async function* (): AsyncIterable<string> {
    for await (const text of taskLines(store, scopes)) {
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
      yield text;
    }
  };
  try {
    const { to } = request;
    if (typeof to === "string") await writeWhole(to, counted());
    else for await (const text of counted()) await to(text);
  } finally {
    await store.close();
  }
  return count;
}
