import { branchRef } from "../system/git/landing.ts";
import { messageOf } from "../system/git/commit.ts";
import type { Loan } from "../system/git/loan.ts";
import { entriesSince, isSessions } from "../system/git/reflog.ts";
import { readHead } from "../system/git/ref-files.ts";
import { isAncestor, readRefs, refsWith } from "../system/git/ref.ts";
import type { Repository } from "../system/git/repository.ts";
import { markUnproven } from "../system/git/unproven.ts";

const MOST_NAMED = 5;

/**
 * T-41: a killed session's commits that stay in the person's history do not count as the person's. Marks them, so that
 * gates prove the branch before it becomes the landing. Returns a notice that names them.
 */
export async function markSessionCommits(home: Repository, loan: Loan): Promise<string[]> {
  const ref = branchRef(loan);
  const tip = ref === undefined ? (await readHead(home)).commit : (await readRefs(home, [ref])).get(ref);
  const logs = [
    entriesSince(home, "HEAD", loan.last.head),
    ref === undefined ? [] : entriesSince(home, ref, loan.last.branch),
  ];
  const isTold = logs.every((entries) => entries !== undefined);
  const made = logs.flatMap((entries) => (entries ?? []).filter(isSessions).map(({ now }) => now));
  // Without a reflog, it may all be the session's.
  const candidates = isTold || tip === undefined ? made : [...made, tip];
  const own: string[] = [];
  for (const commit of new Set(candidates)) if (!(await isProven(home, loan, commit))) own.push(commit);
  if (own.length === 0) return [];
  // The person may have amended them.
  const isAmended = tip !== undefined && !(await isProven(home, loan, tip));
  await markUnproven(home, loan.run, { base: loan.head, commits: isAmended ? [...own, tip] : own });
  const named = await Promise.all(own.slice(-MOST_NAMED).map(async (commit) => await nameOf(home, commit)));
  const more = own.length > MOST_NAMED ? `${own.length - MOST_NAMED} others and ` : "";
  return [`No gate has proven the commits of its session yet: ${more}${named.join(", ")}`];
}

const LANDINGS = ["refs/ralph/target", "refs/ralph/target-detached"];

const isProven = async (home: Repository, { head }: Loan, commit: string): Promise<boolean> =>
  (await isAncestor(home, commit, head)) || (await refsWith(home, commit, LANDINGS)).length > 0;

const nameOf = async (home: Repository, commit: string): Promise<string> =>
  `${commit.slice(0, 10)} (${(await messageOf(home, commit)).split("\n", 1)[0]})`;
