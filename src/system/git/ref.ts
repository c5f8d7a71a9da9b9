import { RalphError } from "../../domain/error.ts";
import { git, mustBytes } from "./git.ts";
import { emptyTree, type Repository } from "./repository.ts";

/** The commits of those refs that exist. */
export async function readRefs(repository: Repository, refs: readonly string[]): Promise<Map<string, string>> {
  const answer = await mustBytes(repository, ["for-each-ref", "--format=%(objectname) %(refname)", ...refs]);
  const lines = answer.stdout.toString().split("\n").slice(0, -1);
  const found = lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))] as const);
  // A name also stands for everything below it.
  return new Map(found.filter(([name]) => refs.includes(name)));
}

/** Whether everything that one commit has is in the other. */
export const isAncestor = async (repository: Repository, older: string, newer: string): Promise<boolean> =>
  (await git(repository, ["merge-base", "--is-ancestor", older, newer])).code === 0;

/** The refs below these names that contain a commit. Empty if git does not have it any more. */
export async function refsWith(repository: Repository, commit: string, below: readonly string[]): Promise<string[]> {
  const answer = await git(repository, ["for-each-ref", `--contains=${commit}`, "--format=%(refname)", ...below]);
  return answer.code === 0 ? answer.stdout.split("\n").filter((name) => name !== "") : [];
}

/** The last commit that both have; the empty tree if there is none. */
export async function mergeBase(repository: Repository, one: string, other: string): Promise<string> {
  const answer = await git(repository, ["merge-base", one, other]);
  return answer.code === 0 ? answer.stdout.trim() : emptyTree(repository);
}

/** An id as one part of a ref's name. Our ids may have dots where git's names may not. */
export function refPart(id: string): string {
  if (!/^[A-Za-z0-9._-]+$/.test(id)) {
    throw new RalphError("data", `${JSON.stringify(id)} cannot be part of a ref's name`, {
      hint: "Use letters, digits, `.`, `-` and `_`",
    });
  }
  return /^\.|\.\.|\.$|\.lock$/.test(id) ? id.replaceAll(".", "%2E") : id;
}
