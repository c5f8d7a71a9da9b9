import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RalphError } from "../domain/error.ts";
import { isRunId } from "../domain/run/run-id.ts";
import { isoTime } from "../domain/task-json.ts";
import type { Owner } from "../domain/task.ts";
import { codeOf } from "./error-code.ts";
import { orWriteError } from "./io-error.ts";
import { checkInside, makeFolder, textIn } from "./folder.ts";
import { treeMarker } from "./process/marker.ts";
import { isAlive, processIdentity } from "./process/process-identity.ts";
import { loadSqlite } from "./sqlite-driver.ts";
import { withFileLock } from "./file-lock.ts";
import { sleep } from "./sleep.ts";

/** The run that takes a working tree. */
export interface TreeUse {
  readonly run: string;
  /** The scope key. */
  readonly scope: string;
}

/** The holder of a working tree, from its lock file. */
export interface TreeHolder extends TreeUse {
  readonly owner: Owner;
  readonly since: string;
  /** Earlier runs that ended without releasing the tree and may have left something. */
  readonly left: readonly string[];
  /** False: its process is gone, and the tree is free. */
  readonly isAlive: boolean;
  /** It has said its end, and only tidies up. */
  readonly isLeaving: boolean;
}

export interface TreeLock {
  /** Runs that ended without releasing the tree, oldest first: their processes and work must be cleaned up. */
  readonly left: readonly string[];
  /** When the last of them was gone, at the latest; undefined where there was none. */
  readonly crashedBeforeMs: number | undefined;
  /** Our run says its end now: the next one may be started at once, and waits for the release. */
  readonly leave: () => void;
  readonly release: () => void;
  /** Releases the tree as it was taken: the next run still cleans up after earlier ones. */
  readonly restore: () => void;
}

/** How often a holder gives a sign of life. */
const BEAT_MS = 10_000;
/** A machine that is busy beats late. */
const LATE_MS = 5000;
/** A holder on another host is only known by its beat. */
const SILENT_MS = 10 * 60_000;
const MAX_LEFT = 20;
const TURN_MS = 5000;
/** For so long, another run waits for one that has said its end. */
const LEAVING_MS = 30_000;
const PAUSE_MS = 20;

/** W-07: takes a working tree for a loop; an error that names the holder when another loop has it. `stop` ends the wait. */
export async function lockTree(gitFolder: string, use: TreeUse, stop?: AbortSignal): Promise<TreeLock> {
  const file = lockFile(gitFolder);
  await checkInside(gitFolder, file);
  await makeFolder(dirname(file), { isPrivate: true });
  const driver = await loadSqlite();
  const turn = { driver, file: `${file}.turn`, waitMs: TURN_MS };
  await untilLeft(file, stop);
  const { left, said, before } = withFileLock(turn, () => take(file, use));
  let text = textOf(said);
  const timer = setInterval(() => beat(file, text), BEAT_MS).unref();
  const isOurs = (): boolean => textIn(file) === text;
  const giveBack = (how: () => void): void => {
    clearInterval(timer);
    if (isOurs()) how();
  };
  return {
    left,
    crashedBeforeMs: before && (endedAtMs(gitFolder, before.run) ?? before.touchedAtMs + BEAT_MS + LATE_MS),
    leave: () => {
      const leaving = textOf({ ...said, leaving: true });
      if (isOurs() && replace(file, leaving)) text = leaving;
    },
    release: () => giveBack(() => remove(file)),
    restore: () => giveBack(() => (before === undefined ? remove(file) : restore(file, before))),
  };
}

/** The holder of a working tree; undefined if there is none, or if the file is damaged. */
export function readTreeLock(gitFolder: string): TreeHolder | undefined {
  const found = holderIn(lockFile(gitFolder));
  if (found === undefined) return undefined;
  const { text: _text, touchedAtMs: _touchedAtMs, ...holder } = found;
  return holder;
}

/** Refuses a working tree that another loop has, as `lockTree` would; takes nothing. */
export function checkFree(gitFolder: string): void {
  const holder = readTreeLock(gitFolder);
  if (holder?.isAlive === true && !holder.isLeaving) throw heldError(holder);
}

const lockFile = (gitFolder: string): string => join(gitFolder, "ralph", "run.json");

/** The guard of a run writes its mark there when it was killed. */
export const endedFile = (gitFolder: string): string => join(gitFolder, "ralph", "run.ended");

