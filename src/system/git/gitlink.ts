import type { FileChange } from "../../domain/change.ts";
import type { Uncommittable } from "../../domain/uncommittable.ts";
import { pathExists } from "../folder.ts";
import { git, gitBytes } from "./git.ts";
import { NESTED } from "./hash.ts";
import type { Repository } from "./repository.ts";

/** T-03: why a commit with this repository inside would not have for others what the gates saw. */
export async function inspectGitlink(
  repository: Repository,
  { path, before, after }: FileChange,
): Promise<(Omit<Uncommittable, "path" | "rejects"> & { readonly rejects?: boolean })[]> {
  const commit = after?.hash ?? "";
  if (commit === NESTED.hash) return [{ kind: "nested", why: "it is a nested git repository" }];
  if (!isCommit(commit)) return [{ kind: "nested", why: "files inside this submodule changed" }];
  if (!isCommit(before?.hash ?? "") && !(await isRegistered(repository, path))) {
    return [{ kind: "nested", why: "it is a nested git repository that .gitmodules does not name" }];
  }
  const where = await findOnRemote(repository, path, commit);
  const pointer = `the submodule points to ${commit.slice(0, 10)}`;
  if (where === "branch") return [];
  if (where === "nowhere") return [{ kind: "pointer", why: `${pointer}, which none of its remotes has` }];
  const reason =
    where === "tag" ? "which only a tag has: check that its remote has the tag" : "which is not here to check";
  return [{ kind: "pointer", why: `${pointer}, ${reason}`, rejects: false }];
}

const isCommit = (hash: string): boolean => /^[0-9a-f]{40,64}$/.test(hash);

async function isRegistered(repository: Repository, path: string): Promise<boolean> {
  const args = ["config", "-z", "--file", ".gitmodules", "--get-regexp", String.raw`^submodule\..*\.path$`];
  const answer = await git(repository, args);
  return answer.stdout.split("\0").some((entry) => entry.slice(entry.indexOf("\n") + 1) === path);
}

/** Asks what the last fetch or push left here: the network may be slow or absent. */
async function findOnRemote(
  { folder, env }: Repository,
  path: string,
  commit: string,
): Promise<"branch" | "tag" | "nowhere" | "unknown"> {
  const inside = { folder: `${folder}/${path}`, env };
  if (!pathExists(`${inside.folder}/.git`)) return "unknown"; // not checked out, so git would ask the repository around it
  const isIn = async (refs: string): Promise<boolean> => {
    const { code, stdout } = await gitBytes(inside, ["for-each-ref", "--count=1", `--contains=${commit}`, refs]);
    return code === 0 && stdout.length > 0;
  };
  if (await isIn("refs/remotes")) return "branch";
  return (await isIn("refs/tags")) ? "tag" : "nowhere";
}
