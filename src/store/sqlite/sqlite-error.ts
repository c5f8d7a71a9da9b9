import { RalphError } from "../../domain/error.ts";

interface SqliteError extends Error {
  readonly errcode: number;
}

const SENTENCES: Readonly<Record<number, readonly [sentence: string, hint: string]>> = {
  3: ["may not be opened", "Check who owns it and its folder"],
  5: ["is held by another process for too long", "See who: ralphctl status"],
  6: ["is held by another process for too long", "See who: ralphctl status"],
  8: ["cannot be written", "Check the permissions of the file and its folder"],
  10: ["could not be read or written by the disk", "Check the disk, then: ralphctl doctor"],
  11: ["is damaged", "Look at it with: ralphctl doctor"],
  13: ["cannot grow: the disk is full", "Free some space and try again"],
  14: ["cannot be opened", "Check that its folder is there and can be written"],
  26: ["is not a database", "Move it away, or restore a copy: ralphctl doctor"],
};

/** Another process is at it; like a busy database, it is waited for. */
export class TurnError extends Error {
  readonly errcode = 5;
}

export const isBusy = (error: unknown): boolean => [5, 6].includes(codeOf(error) ?? 0);

export const isDamage = (error: unknown): boolean => [11, 26].includes(codeOf(error) ?? 0);

/** What the user is told. Errors that are not the database's are passed on: they have their own words, or are bugs. */
export function translated(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const [sentence, hint] = SENTENCES[code] ?? ["did not take a change", "Look at it with: ralphctl doctor"];
  return new RalphError(code === 5 || code === 6 ? "busy" : "io", `The task database \`${path}\` ${sentence}`, {
    hint,
    cause: error,
  });
}

/** The primary code: extended ones have more in the upper bytes. */
function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error ? (error as Partial<SqliteError>).errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}
