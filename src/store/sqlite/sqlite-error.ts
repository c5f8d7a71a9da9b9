import { RalphError } from "../../domain/error.ts";
import { isDiskFull } from "../../system/store-file.ts";

interface SqliteError extends Error {
  readonly errcode: number;
  readonly code: string;
}

const SENTENCES: Readonly<Record<number, readonly [sentence: string, hint: string]>> = {
  3: ["may not be opened", "Check who owns it and its folder"],
  5: ["has been locked by another process for too long", "See who: ralphctl status"],
  6: ["has been locked by another process for too long", "See who: ralphctl status"],
  8: ["cannot be written", "Check the permissions of the file and its folder"],
  10: ["could not be read or written by the disk", "Check the disk and try again"],
  11: ["is damaged", "Look at it with: ralphctl doctor"],
  13: ["cannot grow: the disk is full", "Free some space and try again"],
  14: ["cannot be opened", "Check that its folder is there and can be written"],
  26: ["is not a database", "Move it away, or restore a copy: ralphctl doctor"],
};

/** Another process is replacing the file; callers wait as for a busy database. */
export class TurnError extends Error {
  readonly errcode = 5;
}

/** Our own check found damage. */
export class DamageError extends Error {
  readonly errcode = 11;
}

export const isBusy = (error: unknown): boolean => [5, 6].includes(codeOf(error) ?? 0);

export const isReadOnly = (error: unknown): boolean => codeOf(error) === 8;

/** The file itself is damaged and must be replaced. */
export const isDamage = (error: unknown): boolean => [11, 26].includes(codeOf(error) ?? 0);

/** The error for the user. Passes on errors that are not the database's: they have their own words, or are bugs. */
export function translated(error: unknown, path: string): unknown {
  const code = error instanceof RalphError ? undefined : codeOf(error);
  if (code === undefined) return error;
  const [sentence, hint] = SENTENCES[code === 10 && isDiskFull(path) ? 13 : code] ?? [
    "did not take a change",
    "Look at it with: ralphctl doctor",
  ];
  return new RalphError(code === 5 || code === 6 ? "busy" : "io", `The task database \`${path}\` ${sentence}`, {
    hint,
    cause: error,
  });
}

// SQLite says "disk I/O error" when the index of the WAL cannot grow.
const IOERR_SHMSIZE = 4874;

/** The primary code, without the upper bytes of extended ones. If a statement cannot be prepared, there are words only. */
function codeOf(error: unknown): number | undefined {
  if (error instanceof RalphError) return codeOf(error.cause);
  if (!(error instanceof Error)) return undefined;
  const { errcode, code } = error as Partial<SqliteError>;
  if (errcode === IOERR_SHMSIZE) return 13;
  if (typeof errcode === "number") return errcode & 0xff;
  if (code !== "ERR_SQLITE_ERROR") return undefined;
  return WORDS.find(([words]) => error.message.includes(words))?.[1] ?? 1;
}

const WORDS: readonly (readonly [words: string, code: number])[] = [
  ["is locked", 5],
  ["malformed", 11],
  ["not a database", 26],
  ["readonly", 8],
  ["disk is full", 13],
  ["disk I/O", 10],
  ["unable to open", 14],
];
