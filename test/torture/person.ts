import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Acts, commit, type Desk, forget, oneOf, PLAN, save } from "./persons-desk.ts";
import { RARE_ACTS, undoRare } from "./rare-acts.ts";

const execute = promisify(execFile);

/** A person at work in a repository. Nothing that they do loses a line of theirs, but for files that they delete. */
export interface Person {
  /** Lines that they wrote and did not delete. */
  readonly lines: ReadonlySet<string>;
  /** Does something at random, and says what. */
  readonly act: () => Promise<string>;
  /** Leaves the tree in order, on the branch on which they began. */
  readonly settle: () => Promise<void>;
}

const TRACKED = ["shared.txt", "a.txt", "README.md"];
/** Agents make files of these names too. */
const NEW = ["notes.txt", "out/one.txt", "out/two.txt", "mine.txt"];
const OPERATIONS = ["rebase", "merge", "cherry-pick", "revert"];

export function personAt(folder: string, random: () => number, name: string): Person {
  const lines = new Set<string>();
  let written = 0;
  const desk: Desk = {
    folder,
    random,
    lines,
    newLine: () => `person-${name}-${(written += 1)}.`,
    // Git may refuse: so it does for people.
    git: async (...args) => {
      const { stdout } = await execute("git", [...args], { cwd: folder }).catch(() => ({ stdout: undefined }));
      return stdout;
    },
  };
  return {
    lines,
    act: async () => {
      const [what, act] = oneOf(random, [...ACTS, ...RARE_ACTS]);
      await act(desk);
      return what;
    },
    settle: async () => {
      await leaveOperations(desk);
      await undoRare(desk);
      if ((await desk.git("switch", "--quiet", "main")) !== undefined) return;
      await desk.git("stash", "push", "--quiet", "--include-untracked");
      await desk.git("switch", "--quiet", "main");
    },
  };
}

const isClean = async ({ git }: Desk): Promise<boolean> =>
  (await git("status", "--porcelain", "--untracked-files=all")) === "";

async function leaveOperations({ git }: Desk): Promise<void> {
  for (const what of OPERATIONS) await git(what, "--abort");
}

/** Work on a branch of its own, which is gone in the end: the reflog has it. */
async function sideBranch(desk: Desk, isKept: boolean): Promise<void> {
  const { git } = desk;
  const name = `side-${Math.floor(desk.random() * 1000)}`;
  if ((await git("switch", "--quiet", "--create", name)) === undefined) return;
  save(desk, oneOf(desk.random, NEW));
  await commit(desk);
  if ((await git("switch", "--quiet", "main")) === undefined) return;
  if (!isKept) await git("branch", "--quiet", "--delete", "--force", name);
}

const ACTS: Acts = [
  ["save a file", async (desk) => save(desk, oneOf(desk.random, TRACKED))],
  ["save a file", async (desk) => save(desk, oneOf(desk.random, TRACKED))],
  ["save a new file", async (desk) => save(desk, oneOf(desk.random, NEW))],
  ["save the plan", async (desk) => save(desk, PLAN)],
  ["save the plan", async (desk) => save(desk, PLAN)],
  ["commit", commit],
  ["commit", commit],
  [
    "stage one file",
    async (desk) => {
      save(desk, "a.txt");
      await desk.git("add", "a.txt");
      save(desk, "a.txt");
    },
  ],
  ["amend", async ({ git }) => void (await git("commit", "--quiet", "--amend", "--no-edit", "--all"))],
  [
    "stash and pop",
    async ({ git }) => {
      await git("stash", "push", "--quiet", "--include-untracked");
      await git("stash", "pop", "--quiet");
    },
  ],
  ["stash", async ({ git }) => void (await git("stash", "push", "--quiet"))],
  ["pop", async ({ git }) => void (await git("stash", "pop", "--quiet"))],
  [
    "rebase",
    async (desk) => {
      await desk.git("rebase", "--quiet", "--autostash", "--force-rebase", "HEAD~1");
      await leaveOperations(desk);
    },
  ],
  ["reset, soft", async ({ git }) => void (await git("reset", "--quiet", "--soft", "HEAD~1"))],
  ["reset, mixed", async ({ git }) => void (await git("reset", "--quiet", "HEAD~1"))],
  [
    "reset, hard",
    async (desk) => {
      if (await isClean(desk)) await desk.git("reset", "--quiet", "--hard", "HEAD~1");
    },
  ],
  ["work on a branch", async (desk) => await sideBranch(desk, true)],
  ["work on a branch and delete it", async (desk) => await sideBranch(desk, false)],
  ["merge the other branch", async ({ git }) => void (await git("merge", "--quiet", "--no-edit", "side-1"))],
  [
    "make and delete a branch",
    async ({ git }) => {
      await git("branch", "short-lived");
      await git("branch", "--delete", "--force", "short-lived");
    },
  ],
  ["collect garbage", async ({ git }) => void (await git("gc", "--quiet", "--prune=now"))],
  [
    "delete an untracked file",
    async (desk) => {
      const path = oneOf(desk.random, NEW);
      const file = join(desk.folder, path);
      const isTracked = (await desk.git("ls-files", "--error-unmatch", path)) !== undefined;
      if (isTracked || !existsSync(file)) return;
      forget(desk, path);
      rmSync(file);
    },
  ],
];
