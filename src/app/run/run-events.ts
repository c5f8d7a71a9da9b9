import { join } from "node:path";
import { readEventLine, type LoggedEvent, typeOfLine } from "../../domain/run/event-line.ts";
import { foldersIn, kindOf } from "../../system/folder.ts";
import { createLineSplitter } from "../../system/line-splitter.ts";
import { filePieces } from "../../system/lines.ts";

/** The logs of all runs in a workspace, oldest first. */
export async function runLogs(root: string): Promise<string[]> {
  const runs = join(root, ".ralph", "runs");
  // Their names begin with the time.
  const files = (await foldersIn(runs)).map((name) => join(runs, name, "events.ndjson"));
  const kinds = await Promise.all(files.map(kindOf));
  return files.filter((_, index) => kinds[index] === "file");
}

const LONGEST_LINE = 4 * 1024 * 1024;

/** An event as it was read, with the line that it was. */
export interface LogLine extends LoggedEvent {
  readonly text: string;
}

/** Makes events of the bytes of a log as they come. */
export interface EventReader {
  /** The events that are whole now. */
  readonly push: (bytes: Uint8Array) => readonly LogLine[];
  /** The rest after the last line break may be an event too. */
  readonly end: () => readonly LogLine[];
}

/**
 * A line that is none of ours is left out: a crash may have cut the last one. `isWanted`: those of other types are not
 * even parsed.
 */
export function createEventReader(isWanted: (type: string) => boolean = () => true): EventReader {
  let found: LogLine[] = [];
  const splitter = createLineSplitter({
    limitBytes: LONGEST_LINE,
    onLine: (text) => {
      const line = isWanted(typeOfLine(text)) ? readEventLine(text) : undefined;
      if (line !== undefined) found.push({ ...line, text });
    },
    onLongLine: () => undefined,
  });
  const taken = (): readonly LogLine[] => {
    const lines = found;
    found = [];
    return lines;
  };
  return {
    push: (bytes) => {
      splitter.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return taken();
    },
    end: () => {
      splitter.end();
      return taken();
    },
  };
}

/** The events of a log. */
export async function* eventsIn(file: string, isWanted?: (type: string) => boolean): AsyncIterable<LogLine> {
  const reader = createEventReader(isWanted);
  for (const bytes of filePieces(file)) yield* reader.push(bytes);
  yield* reader.end();
}
