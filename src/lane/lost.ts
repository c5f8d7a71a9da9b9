import { RalphError } from "../domain/error.ts";
import { writeCommit, writeTree } from "../system/git/commit.ts";
import { cloneHead, importCommits } from "../system/git/clone.ts";
import { bringTips } from "../system/git/clone-tips.ts";
import type { NamedTip } from "../system/git/tips.ts";
import { mustBytes } from "../system/git/git.ts";
import { NESTED } from "../system/git/hash.ts";
import { contentAt, forgetTimes, hasForeignGit } from "../system/git/place-files.ts";
import { QUIET, type Repository } from "../system/git/repository.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { nameTree } from "../system/git/tree.ts";
import { setViewHead, viewHead } from "../system/git/view.ts";

/**
 * Saves what lies in the folder of a place and is not in the last commit of its view, as a commit under
 * `refs/ralph/lost/`. Returns the ref; undefined where there is nothing to save. Ignored files are not saved.
 */
async function saveLost(view: Repository, name: string, kept: Kept = new Set()): Promise<string | undefined> {
  const { folder } = view;
  const [head, made] = [viewHead(view), cloneHead(folder)];
  const hasMoved = made !== undefined && made !== head;
  if (hasMoved && !(await importCommits(view, folder, made))) throw notSaved(folder, [`the commit ${made}`]);
  if (hasMoved) setViewHead(view, made);
  await forgetTimes(view);
  const now = await snapshot(view);
  const there = now.changed.filter((state) => state.now !== undefined);
  const nested = there.filter((state) => state.now?.hash === NESTED.hash);
  if (nested.length > 0)
    throw notSaved(
      folder,
      nested.map(({ path }) => `the repository ${path}`),
    );
  const tips = await bringTips(view);
  if ((there.length === 0 || kept.has(now.tree)) && !hasMoved) return await keepTips(view, name, tips);
  const tree = await writeTree(view, now.head, now.changed);
  const onto = now.head === undefined ? [] : [now.head];
  return await keepTree(view, { name, tree, parents: [...onto, ...tips.map(({ commit }) => commit)] });
}

/** L-41: saves what only other branches of a clone have, and its stashes. Undefined if there is nothing. */
export const saveTips = async (view: Repository, name: string): Promise<string | undefined> =>
  await keepTips(view, name, await bringTips(view));

/** One is kept as it is, so that `git stash apply` takes it. */
async function keepTips(view: Repository, name: string, tips: readonly NamedTip[]): Promise<string | undefined> {
  const [first, ...more] = tips;
  if (first === undefined) return undefined;
  if (more.length === 0) return await saveAs(view, name, first.commit);
  const { tree } = await nameTree(view, first.commit, []);
  return await keepTree(view, { name, tree, parents: tips.map(({ commit }) => commit) });
}

/** Trees that other refs keep. */
type Kept = ReadonlySet<string>;

/** The same for a place that was at rest: files that are others than those that the last run left are somebody's. */
export async function saveAddedFiles(view: Repository, name: string, left: string): Promise<string | undefined> {
  const { tree } = await snapshot(view);
  return tree === left ? await saveTips(view, name) : await saveLost(view, name);
}

/** The same before a folder is replaced that is not ours, or no folder at all. */
export async function saveForeignContent(view: Repository, name: string, kept?: Kept): Promise<string | undefined> {
  const { folder } = view;
  const content = contentAt(folder);
  if (content === "nothing") return undefined;
  if (content === "file") return await saveFile(view, name);
  if (hasForeignGit(folder)) throw notSaved(folder, ["a repository that ralphctl did not make"]);
  return content.length === 0 ? undefined : await saveLost(view, name, kept);
}

async function saveFile(view: Repository, name: string): Promise<string> {
  const parent = { ...view, folder: view.gitFolder };
  const hash = await mustBytes(parent, [...QUIET, "hash-object", "-w", "--no-filters", "--", view.folder]);
  const entry = `100644 blob ${hash.stdout.toString().trim()}\t${name}\n`;
  const tree = await mustBytes(parent, [...QUIET, "mktree"], { stdin: entry });
  return await keepTree(parent, { name, tree: tree.stdout.toString().trim(), parents: [] });
}

interface LostTree {
  readonly name: string;
  readonly tree: string;
  readonly parents: readonly string[];
}

async function keepTree(view: Repository, { name, tree, parents }: LostTree): Promise<string> {
  const message = `Files that were in the place ${name} before ralphctl replaced or removed it\n`;
  return await saveAs(view, name, await writeCommit(view, { tree, parents, message }));
}

async function saveAs(view: Repository, name: string, commit: string): Promise<string> {
  const ref = `refs/ralph/lost/${name}-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
  await mustBytes(view, [...QUIET, "update-ref", ref, commit]);
  return ref;
}

const notSaved = (folder: string, what: readonly string[]): RalphError =>
  new RalphError("config", `${folder} is not as ralphctl left it, and ralphctl cannot save ${what.join(", ")}`, {
    hint: `Move ${folder} away, then run this command again`,
  });
