import { RalphError } from "../../domain/error.ts";
import { checkNoUnfinishedOperation, git, type GitAnswer, type GitPlace, workingTree } from "./git.ts";
import { QUIET } from "./repository.ts";

/** How the switch happened. `renamed`: there was no commit yet, so the branch exists by name only. */
export type BranchSwitch = "already there" | "created" | "switched" | "renamed";

/**
 * Puts the working tree on a branch, made at HEAD where there is none of that name. Whatever is changed and not
 * committed stays; where it cannot, everything stays as it was and that is an error. No hooks run.
 */
export async function switchToBranch(place: GitPlace, name: string): Promise<BranchSwitch> {
  const here = { ...place, folder: await workingTree(place) };
  await checkNoUnfinishedOperation(here);
  await checkBranchName(here, name);
  const ref = `refs/heads/${name}`;
  const current = await git(here, ["symbolic-ref", "--quiet", "HEAD"]);
  if (current.stdout === `${ref}\n`) return "already there";
  if (await isCommit(here, ref)) {
    await mustSwitch(here, name, [name]);
    return "switched";
  }
  if (await isCommit(here, "HEAD")) {
    await mustSwitch(here, name, ["--no-track", "--create", name]);
    return "created";
  }
  // Without a commit there is nothing that a branch could point to: HEAD itself is told its name.
  const renamed = await git(here, [...QUIET, "symbolic-ref", "HEAD", ref]);
  if (renamed.code !== 0) throw refusal(name, renamed);
  return "renamed";
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

const isCommit = async (place: GitPlace, name: string): Promise<boolean> =>
  (await git(place, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`])).code === 0;

async function mustSwitch(place: GitPlace, name: string, args: readonly string[]): Promise<void> {
  const answer = await git(place, [...QUIET, "switch", "--quiet", ...args]);
  if (answer.code !== 0) throw refusal(name, answer);
}

const SHOWN = 5;

function refusal(name: string, { stderr }: GitAnswer): RalphError {
  const message = `Cannot switch to the branch ${name}`;
  const files = stderr.split("\n").filter((line) => line.startsWith("\t"));
  if (files.length > 0) {
    const more = files.length > SHOWN ? ` and ${files.length - SHOWN} more` : "";
    const names = files.slice(0, SHOWN).map((line) => line.trim());
    return new RalphError("config", `${message}: it would overwrite ${names.join(", ")}${more}`, {
      hint: "Commit these files, or stash them: git stash --include-untracked",
    });
  }
  const tree = /(?:already used by worktree|already checked out) at '(.*)'/.exec(stderr)?.[1];
  if (tree !== undefined) {
    return new RalphError("config", `${message}: it is checked out in ${tree}`, {
      hint: "Choose another branch, or run ralphctl there",
    });
  }
  const inTheWay = /: 'refs\/heads\/(.+)' exists; cannot create/.exec(stderr)?.[1];
  if (inTheWay !== undefined) {
    return new RalphError("config", `${message}: it conflicts with the branch ${inTheWay}`, {
      hint: "Choose another name",
    });
  }
  const [reason = ""] = stderr
    .trim()
    .replace(/^(?:fatal|error): /, "")
    .split("\n");
  return new RalphError("config", `${message}: ${reason}`, {
    hint: "Run git status to see the state of the repository",
  });
}
