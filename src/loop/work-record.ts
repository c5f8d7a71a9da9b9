import { join } from "node:path";
import type { PinnedGate } from "../domain/gate.ts";
import type { TaskId } from "../domain/task.ts";
import type { Repository } from "../system/git/repository.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import { journalWrittenAtMs, journalEntries, appendEntry } from "../system/append-journal.ts";

/** The commit to which the user's index was last synced. */
export interface IndexPosition {
  readonly head: string | undefined;
}

/** The rules by which a run judges work, as they were when it began. They apply as long as its unproven work remains. */
export interface Rules {
  /** Patterns of files that no session may change. */
  readonly protect: readonly string[];
  /** Discovered gates; undefined if the configuration, which is protected, defines them. */
  readonly gates: readonly PinnedGate[] | undefined;
}

/** The record of a working tree in the git directory. */
export interface WorkRecord {
  readonly v: 1;
  readonly base: Snapshot;
  readonly task: TaskId | undefined;
  readonly userPaths: readonly string[];
  /** The state after the last session; undefined while one runs. */
  readonly left: Snapshot | undefined;
  /** Gates ran on `left`, so differences from it are theirs. */
  readonly isChecked: boolean;
  readonly indexSyncedTo: IndexPosition | undefined;
  /** Absent in records of older versions. */
  readonly rules?: Rules | undefined;
}

const recordFile = ({ gitFolder }: Repository): string => join(gitFolder, "ralph", "work.ndjson");

export const writeWorkRecord = (repository: Repository, record: WorkRecord): void =>
  appendEntry(recordFile(repository), JSON.stringify(record));

/** Without a readable record, everything in the tree counts as the user's. */
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

/** As earlier versions called two of the fields. */
interface EarlierNames {
  readonly usersOwn?: readonly string[];
  readonly behind?: IndexPosition;
}

/** Undefined for an incomplete or foreign line. */
function parsed(text: string): WorkRecord | undefined {
  try {
    const record = JSON.parse(text) as (Partial<WorkRecord> & EarlierNames) | null;
    if (record?.v !== 1 || record.base === undefined) return undefined;
    const { usersOwn = [], behind, ...rest } = record;
    return { isChecked: false, userPaths: usersOwn, indexSyncedTo: behind, ...rest } as WorkRecord;
  } catch {
    return undefined;
  }
}