function endedAtMs(gitFolder: string, run: string): number | undefined {
  try {
    const file = endedFile(gitFolder);
    return readFileSync(file, "utf8").trim() === treeMarker(run, gitFolder).value
      ? Math.floor(statSync(file).mtimeMs)
      : undefined;
  } catch {
    return undefined; // the guard was killed as well
  }
}

/** Waits while a run that has said its end tidies up: a script may start the next as soon as it reads that. */
async function untilLeft(file: string, stop = new AbortController().signal): Promise<void> {
  const deadline = performance.now() + LEAVING_MS;
  while (performance.now() < deadline) {
    const holder = holderIn(file);
    if (holder?.isAlive !== true || !holder.isLeaving) return;
    if (stop.aborted) throw new RalphError("interrupted", `Stopped by you while run ${holder.run} was tidying up`);
    await sleep(PAUSE_MS, stop);
  }
}

/**
 * Only called under the file lock, so that no other process writes between check and write. `said` is what the file says
 * now, `before` who had it, and is gone.
 */
function take(file: string, { run, scope }: TreeUse) {
  const before = holderIn(file);
  if (before?.isAlive) throw heldError(before);
  const left = before === undefined ? [] : [...before.left, before.run].slice(-MAX_LEFT);
  const said = { ...processIdentity(), run, scope, since: isoTime(Date.now()), left };
  orWriteError(file, () => writeAtOnce(file, textOf(said)));
  return { left, said, before };
}

const textOf = (said: object): string => `${JSON.stringify(said)}\n`;

/** Complete before it has its name: a reader never sees half of it. */
function writeAtOnce(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** A holder, and the file that says so. */
interface WrittenHolder extends TreeHolder {
  readonly text: string;
  readonly touchedAtMs: number;
}

function holderIn(file: string): WrittenHolder | undefined {
  let touchedAtMs: number;
  let text: string;
  try {
    touchedAtMs = Math.round(statSync(file).mtimeMs);
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    throw new RalphError("io", `Cannot read ${file}: ${codeOf(cause)}`, { hint: "Check its permissions", cause });
  }
  const said = parse(text);
  const isSilent = Date.now() - touchedAtMs >= SILENT_MS;
  return said && { ...said, isAlive: isAlive(said.owner) ?? !isSilent, text, touchedAtMs };
}

/** Undefined for anything that we have not written so. */
function parse(text: string): Omit<TreeHolder, "isAlive"> | undefined {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return undefined; // damaged
  }
  if (typeof said !== "object" || said === null) return undefined;
  const { host, pid, startTime, run, scope, since, left, leaving } = said as Record<string, unknown>;
  const isWhole = isText(host) && isText(startTime) && isText(scope) && isText(since) && isRunId(run) && isPid(pid);
  if (!isWhole) return undefined;
  const earlier = Array.isArray(left) ? left.filter(isRunId) : [];
  return { run, scope, owner: { host, pid, startTime }, since, left: earlier, isLeaving: leaving === true };
}

const isPid = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const isText = (value: unknown): value is string => typeof value === "string";

const heldError = ({ run, scope, owner, since }: TreeHolder): RalphError => {
  const where = owner.host === processIdentity().host ? "" : ` on ${owner.host}`;
  const who = `run ${run} of ${scope} (process ${owner.pid}${where}, since ${since})`;
  return new RalphError("busy", `This working tree is in use by ${who}`, {
    hint: "Run ralphctl stop, or ralphctl stop --after, or work in another git worktree",
  });
};

/** So that others see that we live, and until when we did. */
function beat(file: string, text: string): void {
  try {
    const now = new Date();
    if (textIn(file) === text) utimesSync(file, now, now);
  } catch {
    // the file is gone: nothing to keep alive
  }
}

function remove(file: string): void {
  try {
    rmSync(file);
  } catch {
    // Gone already; or it cannot be removed, and then the next loop sees that its holder is.
  }
}

function replace(file: string, text: string): boolean {
  try {
    writeAtOnce(file, text);
    return true;
  } catch {
    return false; // the disk may be full; the next loop is refused, then, until we are gone
  }
}

function restore(file: string, { text, touchedAtMs }: WrittenHolder): void {
  try {
    writeAtOnce(file, text);
    utimesSync(file, touchedAtMs / 1000, touchedAtMs / 1000);
  } catch {
    // It says that we have the tree, then, and the next loop sees that we are gone.
  }
}
