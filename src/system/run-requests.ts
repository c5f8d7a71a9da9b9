import { existsSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ioError } from "./io-error.ts";
import { checkInside, makeFolder, writeAtomicUnsynced } from "./folder.ts";

/** Requests of other terminals to a run. Each call checks a file. */
export interface RunRequests {
  /** End after this iteration. */
  readonly stopAfter: () => boolean;
  /** U-04: where the newest of them came from; undefined: a terminal. */
  readonly from: () => string | undefined;
  /** Start no further iteration for now. */
  readonly isPaused: () => boolean;
  /** Whether there was a request to continue since the last call: a wait calls it once at its start, and ends at the next. */
  readonly takeResume: () => boolean;
  /** Removes all of them, those that were meant for earlier runs too. */
  readonly clear: () => void;
}

// A request is a file, in which is where it came from: nothing for a terminal. The run that it is meant for is in its name, so an old one never hits a later run.
export type RunRequestKind = "stop after" | "pause" | "resume";

/** The loop's side: what it looks at between iterations, and while it waits. */
export function openRequests(gitFolder: string, run: string): RunRequests {
  const has = (request: RunRequestKind): boolean => existsSync(fileOf({ gitFolder, run }, request));
  return {
    stopAfter: () => has("stop after"),
    from: () =>
      (["stop after", "pause"] as const)
        .map((each) => textAt(fileOf({ gitFolder, run }, each)))
        .find((text) => text !== ""),
    isPaused: () => has("pause"),
    takeResume: () => {
      const isAsked = has("resume");
      if (isAsked) rmSync(fileOf({ gitFolder, run }, "resume"), { force: true });
      return isAsked;
    },
    clear: () => rmSync(folderOf(gitFolder), { recursive: true, force: true }),
  };
}

/** A run, and the git folder of the working tree that it has. */
export interface RunPlace {
  readonly gitFolder: string;
  readonly run: string;
}

const OPPOSITE: Partial<Record<RunRequestKind, RunRequestKind>> = { pause: "resume", resume: "pause" };

/** P-40: asks a run to end after this iteration, to begin no further one, or to go on: after a pause or in a wait. */
export async function sendRequest(place: RunPlace, request: RunRequestKind, from = ""): Promise<void> {
  const folder = folderOf(place.gitFolder);
  await checkInside(place.gitFolder, folder);
  await makeFolder(folder, { isPrivate: true });
  const file = fileOf(place, request);
  const opposite = OPPOSITE[request];
  // At once: a run that saw the file without its text would tell of a terminal.
  writeAtomicUnsynced(file, from);
  try {
    if (opposite !== undefined) await rm(fileOf(place, opposite), { force: true });
  } catch (cause) {
    throw ioError(`write ${file}`, cause);
  }
}

/** Cut: whoever can write here is nobody's judge of what a log holds. */
function textAt(file: string): string {
  try {
    return readFileSync(file, "utf8").slice(0, LONGEST_FROM);
  } catch {
    return "";
  }
}

const LONGEST_FROM = 200;

const folderOf = (gitFolder: string): string => join(gitFolder, "ralph", "requests");

const fileOf = ({ gitFolder, run }: RunPlace, request: RunRequestKind): string =>
  join(folderOf(gitFolder), `${run}.${request.replace(" ", "-")}`);
