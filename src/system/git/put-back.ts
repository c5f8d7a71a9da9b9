import { RalphError } from "../../domain/error.ts";
import { pathExists } from "../folder.ts";
import { gitBytes, mustBytes } from "./git.ts";
import { type IndexEntry, updateUserIndex } from "./index-file.ts";
import { locksOf, removeLock } from "./locks.ts";
import { isConverted } from "./hash.ts";
import { decodePath, splitNul } from "./path.ts";
import { type HeadPlace, readHead } from "./ref-files.ts";
import { readRefs } from "./ref.ts";
import { noObject, QUIET, type Repository } from "./repository.ts";
import { rawChanges } from "./snapshot.ts";

const ACTION = ["-m", "ralphctl: take the tree back"];

/** Moves HEAD to a branch, and the branch to a commit. No file and no index entry changes. */
export async function putHead(repository: Repository, to: HeadPlace & { readonly commit: string }): Promise<void> {
  const now = await readHead(repository);
  const { ref, commit } = to;
  if (ref === undefined) {
    if (now.ref === undefined && now.commit === commit) return;
    await mustBytes(repository, [...QUIET, "update-ref", "--no-deref", ...ACTION, "HEAD", commit]);
    return;
  }
  if (now.ref !== ref) await mustBytes(repository, [...QUIET, "symbolic-ref", ...ACTION, "HEAD", ref]);
  const tip = (await readRefs(repository, [ref])).get(ref);
  if (tip === commit) return;
  const move = [ref, commit, tip ?? noObject(repository)];
  await mustBytes(repository, [...QUIET, "update-ref", "--create-reflog", ...ACTION, ...move]);
}

/** What the person's index has beyond a commit. */
export const stagedOn = async (repository: Repository, commit: string): Promise<IndexEntry[]> =>
  Array.from((await rawChanges(repository, ["diff-index", "--cached"], [commit])).values(), ({ path, after }) => ({
    path,
    state: after,
  }));

/**
 * Makes the person's index that of a commit, and sets these entries in it. `rewritten`: files whose line ends may be others
 * now. Git takes a file of another size for changed, although it would store the same, as long as the index has a size.
 */
export async function putIndex(
  repository: Repository,
  commit: string,
  { own, rewritten }: { readonly own: readonly IndexEntry[]; readonly rewritten: readonly string[] },
): Promise<void> {
  const wanted = new Map(own.map((entry) => [entry.path, entry]));
  const changes = await rawChanges(repository, ["diff-index", "--cached"], [commit]);
  const entries = Array.from(changes.values(), ({ path, before }) => wanted.get(path) ?? { path, state: before });
  const missing = own.filter(({ path }) => !changes.has(path));
  const told = new Set([...entries, ...missing].map(({ path }) => path));
  const converted = rewritten.filter((path) => !told.has(path) && isConverted(repository, path));
  const same = await committedIn(repository, commit, converted);
  if (!(await updateUserIndex(repository, [...entries, ...missing, ...same]))) throw locked(repository);
  // So that git need not read files again that were written anew.
  await gitBytes(repository, [...QUIET, "update-index", "-q", "--refresh"]);
}

/** The entries of a commit that the index has, too. */
async function committedIn(repository: Repository, commit: string, paths: readonly string[]): Promise<IndexEntry[]> {
  if (paths.length === 0) return [];
  const { stdout } = await mustBytes(repository, ["ls-tree", "-z", "--full-tree", "-r", commit]);
  return splitNul(stdout).flatMap((line) => {
    const tab = line.indexOf(0x09);
    const [mode = "", , hash = ""] = line.toString("latin1", 0, tab).split(" ");
    const path = decodePath(line.subarray(tab + 1));
    return paths.includes(path) ? [{ path, state: { mode, hash } }] : [];
  });
}

/** Removes locks that a killed git left; an error if a living one holds them. */
export async function freeLocks(repository: Repository, branch: string | undefined): Promise<void> {
  const locks = locksOf(repository, branch).filter(pathExists);
  const freed = await Promise.all(locks.map((path) => removeLock(repository, path)));
  const held = freed.find(({ why }) => why !== undefined);
  if (held?.why !== undefined) throw new RalphError("busy", held.why, { hint: held.hint });
}

const locked = ({ folder }: Repository): RalphError =>
  new RalphError("busy", `Another git is at work in ${folder}`, { hint: "Wait for it, then run this command again" });
