import { join } from "node:path";
import { readEventLine, type ReadLine } from "../../domain/run/event-line.ts";
import { foldersIn, kindOf } from "../../system/folder.ts";
import { createLineSplitter } from "../../system/line-splitter.ts";
import { fileBytes } from "../../system/lines.ts";

/** The logs of all runs in a workspace, oldest first. */
export async function runLogs(root: string): Promise<string[]> {
  const runs = join(root, ".ralph", "runs");
  // Their names begin with the time.
  const files = (await foldersIn(runs)).map((name) => join(runs, name, "events.ndjson"));
  const kinds = await Promise.all(files.map(kindOf));
  return files.filter((_, index) => kinds[index] === "file");
}

const LONGEST_LINE = 4 * 1024 * 1024;

/** The events of a log. A line that is none of ours is left out: a crash may have cut the last one. */
export async function* eventsIn(file: string): AsyncIterable<ReadLine> {
  let found: ReadLine[] = [];
  const splitter = createLineSplitter({
    limitBytes: LONGEST_LINE,
    onLine: (text) => {
      const line = readEventLine(text);
      if (line !== undefined) found.push(line);
    },
    onLongLine: () => undefined,
  });
  for await (const bytes of fileBytes(file)) {
    splitter.push(Buffer.from(bytes));
    yield* found;
    found = [];
  }
  splitter.end();
  yield* found;
}

/** What a run was about; undefined when it never began. */
export async function scopeIn(file: string): Promise<string | undefined> {
  for await (const { event } of eventsIn(file)) if (event.type === "run.started") return event.scope;
  return undefined;
}
