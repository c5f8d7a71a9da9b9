import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, writeAtomic } from "../folder.ts";
import { readTextFile } from "../text-file.ts";
import type { IgnoredFile } from "./ignored-files.ts";
import type { Repository } from "./repository.ts";

/** The person's own tree, lent to a run. The record is beside the lock of the tree for as long as the loan lasts. */
export interface Loan {
  readonly run: string;
  /** The task of the session; undefined for planning. */
  readonly task: string | undefined;
  /** The landing commit on which the session began. */
  readonly base: string;
  /** The commit that HEAD goes back to, and its branch; undefined: HEAD is detached. */
  readonly head: string;
  readonly branch: string | undefined;
  /** The last reflog entries before the session. */
  readonly last: { readonly head: string; readonly branch: string };
  /** `back`: everything was kept, and the files are on their way back. */
  readonly phase: "lent" | "back";
  /** The latest moment at which the killed run can have written; undefined: unknown. */
  readonly killedAtMs?: number | undefined;
  /** Paths that git ignored before the session; a folder ends in a slash. They are not the session's, whatever its rules say. */
  readonly ignored?: readonly string[] | undefined;
  readonly own?: KeptIgnored | undefined;
  /** The tree was left to the person: the ref that has it, and its state then. */
  readonly kept?: { readonly ref: string; readonly state: string } | undefined;
}

/** Ignored files before a session. */
export interface KeptIgnored {
  /** The ref that has them. */
  readonly ref: string;
  readonly commit: string;
  /** Those that go back to how they were. */
  readonly files: readonly IgnoredFile[];
  /** Those that no tool can make again. */
  readonly others: readonly IgnoredFile[];
  /** The person knows of the ref. */
  readonly isTold?: boolean;
}

const LARGEST = 64 * 1024 * 1024;

const fileOf = ({ gitFolder }: Repository): string => join(gitFolder, "ralph", "loan.json");

export async function writeLoan(home: Repository, loan: Loan): Promise<void> {
  await makeFolder(dirname(fileOf(home)), { isPrivate: true });
  await writeAtomic(fileOf(home), `${JSON.stringify(loan)}\n`);
}

export const endLoan = async (home: Repository): Promise<void> => await rm(fileOf(home), { force: true });

/** Notes when the run was killed, as long as somebody knows. */
export async function noteKill(home: Repository, { run, atMs }: { readonly run: string; readonly atMs: number }) {
  const loan = await readLoan(home);
  if (loan?.run === run && loan.killedAtMs === undefined) await writeLoan(home, { ...loan, killedAtMs: atMs });
}

/** The loan that a killed run left; undefined if there is none. */
export async function readLoan(home: Repository): Promise<Loan | undefined> {
  const file = fileOf(home);
  const text = await readTextFile(file, { limitBytes: LARGEST, what: file });
  if (text === undefined) return undefined;
  try {
    const loan = JSON.parse(text) as Loan;
    const { run, base, head, last } = loan;
    return [run, base, head, last.head, last.branch].every((value) => typeof value === "string") ? loan : undefined;
  } catch {
    return undefined; // damaged: the tree is judged as the person's
  }
}
