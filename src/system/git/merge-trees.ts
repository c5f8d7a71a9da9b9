import type { FileChange } from "../../domain/change.ts";
import { gitBytes, gitRefused, mustBytes } from "./git.ts";
import type { PathState } from "./hash.ts";
import { storeTreeAndFiles } from "./object.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import { nameTree } from "./tree.ts";
import { compareTrees } from "./tree-changes.ts";

/** Three commits or trees. */
export interface MergeInput {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export type TreeMerge =
  | { readonly kind: "clean"; readonly tree: string }
  | {
      readonly kind: "conflict";
      /** The tree with conflict markers in it. */
      readonly tree: string;
      readonly paths: readonly string[];
      /** Git's messages and the conflicting lines, for whoever resolves them. */
      readonly text: string;
    };

/** L-20: merges two trees that came from a third. No working tree and no index takes part. */
export async function mergeTrees(home: Repository, input: MergeInput): Promise<TreeMerge> {
  const treeOf = async (name: string): Promise<string> => (await nameTree(home, name, [])).tree;
  const [base, ours, theirs] = [await treeOf(input.base), await treeOf(input.ours), await treeOf(input.theirs)];
  if (theirs === base || theirs === ours) return { kind: "clean", tree: ours };
  if (ours === base) return { kind: "clean", tree: theirs };
  const apart = await mergeApart(home, { base, ours, theirs });
  return apart === undefined ? await mergeByGit(home, { base, ours, theirs }) : { kind: "clean", tree: apart };
}

/**
 * Quick: where each side only adds and changes files, and others than the other side, the merge has the changes of both.
 * Without a file that is gone there is no rename, so git would find the same. Undefined: only git can tell.
 */
async function mergeApart(home: Repository, { base, ours, theirs }: MergeInput): Promise<string | undefined> {
  const [landed, made] = [await compareTrees(home, base, ours), await compareTrees(home, base, theirs)];
  if (landed === undefined || made === undefined || !areApart(landed.changes, made.changes)) return undefined;
  const states = Array.from(made.changes.values(), ({ path, before, after }): PathState => ({
    path,
    head: before,
    now: after,
    stat: undefined,
  }));
  const named = await nameTree(home, ours, states);
  await storeTreeAndFiles(home, named, []);
  return named.tree;
}

type Changes = ReadonlyMap<string, FileChange>;

function areApart(one: Changes, other: Changes): boolean {
  const isPlain = ({ before, after }: FileChange): boolean =>
    after !== undefined && [before, after].every((state) => state?.mode !== SUBMODULE);
  // A file of one side may be a folder of the other.
  const isBeside = (path: string, others: Changes): boolean =>
    !others.has(path) && !foldersAbove(path).some((folder) => others.has(folder));
  return [
    [one, other],
    [other, one],
  ].every(([own, others]) => [...own!].every(([path, change]) => isPlain(change) && isBeside(path, others!)));
}

const SUBMODULE = "160000";

const foldersAbove = (path: string): string[] =>
  path.split("/").flatMap((_, depth, parts) => (depth === 0 ? [] : parts.slice(0, depth).join("/")));

async function mergeByGit(home: Repository, { base, ours, theirs }: MergeInput): Promise<TreeMerge> {
  // Git 2.39 finds the base by history only, so the three trees get one.
  const root = await storeCommit(home, base);
  const heads = await Promise.all([storeCommit(home, ours, root), storeCommit(home, theirs, root)]);
  const args = [...QUIET, "-c", "merge.conflictStyle=diff3", "merge-tree", "--write-tree", "-z", "--name-only"];
  const answer = await gitBytes(home, [...args, ...heads]);
  if (answer.code > 1) throw gitRefused(args, answer);
  const fields = splitNul(answer.stdout);
  const tree = fields[0]?.toString() ?? "";
  if (answer.code === 0) return { kind: "clean", tree };
  const end = fields.findIndex((field) => field.length === 0);
  const paths = [...new Set(fields.slice(1, end).map(decodePath))];
  const hunks = await conflictHunks(home, tree, paths);
  const text = [...messagesIn(fields.slice(end + 1)), ...hunks].join("\n");
  return { kind: "conflict", tree, paths, text: cut(nameSides(text, heads)) };
}

/** A commit that only this merge sees: the same trees always make the same one. */
async function storeCommit(home: Repository, tree: string, parent?: string): Promise<string> {
  const who = "ralphctl <ralphctl@localhost> 0 +0000";
  const lines = [`tree ${tree}`, ...(parent === undefined ? [] : [`parent ${parent}`])];
  const stdin = [...lines, `author ${who}`, `committer ${who}`, "", "merge", ""].join("\n");
  const answer = await mustBytes(home, [...QUIET, "hash-object", "-t", "commit", "-w", "--stdin"], { stdin });
  return answer.stdout.toString().trim();
}

/** Each is: how many paths, the paths, the kind, the message. */
function messagesIn(fields: readonly Buffer[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at < fields.length;) {
    const kind = at + 1 + Number(fields[at]!.toString());
    const message = fields[kind + 1]?.toString().trimEnd() ?? "";
    if (fields[kind]?.toString().startsWith("CONFLICT")) messages.push(message);
    at = kind + 2;
  }
  return messages;
}

/** So much is read and told. */
const MAX_TEXT = 8 * 1024;
const MAX_FILES = 20;

async function conflictHunks(home: Repository, tree: string, paths: readonly string[]): Promise<string[]> {
  const hunks: string[] = [];
  for (const path of paths.slice(0, MAX_FILES)) {
    // A path that only one side has is not in the tree, and has no hunks.
    const { code, stdout } = await gitBytes(home, ["cat-file", "blob", `${tree}:${path}`]);
    if (code !== 0 || stdout.includes(0)) continue;
    const found = stdout.toString().match(/^<{7}[^]*?^>{7}.*$/gm) ?? [];
    hunks.push(...found.map((hunk) => `\n${path}:\n${hunk}`));
  }
  return hunks;
}

/** Git calls the sides by the names of our commits. */
const nameSides = (text: string, [ours, theirs]: readonly [string, string]): string =>
  text
    .replaceAll(ours, "ours")
    .replaceAll(theirs, "theirs")
    .replaceAll(/^\|{7} [0-9a-f]+$/gm, "||||||| base");

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_TEXT) return text;
  const kept = bytes
    .subarray(0, MAX_TEXT - 100)
    .toString()
    .replace(/\uFFFD$/, "");
  return `${kept}\n… (${bytes.length - MAX_TEXT + 100} more bytes)`;
}
