import { sizeOf } from "../../system/folder.ts";
import { filePieces } from "../../system/lines.ts";
import { createEventReader, type LogLine } from "../run/run-events.ts";
import { findRunLog } from "../run/run-logs.ts";
import type { Caller } from "../task/caller.ts";
import { findStore } from "../task-store.ts";
import type { IterationName } from "./iteration-texts.ts";

/** What the agent of an iteration said and did: the lines of the log, as they are in it. */
export interface Talk {
  /** How many come before those that are here. */
  readonly before: number;
  readonly talk: readonly unknown[];
}

/** So many events of an iteration are in the bytes of a log before this one. */
interface Bookmark {
  readonly count: number;
  readonly at: number;
}

const START: Bookmark = { count: 0, at: 0 };
const MOST_BOOKMARKS = 100;

/**
 * While an agent works, its page asks for what came after the last answer, again and again: only that is read. The rest of a
 * log may be long, and nobody else is answered meanwhile.
 */
export function createTalkReader() {
  const bookmarks = new Map<string, Bookmark>();
  return async (
    { run, iteration, skip }: IterationName & { readonly skip: number },
    { cwd }: Caller,
  ): Promise<Talk> => {
    const { file } = await findRunLog(run, (await findStore(cwd)).root);
    const key = `${iteration} ${file}`;
    const kept = bookmarks.get(key) ?? START;
    const start = kept.count <= skip && kept.at <= (sizeOf(file) ?? 0) ? kept : START;
    const { talk, bookmark } = talkAfter(start, Number(iteration), file);
    bookmarks.delete(key);
    bookmarks.set(key, bookmark);
    if (bookmarks.size > MOST_BOOKMARKS) bookmarks.delete(bookmarks.keys().next().value!);
    return { before: start.count, talk };
  };
}

function talkAfter(start: Bookmark, iteration: number, file: string) {
  const reader = createEventReader((type) => type.startsWith("agent."));
  const talk: unknown[] = [];
  const take = (lines: readonly LogLine[]): void => {
    for (const { event, text } of lines)
      if ("iteration" in event && event.iteration === iteration) talk.push(JSON.parse(text));
  };
  let [read, whole] = [start.at, start.at];
  for (const bytes of filePieces(file, start.at)) {
    take(reader.push(bytes));
    const end = bytes.lastIndexOf(NEWLINE);
    if (end >= 0) whole = read + end + 1;
    read += bytes.length;
  }
  const bookmark = { count: start.count + talk.length, at: whole };
  // A line without an end may get more: it is read again.
  take(reader.end());
  return { talk, bookmark };
}

const NEWLINE = 10;
