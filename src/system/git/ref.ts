import { RalphError } from "../../domain/error.ts";
import { git, mustBytes } from "./git.ts";
import { refInFiles } from "./ref-files.ts";
import { emptyTree, type Repository } from "./repository.ts";

/** The commits of those refs that exist. */
export async function readRefs(repository: Repository, refs: readonly string[]): Promise<Map<string, string>> {
  const quick = refs.map((name) => [name, refInFiles(repository, name)] as const);
  if (quick.every(([, ref]) => ref !== undefined)) {
    return new Map(quick.flatMap(([name, ref]) => (ref?.object === undefined ? [] : [[name, ref.object] as const])));
  }
  const answer = await mustBytes(repository, ["for-each-ref", "--format=%(objectname) %(refname)", ...refs]);
  const lines = answer.stdout.toString().split("\n").slice(0, -1);
  const found = lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))] as const);
  // A name also stands for everything below it.
  return new Map(found.filter(([name]) => refs.includes(name)));
}

/** Whether everything that one commit has is in the other. */
export const isAncestor = async (repository: Repository, older: string, newer: string): Promise<boolean> =>
  repository.parents.get(newer)?.includes(older) === true ||
  (await git(repository, ["merge-base", "--is-ancestor", older, newer])).code === 0;

/** Those of these commits that git has and the head does not have. */
export async function commitsOutside(
  repository: Repository,
  head: string,
  commits: readonly string[],
): Promise<ReadonlySet<string>> {
  if (commits.length === 0) return new Set();
  const stdin = `${[...commits, `^${head}`].join("\n")}\n`;
  const answer = await mustBytes(repository, ["rev-list", "--ignore-missing", "--stdin"], { stdin });
  const found = new Set(answer.stdout.toString().split("\n"));
  return new Set(commits.filter((commit) => found.has(commit)));
}

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

/** The id that is this part of a ref's name. */
export const idIn = (part: string): string => part.replaceAll("%2E", ".");
