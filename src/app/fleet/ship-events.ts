import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { isRunId } from "../../domain/run/run-id.ts";
import type { Fleet } from "../../store/store.ts";
import { entriesIn, removeAll } from "../../system/folder.ts";
import { followFile } from "../../system/follow-file.ts";
import { createLineSplitter } from "../../system/line-splitter.ts";
import { isAlive, processIdentity } from "../../system/process/process-identity.ts";
import { randomUuid } from "../../system/random-name.ts";
import { sleep } from "../../system/sleep.ts";

/** F-04: a machine's own file of the events of a run, from which they are sent to the fleet. */
export interface Spool {
  readonly file: string;
  /** Its name in the fleet. */
  readonly name: string;
}

/** The name says which process writes it: what a dead one left is sent by the next. */
export function newSpool(folder: string): Spool {
  const { pid, startTime } = processIdentity();
  const name = randomUuid().replaceAll("-", "");
  return { file: join(folder, `${name}.${pid}.${startTime.replaceAll(/\W/g, "_")}.spool`), name };
}

export interface Shipping {
  /** Sends what is left, for so long; `kept`: the rest stays in the file, and is sent later. */
  readonly close: (patienceMs: number) => Promise<"sent" | "kept">;
}

export interface ShipRequest extends Spool {
  readonly fleet: Pick<Fleet, "appendEvents" | "spooled">;
  readonly run: string;
  /** The database is away, or is back. Called once for each. */
  readonly onTrouble?: ((error: RalphError | undefined) => void) | undefined;
}

const MOST_LINES = 500;
const MOST_CHARS = 1024 * 1024;
const LONGEST_LINE = 16 * 1024 * 1024;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;

/**
 * Sends the lines of a spool as they come. The fleet counts those that have arrived, in the same step: whatever gets
 * lost, the database, an answer or this process, no line is there twice, and none is missing in the end.
 */
export function shipEvents(request: ShipRequest): Shipping {
  const end = new AbortController();
  let isOver = false;
  const sent = ship(request, { isOver: () => isOver, end: end.signal });
  return {
    close: async (patienceMs) => {
      isOver = true;
      const timer = setTimeout(() => end.abort(), patienceMs);
      const all = await sent;
      clearTimeout(timer);
      // The fleet has it, and whoever wants to read it makes a copy of all machines' events.
      if (all) await removeAll(request.file);
      return all ? "sent" : "kept";
    },
  };
}

interface Until {
  readonly isOver: () => boolean;
  readonly end: AbortSignal;
}

/** Whether all has arrived. */
async function ship({ fleet, run, name, file, onTrouble }: ShipRequest, { isOver, end }: Until): Promise<boolean> {
  const patient = patience(onTrouble, end);
  const arrived = await patient(() => fleet.spooled(run, name));
  if (arrived === undefined) return false;
  let skip = arrived;
  let from = arrived;
  const waiting: string[] = [];
  const take = (text: string): void => {
    if (skip > 0) skip -= 1;
    else waiting.push(text);
  };
  const splitter = createLineSplitter({ limitBytes: LONGEST_LINE, onLine: take, onLongLine: () => take("{}") });
  for await (const bytes of followFile(file, () => isOver() || end.aborted)) {
    splitter.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    while (waiting.length > 0) {
      const lines = batchOf(waiting);
      const there = await patient(() => fleet.appendEvents(run, { spool: name, from, lines }));
      if (there === undefined) return false;
      // Another sender of the same file may have been ahead.
      skip += Math.max(0, there - from - waiting.length);
      waiting.splice(0, there - from);
      from = there;
    }
  }
  return !end.aborted;
}

function batchOf(waiting: readonly string[]): string[] {
  let chars = 0;
  const most = waiting.slice(0, MOST_LINES);
  const tooMany = most.findIndex((line, n) => (chars += line.length) > MOST_CHARS && n > 0);
  return tooMany === -1 ? most : most.slice(0, tooMany);
}

/** Tries again until it works, or until the end: then undefined. */
function patience(onTrouble: ShipRequest["onTrouble"], end: AbortSignal) {
  let isAway = false;
  return async <Result>(action: () => Promise<Result>): Promise<Result | undefined> => {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        const result = await action();
        if (isAway) onTrouble?.(undefined);
        isAway = false;
        return result;
      } catch (error) {
        if (!(error instanceof RalphError)) throw error;
        if (!isAway) onTrouble?.(error);
        isAway = true;
        // The fleet has forgotten the run, or lines before these: no patience helps.
        if (error.kind === "data") return undefined;
      }
      if (end.aborted) return undefined;
      await sleep(waitMs, end);
    }
  };
}

/** Sends what processes of this machine left when they died, or when the database was away. */
export async function shipLeft(fleet: ShipRequest["fleet"], root: string, patienceMs: number): Promise<void> {
  const runs = join(root, ".ralph", "runs");
  for (const run of (await entriesIn(runs)).filter(isRunId)) {
    const folder = join(runs, run);
    for (const entry of await entriesIn(folder)) {
      const spool = leftSpool(folder, entry);
      if (spool === undefined) continue;
      await shipEvents({ ...spool, fleet, run }).close(patienceMs);
    }
  }
}

function leftSpool(folder: string, entry: string): Spool | undefined {
  const [, name, pid, startTime] = /^(\w+)\.(\d+)\.(\w+)\.spool$/.exec(entry) ?? [];
  if (name === undefined || pid === undefined || startTime === undefined) return undefined;
  const isWriting = isAlive({ host: processIdentity().host, pid: Number(pid), startTime });
  return isWriting === true ? undefined : { file: join(folder, entry), name };
}
