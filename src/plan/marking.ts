import { type MarkChange, PlanError, type PlanEntry, type PlanMark, type PlanReading } from "./entry.ts";
import { type TextEdit, applyEdits } from "./text-edit.ts";

/** The mark that a reading shows after a change is written. */
export interface Shown {
  readonly status: PlanMark;
  readonly aside?: "failed" | "parked";
}

/** An entry that does not show its change yet. */
export interface Wanted {
  readonly entry: PlanEntry;
  /** Its place in the reading. */
  readonly index: number;
  readonly change: MarkChange;
}

/** A format, as far as writing marks goes; `T` is what it knows of a text beyond the reading. */
export interface Marking<T extends Parsed> {
  readonly parse: (text: string) => T;
  /** How the format says a change. */
  readonly shown: (change: MarkChange) => Shown;
  readonly edits: (parsed: T, wanted: readonly Wanted[]) => readonly TextEdit[];
  /** Whether nothing else has changed, for a syntax where an edit in one place can mean something in another. */
  readonly isOtherwiseSame?: (before: T, after: T, wanted: readonly Wanted[]) => boolean;
}

export interface Parsed {
  readonly text: string;
  readonly reading: PlanReading;
}

/** The one way every format writes (P-50): applyEdits, read back, and refuse unless exactly the marks have changed. */
export function writeMarks<T extends Parsed>(
  text: string,
  marks: ReadonlyMap<string, MarkChange>,
  marking: Marking<T>,
): string {
  const before = marking.parse(text);
  const { entries } = before.reading;
  const wanted = wantedChanges(entries, marks, marking);
  if (wanted.length === 0) return text;
  const result = applyEdits(text, marking.edits(before, wanted));
  const after = parseBack(marking, result, wanted[0]!.entry);
  const changes = new Map(wanted.map(({ index, change }) => [index, change]));
  const isAsMeant =
    after.reading.entries.length === entries.length &&
    entries.every((entry, index) => {
      const change = changes.get(index);
      return isSame(entry, after.reading.entries[index]!, change ? marking.shown(change) : entry);
    });
  if (!isAsMeant || marking.isOtherwiseSame?.(before, after, wanted) === false) throw refused(wanted[0]!.entry);
  return result;
}

/** A result that does not parse is our own edit: the error names the entry, not a line that we wrote. */
function parseBack<T extends Parsed>({ parse }: Marking<T>, result: string, entry: PlanEntry): T {
  try {
    return parse(result);
  } catch (error) {
    if (error instanceof PlanError) throw refused(entry);
    throw error;
  }
}

const refused = (entry: PlanEntry): PlanError =>
  new PlanError(
    { line: entry.line, column: 1 },
    `"${entry.title.slice(0, 80)}" cannot be marked without changing something else; nothing was changed`,
    "Change the mark by hand",
  );

function wantedChanges(
  entries: readonly PlanEntry[],
  marks: ReadonlyMap<string, MarkChange>,
  { shown }: Pick<Marking<Parsed>, "shown">,
): Wanted[] {
  const indexOf = new Map(entries.map((entry, index) => [entry.key, index]));
  const wanted: Wanted[] = [];
  for (const [key, change] of marks) {
    const index = indexOf.get(key) ?? -1;
    const entry = entries[index];
    if (entry === undefined) {
      throw new PlanError({ line: 1, column: 1 }, `No entry has the key ${key}`, "Read the file again first");
    }
    if (entry.kind === "group") {
      const problem = `"${entry.title.slice(0, 80)}" is a heading and has no mark`;
      throw new PlanError({ line: entry.line, column: 1 }, problem, "Mark the entries below it");
    }
    const { status, aside } = shown(change);
    if (status !== entry.status || aside !== entry.aside) wanted.push({ entry, index, change });
  }
  return wanted;
}

/** Offsets and lines may move; what the entries say may not, but for the mark. */
function isSame(a: PlanEntry, b: PlanEntry, mark: Shown): boolean {
  return (
    a.key === b.key &&
    a.title === b.title &&
    a.description === b.description &&
    mark.status === b.status &&
    mark.aside === b.aside &&
    a.parentKey === b.parentKey &&
    a.needs.length === b.needs.length
  );
}
