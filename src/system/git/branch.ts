import { RalphError } from "../../domain/error.ts";
import { git, mustBytes, type GitPlace } from "./git.ts";
import { QUIET } from "./repository.ts";

/** Makes a branch at HEAD if there is none of that name. No working tree changes. */
export async function ensureBranch(place: GitPlace, name: string): Promise<void> {
  await checkBranchName(place, name);
  const ref = `refs/heads/${name}`;
  const found = await git(place, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  if (found.code === 0) return;
  await mustBytes(place, [...QUIET, "branch", "--no-track", name, "HEAD"]);
}

/** Git's own rules, but without its abbreviations such as `@{-1}`. */
async function checkBranchName(place: GitPlace, name: string): Promise<void> {
  const answer = await git(place, ["check-ref-format", "--branch", name]);
  // Git would make a branch `@` and then take the name for HEAD.
  if (answer.code === 0 && answer.stdout === `${name}\n` && name !== "@") return;
  throw new RalphError("config", `${JSON.stringify(name)} cannot be the name of a branch`, {
    hint: "Use letters, digits, `-`, `_` and `/`, as in ralph/login",
  });
}
