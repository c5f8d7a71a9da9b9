import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { git } from "../temporary-folder.ts";

interface RefMove {
  readonly from: string;
  readonly to: string;
  readonly tree: string;
  readonly message: string;
}

/** The moves of a ref, oldest first. */
export function movesOf(folder: string, ref: string): RefMove[] {
  const text = gitOr(folder, "", "reflog", "show", "--format=%H %T %gs", ref);
  const entries = text.split("\n").filter(Boolean).reverse();
  return entries.map((line, index) => ({
    from: entries[index - 1]?.slice(0, 40) ?? "",
    to: line.slice(0, 40),
    tree: line.slice(41, 81),
    message: line.slice(82),
  }));
}

const BEGIN = "ralphctl: begin at the branch";

/** A plan that parses is its own proof. */
const PLAN = "ralphctl: Plan the work";

const isOurs = ({ message }: RefMove): boolean =>
  message !== BEGIN && message !== "ralphctl: take in the person's branch";

function gitOr<Other>(folder: string, other: Other, ...args: readonly string[]): string | Other {
  try {
    return git(folder, ...args);
  } catch {
    return other;
  }
}

const isAncestor = (folder: string, older: string, newer: string): boolean =>
  gitOr(folder, undefined, "merge-base", "--is-ancestor", older, newer) !== undefined;

/** Trees for which the store has a verdict that was recorded before they landed. */
async function provenTrees(folder: string): Promise<Set<string>> {
  const store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  try {
    const trees = new Set<string>();
    for await (const { id } of store.each({})) {
      for (const { verdict } of await store.attempts(id)) trees.add(verdict?.tree ?? "");
    }
    return trees;
  } finally {
    await store.close();
  }
}

/**
 * Each place at which the landing ref ever was is a tree with a verdict, or a commit that it took in from the person's
 * branch with green gates. Returns those that are neither.
 */
export async function unproven(
  folder: string,
  { isGreen, branch = "main" }: { readonly isGreen: (commit: string) => boolean; readonly branch?: string },
): Promise<string[]> {
  const proven = await provenTrees(folder);
  return movesOf(folder, `refs/ralph/target/${branch}`).flatMap((move) => {
    const { to, tree, message } = move;
    // Where a run begins is not its work.
    if (message === BEGIN || message === PLAN) return [];
    if (!isOurs(move)) return isGreen(to) ? [] : [`red: ${to} ${message}`];
    return proven.has(tree) ? [] : [`no verdict: ${to} ${message}`];
  });
}

/** A branch that the person renamed brings its history with it. */
function movesSinceNamed(folder: string, ref: string): RefMove[] {
  const moves = movesOf(folder, ref);
  return moves.slice(moves.findLastIndex(({ message }) => message.endsWith(` to ${ref}`)) + 1);
}

/** Moves of branches by ralphctl that are not fast-forwards, or not of the branch that follows. */
export function wrongMoves(folder: string, branch = "main"): string[] {
  const refs = git(folder, "for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
  return ["HEAD", ...refs].flatMap((ref) =>
    movesSinceNamed(folder, ref)
      .filter(({ message }) => message.startsWith("ralphctl"))
      .filter(({ from, to }) => !["HEAD", `refs/heads/${branch}`].includes(ref) || !isAncestor(folder, from, to))
      .map(({ from, to, message }) => `${ref}: ${from} to ${to}, ${message}`),
  );
}

/** Tasks that ralphctl landed more often than once. A person may take the first one off, and ask for it again. */
export function landedTwice(folder: string, branch = "main"): string[] {
  const ref = `refs/ralph/target/${branch}`;
  const format = "--format=%H %(trailers:key=Ralph-Task,valueonly,separator=%x20)";
  // One look for all: an hour of lanes lands thousands.
  const there = new Map(
    gitOr(folder, "", "log", format, ref)
      .split("\n")
      .map((line) => [line.slice(0, 40), line.slice(41)]),
  );
  const tasks = movesOf(folder, ref)
    .filter(isOurs)
    .map(({ to }) => there.get(to) ?? "")
    .filter(Boolean);
  return tasks.filter((task, index) => tasks.indexOf(task) !== index).map((task) => `${task} landed twice`);
}

/** Refs whose objects are not all there. */
export const brokenRefs = (folder: string): string[] =>
  git(folder, "for-each-ref", "--format=%(refname)")
    .split("\n")
    .filter((ref) => gitOr(folder, undefined, "rev-list", "--objects", "--quiet", ref) === undefined)
    .map((ref) => `${ref} is broken`);
