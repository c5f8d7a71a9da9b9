import { gitBytes, gitRefused, mustBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import { nameTree } from "./tree.ts";

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
