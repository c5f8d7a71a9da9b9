import { isMapping, parseMapping } from "../domain/mapping.ts";
import type { Owner } from "../domain/task.ts";
import { isoTime } from "../domain/task-json.ts";
import { writeAtomicUnsynced } from "../system/folder.ts";
import { isAlive, processIdentity } from "../system/process/process-identity.ts";
import { readTextFile } from "../system/text-file.ts";

/** L-05: who uses a place, in a file beside it. */
export interface LaneRow {
  readonly folder: string;
  readonly run: string;
  readonly owner: Owner;
  /** The last task that began in it. */
  readonly task: string | undefined;
  /** When its run gave it back; undefined: it has not. */
  readonly endedAt: string | undefined;
  /** Its files at that time, as git's tree. */
  readonly left: string | undefined;
}

const rowFile = (folder: string): string => `${folder}.json`;

/** Writes that a run uses a place: before its folder is made, so that a killed run is known by it. */
export function openRow(folder: string, run: string) {
  const write = (row: Partial<LaneRow>): void =>
    writeAtomicUnsynced(rowFile(folder), `${JSON.stringify({ folder, run, owner: processIdentity(), ...row })}\n`);
  let task: string | undefined;
  write({});
  return {
    begin: (next: string | undefined): void => write({ task: (task = next) }),
    end: (left: string | undefined): void => write({ task, endedAt: isoTime(Date.now()), left }),
  };
}

/** Undefined: no run has used the place, or the file is damaged. */
export async function readRow(folder: string): Promise<LaneRow | undefined> {
  const rules = { limitBytes: 64 * 1024, what: rowFile(folder) };
  const said = parseMapping((await readTextFile(rowFile(folder), rules).catch(() => undefined)) ?? "");
  const { run, owner, task, endedAt, left } = said ?? {};
  if (!isText(run) || !isMapping(owner)) return undefined;
  const { host, pid, startTime } = owner;
  if (!isText(host) || !isText(startTime) || typeof pid !== "number") return undefined;
  return {
    folder,
    run,
    owner: { host, pid, startTime },
    task: isText(task) ? task : undefined,
    endedAt: isText(endedAt) ? endedAt : undefined,
    left: isText(left) ? left : undefined,
  };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** `left`: its run was killed, and nobody has looked at the place since. */
export function useOf(row: LaneRow | undefined): "used" | "free" | "left" {
  if (row === undefined || row.endedAt !== undefined) return "free";
  // On another host only the lock of the working tree knows, and who asks has that.
  return isAlive(row.owner) === true ? "used" : "left";
}

/** Writes that a place is free: what a killed run left in it is saved. */
export function closeRow(row: LaneRow): void {
  writeAtomicUnsynced(rowFile(row.folder), `${JSON.stringify({ ...row, endedAt: isoTime(Date.now()) })}\n`);
}
