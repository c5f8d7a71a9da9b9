import { join } from "node:path";
import type { PinnedGate } from "../domain/gate.ts";
import type { TaskId } from "../domain/task.ts";
import type { Repository } from "../system/git/repository.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import { journalWrittenAtMs, journalEntries, appendEntry } from "../system/append-journal.ts";

/** The commit up to which the user's index was told. */
export interface IndexPosition {
  readonly head: string | undefined;
}

/** By what the work of a run is judged, as it was when the run began: it outlives the run with its unproven work. */
export interface Rules {
  /** Patterns of files that no session may change. */
  readonly protect: readonly string[];
  /** Discovered gates; undefined: they are in the configuration, which is protected. */
  readonly gates: readonly PinnedGate[] | undefined;
}

/** What is written down of a working tree, in the git directory. */
export interface WorkRecord {
  readonly v: 1;
  readonly base: Snapshot;
  readonly task: TaskId | undefined;
  readonly userPaths: readonly string[];
  /** What the last session left; undefined while one runs. */
  readonly left: Snapshot | undefined;
  /** Gates were run on what was left: what is not so any more, they changed. */
  readonly isChecked: boolean;
  readonly indexSyncedTo: IndexPosition | undefined;
  /** Absent in records of older versions. */
  readonly rules?: Rules | undefined;
}

const recordFile = ({ gitFolder }: Repository): string => join(gitFolder, "ralph", "work.ndjson");

export const writeWorkRecord = (repository: Repository, record: WorkRecord): void =>
  appendEntry(recordFile(repository), JSON.stringify(record));

/** A record that cannot be read is as good as none: then everything in the tree counts as the user's. */
export function readWorkRecord(repository: Repository): WorkRecord | undefined {
  for (const text of journalEntries(recordFile(repository))) {
    const record = parsed(text);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** When the record was last written. */
export const workRecordAtMs = (repository: Repository): number | undefined =>
  journalWrittenAtMs(recordFile(repository));

/** Undefined for half a line, or something else in its place. */
function parsed(text: string): WorkRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<WorkRecord> | null;
    return record?.v === 1 && record.base !== undefined ? ({ isChecked: false, ...record } as WorkRecord) : undefined;
  } catch {
    return undefined;
  }
}
