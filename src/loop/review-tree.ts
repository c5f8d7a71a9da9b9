import { posix } from "node:path";
import { includedBy, isInstructionFile, namedBySettings } from "../domain/instruction-files.ts";
import { cutEnd } from "../domain/prompt/cut.ts";
import { filesAt, withoutChanges } from "../system/git/base-paths.ts";
import { readPatch } from "../system/git/patch.ts";
import type { Repository } from "../system/git/repository.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import { readFileAt } from "../system/git/tree-texts.ts";

/** The tree that a reviewer works in. */
export interface ReviewTree {
  readonly tree: string;
  /** The changes that it does not have, as text: those of instruction files. */
  readonly instructions: string;
}

const LONGEST_PATCH = 30_000;
/** A longer list does not fit into a command. */
const MAX_PATHS = 500;

/** T-14: the candidate with the instruction files of its base, so that the work cannot tell its reviewer what to say. */
export async function reviewTree(
  home: Repository,
  { tree, head }: { readonly tree: string; readonly head: string },
): Promise<ReviewTree> {
  const changes = [...(await committedBetween(home, head, tree)).values()];
  const followed = changes.length === 0 ? new Set<string>() : await instructionsOf(home, head);
  const theirs = changes.filter(({ path }) => isInstructionFile(path) || isAtOrBelow(path, followed));
  if (theirs.length === 0) return { tree, instructions: "" };
  const paths = theirs.map(({ path }) => path).slice(0, MAX_PATHS);
  const patch = await readPatch(home, { from: head, to: tree, paths });
  return { tree: await withoutChanges(home, tree, theirs), instructions: cutEnd(patch, LONGEST_PATCH) };
}

function isAtOrBelow(path: string, places: ReadonlySet<string>): boolean {
  for (let up = path; up !== "."; up = posix.dirname(up)) if (places.has(up)) return true;
  return false;
}

/** What the instruction files of a commit lead to: by links, and by `@path` in their text. */
async function instructionsOf(home: Repository, commit: string): Promise<Set<string>> {
  const files = await filesAt(home, commit);
  const found = new Set<string>();
  const queue = [...files.keys()].filter(isInstructionFile);
  for (const path of queue) {
    const text = (await readFileAt(home, commit, path)) ?? "";
    const names = files.get(path)!.isLink ? [text] : includedBy(text);
    const beside = names.map((name) => posix.join(posix.dirname(path), name));
    for (const target of [...beside, ...namedBySettings(path, text).map((name) => posix.normalize(name))]) {
      if (target === "." || found.has(target) || target.startsWith("../")) continue;
      found.add(target);
      if (files.has(target)) queue.push(target);
    }
  }
  return found;
}
