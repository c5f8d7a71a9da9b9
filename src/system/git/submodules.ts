import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { pathExists } from "../folder.ts";
import { readCloneTruth } from "./clone-config.ts";
import { cloneHead, makeClone } from "./clone.ts";
import { git, gitBytes, type GitPlace, mustBytes } from "./git.ts";
import { decodePath, encodePath, splitNul } from "./path.ts";
import { emptyFolder } from "./place-files.ts";
import { withRepository, QUIET, type Repository } from "./repository.ts";

/** A repository inside a tree: its path, and the commit that the tree names. */
export interface Submodule {
  readonly path: string;
  readonly commit: string;
}

/** The submodules of the tree that a place has just got. Most repositories have none, and nothing is asked. */
export const submodulesOf = async (view: Repository, tree: string): Promise<readonly Submodule[]> =>
  pathExists(join(view.folder, ".gitmodules")) ? await submodulesIn(view, tree) : [];

async function submodulesIn(place: GitPlace, tree: string): Promise<Submodule[]> {
  const { stdout } = await mustBytes(place, ["ls-tree", "-r", "-d", "-z", tree]);
  return splitNul(stdout).flatMap((field) => {
    const tab = field.indexOf(0x09);
    const [mode, , commit = ""] = field.toString("latin1", 0, tab).split(" ");
    return mode === "160000" ? [{ path: decodePath(field.subarray(tab + 1)), commit }] : [];
  });
}

/** Folders of a tree without those of submodules. */
export function foldersBeside(submodules: readonly Submodule[], folders: readonly Buffer[]): readonly Buffer[] {
  const paths = new Set(submodules.map(({ path }) => encodePath(path).toString("latin1")));
  return paths.size === 0 ? folders : folders.filter((folder) => !paths.has(folder.toString("latin1")));
}

/** Empties submodules that are at another commit. */
export function emptyMoved(view: Repository, submodules: readonly Submodule[]): void {
  for (const { path, commit } of submodules) {
    const now = cloneHead(join(view.folder, path));
    if (now !== undefined && now !== commit) emptyFolder(view, path);
  }
}

export interface FillRequest {
  /** The person's repository, or a submodule of it. */
  readonly home: Repository;
  /** The place of the same files. */
  readonly folder: string;
  readonly submodules: readonly Submodule[];
  /** The commit that the files belong to: it has to be whole. */
  readonly head: string;
  /** Another place that may have commits which the person has not. */
  readonly other?: string | undefined;
  /** Where their objects are kept, in folders by the names of their paths. */
  readonly kept: string;
}

/**
 * L-02: fills the submodules of a place that the person has checked out, from the person's own copies and without the
 * network, at the commits that the tree names. One that is there already stays: a reset has emptied those that differ.
 */
export async function fillSubmodules(request: FillRequest): Promise<void> {
  for (const { path, commit } of request.submodules) {
    const [from, folder] = [join(request.home.folder, path), join(request.folder, path)];
    if (!pathExists(join(from, ".git")) || !isUnfilled(folder)) continue;
    await withRepository({ folder: from, env: request.home.env }, async (own) =>
      fillOne({ ...request, own, path, commit, folder }),
    );
  }
}

interface Filled extends FillRequest, Submodule {
  /** The person's copy. */
  readonly own: Repository;
}

async function fillOne({ home, own, path, commit, folder, head, other, kept }: Filled): Promise<void> {
  const source = other === undefined ? undefined : join(other, path);
  const isHere = await hasCommit(own, commit);
  if (!isHere && (source === undefined || !(await hasCommit({ folder: source, env: home.env }, commit)))) {
    // A pointer that a session moved is for the verdict to judge.
    const wanted = await git(home, ["rev-parse", "--verify", "--quiet", `${head}:${path}`]);
    if (wanted.stdout.trim() !== commit) return;
    throw new RalphError("config", `Your copy of the submodule ${path} does not have ${commit.slice(0, 10)}`, {
      hint: "Run git submodule update --init --recursive, or work in your tree with --in-place",
    });
  }
  const ours = join(kept, createHash("sha256").update(path).digest("hex").slice(0, 16));
  const truth = await readCloneTruth(own);
  await makeClone(own, folder, { commit, branch: undefined, truth, kept: join(ours, "objects") });
  const inside = { folder, env: home.env };
  if (!isHere) {
    const fetch = ["-c", "protocol.file.allow=always", "fetch", "--quiet", "--no-tags", source!, commit];
    await mustBytes(inside, [...QUIET, ...fetch]);
  }
  await mustBytes(inside, [...QUIET, "reset", "--quiet", "--hard", commit]);
  const submodules = await submodulesIn(inside, commit);
  await fillSubmodules({ home: own, folder, submodules, head: commit, other: source, kept: ours });
}

const hasCommit = async (place: GitPlace, commit: string): Promise<boolean> =>
  pathExists(join(place.folder, ".git")) &&
  (await gitBytes(place, ["cat-file", "-e", `${commit}^{commit}`])).code === 0;

/** Git leaves an empty folder where a submodule belongs. */
const isUnfilled = (folder: string): boolean =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true && !pathExists(join(folder, ".git"));
