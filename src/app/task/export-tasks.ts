import { taskToLine } from "../../domain/task-line.ts";
import type { Store } from "../../store/store.ts";
import { writeAtomic } from "../../system/folder.ts";
import { type Caller, reading, scopesOf } from "./caller.ts";
import type { ScopeChoice } from "../workspace.ts";

const LINES_AT_ONCE = 500;

/** Streams tasks as JSONL, sorted by id. */
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
  /** A file, written atomically, or a consumer of the text. */
  readonly to: string | ((text: string) => Promise<void>);
}

/** Writes the tasks of the workspace down. Returns how many. */
export async function exportTasks({ scope, to }: ExportRequest, caller: Caller): Promise<number> {
  return await reading(caller, async ({ store, place }) => {
    const scopes = await scopesOf(scope, caller, place.root);
    let count = 0;
    const counted = async function* (): AsyncIterable<string> {
      for await (const text of taskLines(store, scopes)) {
        for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
        yield text;
      }
    };
    if (typeof to === "string") await writeAtomic(to, counted());
    else for await (const text of counted()) await to(text);
    return count;
  });
}
