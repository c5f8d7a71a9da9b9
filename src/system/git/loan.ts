import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, writeAtomic } from "../folder.ts";
import { readTextFile } from "../text-file.ts";
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
  /** The tree was left to the person: the ref that has it, and its state then. */
  readonly kept?: { readonly ref: string; readonly state: string } | undefined;
}

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
  const text = await readTextFile(file, { limitBytes: 1024 * 1024, what: file });
  if (text === undefined) return undefined;
  try {
    const { run, task, base, head, branch, last, phase, killedAtMs, kept } = JSON.parse(text) as Loan;
    const isWhole = [run, base, head, last.head, last.branch].every((value) => typeof value === "string");
    return isWhole ? { run, task, base, head, branch, last, phase, killedAtMs, kept } : undefined;
  } catch {
    return undefined; // damaged: the tree is judged as the person's
  }
}
