import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { temporaryFolder, write } from "../temporary-folder.ts";
import { type Acts, commit, type Desk, forget, oneOf, PLAN, save } from "./persons-desk.ts";

const CONFIG = ".ralph/config.yaml";

/** A moment in which a run may do anything. */
const aWhile = async ({ random }: Desk): Promise<void> => await wait(random() * 1500);

/** A commit that is on no branch of theirs, or on another one. */
async function someCommit({ git, random }: Desk): Promise<string> {
  const all = (await git("rev-list", "--branches", "--no-merges", "--max-count=6")) ?? "";
  return oneOf(random, all.split("\n").filter(Boolean)) ?? "HEAD";
}

/** Something that git does not finish by itself, such as a conflict. After a while they finish it, or give it up. */
async function begin(desk: Desk, what: string, ...args: readonly string[]): Promise<void> {
  const { git, random } = desk;
  const goOn = async (): Promise<string | undefined> => await git("-c", "core.editor=true", what, "--continue");
  await git(what, ...args);
  await aWhile(desk);
  if (random() < 0.5) {
    await git("add", "--all");
    if ((await goOn()) !== undefined) return;
    // Giving up drops what is staged, their new files too.
    await commit(desk);
    await goOn();
  }
  await git(what, "--abort");
}

/** Settings of git that change what commands do which nobody gave them to. */
const SETTINGS = [
  ["merge.ff", "only"],
  ["merge.ff", "false"],
  ["merge.autoStash", "true"],
  ["merge.conflictStyle", "diff3"],
  ["merge.renames", "false"],
  ["status.showUntrackedFiles", "no"],
  ["status.relativePaths", "true"],
  ["core.autocrlf", "input"],
  ["core.quotePath", "false"],
  ["core.fileMode", "false"],
  ["core.abbrev", "5"],
  ["core.untrackedCache", "true"],
  ["core.splitIndex", "true"],
  ["index.version", "4"],
  ["feature.manyFiles", "true"],
  ["diff.renames", "copies"],
  ["diff.noprefix", "true"],
  ["diff.external", "false"],
  ["diff.mnemonicPrefix", "true"],
  ["color.ui", "always"],
  ["log.showSignature", "true"],
  ["gc.auto", "1"],
  ["advice.detachedHead", "false"],
] as const;

/** Acts that are seldom enough to be forgotten. */
export const RARE_ACTS: Acts = [
  [
    "switch to a new branch for a while",
    async (desk) => {
      await desk.git("switch", "--quiet", "--create", `stay-${Math.floor(desk.random() * 1000)}`);
      await aWhile(desk);
      save(desk, "mine.txt");
      await commit(desk);
      await desk.git("switch", "--quiet", "main");
    },
  ],
  [
    "look at an old commit",
    async (desk) => {
      await desk.git("switch", "--quiet", "--detach", "HEAD~2");
      await aWhile(desk);
      await desk.git("switch", "--quiet", "main");
    },
  ],
  [
    "rename the branch and back",
    async (desk) => {
      await desk.git("branch", "--move", "main", "renamed");
      await aWhile(desk);
      await desk.git("branch", "--move", "renamed", "main");
    },
  ],
  [
    "work on the branch in another working tree",
    async (desk) => {
      const folder = join(temporaryFolder(), "tree");
      await desk.git("switch", "--quiet", "--detach");
      await desk.git("worktree", "add", "--quiet", folder, "main");
      await aWhile(desk);
      if (existsSync(folder)) {
        write(folder, { "elsewhere.txt": `${desk.newLine()}\n` });
        await desk.git("-C", folder, "add", "elsewhere.txt");
        await desk.git("-C", folder, "commit", "--quiet", "--message", "Elsewhere");
        await aWhile(desk);
      }
      await desk.git("worktree", "remove", "--force", folder);
      await desk.git("switch", "--quiet", "main");
    },
  ],
  ["begin a cherry-pick", async (desk) => await begin(desk, "cherry-pick", await someCommit(desk))],
  ["begin a revert", async (desk) => await begin(desk, "revert", "--no-edit", await someCommit(desk))],
  ["begin a merge", async (desk) => await begin(desk, "merge", "--no-commit", "--no-ff", await someCommit(desk))],
  [
    "begin a rebase",
    async (desk) =>
      await begin(desk, "rebase", "--quiet", "--autostash", "--force-rebase", "--exec", "false", "HEAD~1"),
  ],
  [
    "rewrite the history",
    async ({ git }) => void (await git("rebase", "--quiet", "--autostash", "--force-rebase", "--root")),
  ],
  ["save the configuration", async (desk) => appendTo(desk, CONFIG, `# ${desk.newLine()}\n`)],
  ["change a setting of git", async (desk) => void (await desk.git("config", ...oneOf(desk.random, SETTINGS)))],
  ["remove the plan", async ({ git }) => void (await git("rm", "--quiet", PLAN))],
  ["rename the plan", async ({ git }) => void (await git("mv", PLAN, "OLD_PLAN.md"))],
  [
    "restore the plan",
    async (desk) => {
      forget(desk, PLAN);
      await desk.git("checkout", "--quiet", "main", "--", PLAN);
    },
  ],
  [
    "save the plan with other line ends",
    async (desk) => {
      const file = join(desk.folder, PLAN);
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      if (text !== "") write(desk.folder, { [PLAN]: text.replaceAll(/\r?\n/g, "\r\n") });
    },
  ],
  [
    "hide a change from git for a while",
    async (desk) => {
      save(desk, "shared.txt");
      await desk.git("update-index", oneOf(desk.random, ["--assume-unchanged", "--skip-worktree"]), "shared.txt");
      await aWhile(desk);
      await unhide(desk);
    },
  ],
  ["delete all records of runs", async ({ folder }) => rmSync(join(folder, ".ralph/runs"), REMOVE)],
];

/** Before anything that resets files: git gives a hidden change up without a word, by a stash too. */
async function unhide(desk: Desk): Promise<void> {
  const isHidden = async (): Promise<boolean> =>
    /^[a-zS] /.test((await desk.git("ls-files", "-v", "shared.txt")) ?? "");
  while (await isHidden()) {
    // Git heeds only the first of the two.
    for (const flag of ["--no-assume-unchanged", "--no-skip-worktree"]) {
      await desk.git("update-index", flag, "shared.txt");
    }
  }
}

const REMOVE = { recursive: true, force: true } as const;

/** Leaves the repository as other acts expect it. */
export async function undoRare(desk: Desk): Promise<void> {
  await desk.git("worktree", "prune");
  await desk.git("branch", "--move", "renamed", "main");
}

function appendTo({ folder, lines }: Desk, path: string, text: string): void {
  const file = join(folder, path);
  if (!existsSync(file)) return;
  write(folder, { [path]: `${readFileSync(file, "utf8")}${text}` });
  for (const line of text.match(/person-[\d-]+\./g) ?? []) lines.add(line);
}
