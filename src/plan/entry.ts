import { RalphError } from "../domain/error.ts";
import type { Position } from "../domain/position.ts";

/** The mark of an entry in a plan file. */
export type PlanMark = "open" | "started" | "done" | "dropped";

/**
 * The marks that we write. `started` is missing on purpose: it is read and never written. `failed` and `parked` are open
 * in every format; `PROGRESS.yaml` says them beside the mark (D-11). `prd.json` has no word for `dropped`: it stays false.
 */
export type MarkChange = "open" | "done" | "dropped" | "failed" | "parked";

/** Offsets into the text as a JavaScript string: end is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** One entry of a plan file. Readings list them in document order, parents before what they hold. */
export interface PlanEntry {
  /** Stable between readings (P-51): `id:…` for an id in the text, else a hash of parent, normalised title and ordinal. */
  readonly key: string;
  /** A heading groups and has no mark of its own: its state follows from what it holds. */
  readonly kind: "task" | "group";
  /** The id in the text; absent when two entries claim the same one, because then it identifies neither. */
  readonly id?: string;
  /** One line, never empty, without its id. */
  readonly title: string;
  /** The text of the entry, without nested entries; lines end in `\n`, whatever the file uses. */
  readonly description: string;
  readonly acceptance: readonly string[];
  /** `open` for a group. */
  readonly status: PlanMark;
  /** The status next to an open mark in `PROGRESS.yaml` (D-11). */
  readonly aside?: "failed" | "parked";
  readonly parentKey?: string;
  /** Keys of entries of this reading that come first. A group's needs hold for everything in it. */
  readonly needs: readonly string[];
  /** In a format with a file for each entry: ids of entries of other files. */
  readonly links?: EntryLinks;
  /** Lower first, where the format has it. */
  readonly priority?: number;
  /** 1-based. */
  readonly line: number;
  /** Where the mark stands; absent where there is none (a group, a story without `passes`). */
  readonly mark?: TextRange;
}

export interface EntryLinks {
  /** Those that come first. */
  readonly needs: readonly string[];
  /** The one that waits for all of its parts. */
  readonly partOf?: string;
}

/** An entry as the last reading saw it. In document order, as far as it is known. */
export interface KnownEntry {
  readonly taskId: string;
  readonly key: string;
  readonly kind: "task" | "group";
  readonly title: string;
  readonly description: string;
  /** The mark that was last read or written. */
  readonly status: PlanMark;
  readonly parentKey?: string | undefined;
  /** Its entry had vanished and its task was dropped for that. */
  readonly isGone?: boolean | undefined;
}

/** Something odd that does not stop the reading: reported to the agent or the person. */
export interface PlanNotice {
  readonly line: number;
  readonly message: string;
}

export interface PlanReading {
  readonly entries: readonly PlanEntry[];
  readonly notices: readonly PlanNotice[];
}

/** A plan file that does not parse, or cannot be marked as asked (P-53). The file's name is the caller's to add. */
export class PlanError extends RalphError {
  readonly line: number;
  readonly column: number;

  constructor(position: Position, problem: string, hint: string) {
    super("data", `Line ${position.line}, column ${position.column}: ${problem}`, { hint });
    this.name = "PlanError";
    this.line = position.line;
    this.column = position.column;
  }
}
