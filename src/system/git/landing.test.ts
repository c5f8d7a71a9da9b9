import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../../test/git-place.ts";
import { commitFiles, landFiles } from "../../../test/land-files.ts";
import { commitAll, git, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { branchState, moveLanding, openTarget, readLanding, setFollowed, type LandingTarget } from "./landing.ts";
import type { Repository } from "./repository.ts";

interface Landing {
  readonly home: Repository;
  readonly target: LandingTarget;
  readonly base: string;
}

async function landing(): Promise<Landing> {
  const home = await newRepository({ "a.txt": "1\n", "b.txt": "1\n" });
  return { home, target: await openTarget(home), base: git(home.folder, "rev-parse", "HEAD") };
}

/** The branch is where a landing has brought it. */
async function followed(): Promise<Landing & { readonly landed: string }> {
  const place = await landing();
  const landed = await landFiles(place.home, place.target, { "a.txt": "landed\n" });
  git(place.home.folder, "merge", "--quiet", "--ff-only", landed);
  await setFollowed(place.home, place.target, landed);
  return { ...place, landed };
}

const head = ({ folder }: Repository): string => git(folder, "rev-parse", "HEAD");

describe("L-03 the target", () => {
  test("L-03 is named after the branch, and nothing has landed yet", async () => {
    const { home, target } = await landing();
    expect(target).toEqual({ ref: "refs/ralph/target/main", branch: "main" });
    expect(await readLanding(home, target)).toBe(undefined);
    git(home.folder, "switch", "--quiet", "--create", "feature/login");
    expect(await openTarget(home)).toEqual({ ref: "refs/ralph/target/feature/login", branch: "feature/login" });
  });

  test("L-03 of a detached HEAD is HEAD, one for each working tree", async () => {
    const { home } = await landing();
    git(home.folder, "switch", "--quiet", "--detach");
    git(home.folder, "worktree", "add", "--quiet", "--detach", `${home.folder}-other`);
    const [target, other] = [await openTarget(home), await openTarget(await repositoryAt(`${home.folder}-other`))];
    expect(target.branch).toBe(undefined);
    expect(target.ref).toMatch(/^refs\/ralph\/target-detached\/[0-9a-f]{12}$/);
    expect(other.ref).not.toBe(target.ref);
    git(home.folder, "worktree", "remove", `${home.folder}-other`);
  });

  test("L-03 before the first commit there is none, and the hint makes one", async () => {
    const folder = temporaryRepository();
    write(folder, { "a.txt": "1\n" });
    const home = await repositoryAt(folder);
    const error = await openTarget(home).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "config", hint: expect.stringContaining("git commit") });
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--message", "Begin");
    expect((await openTarget(home)).branch).toBe("main");
  });
});

describe("L-23 the landing ref", () => {
  test("L-23 moves from where it was, and its reflog says why", async () => {
    const { home, target, base } = await landing();
    const one = await commitFiles(home, base, { "a.txt": "one\n" });
    const two = await commitFiles(home, one, { "a.txt": "two\n" });
    expect(await moveLanding(home, target, { from: undefined, to: one, subject: "Add one" })).toBe(true);
    expect(await moveLanding(home, target, { from: one, to: two, subject: "Add two" })).toBe(true);
    expect(await readLanding(home, target)).toBe(two);
    expect(git(home.folder, "reflog", "show", "--format=%gs", target.ref).split("\n")).toEqual([
      "ralphctl: Add two",
      "ralphctl: Add one",
    ]);
    expect(head(home)).toBe(base);
  });

  test("L-23 stays where another process has moved it, and landing the same commit twice is landing it once", async () => {
    const { home, target, base } = await landing();
    const one = await commitFiles(home, base, { "a.txt": "one\n" });
    const two = await commitFiles(home, base, { "a.txt": "two\n" });
    expect(await moveLanding(home, target, { from: undefined, to: one, subject: "One" })).toBe(true);
    expect(await moveLanding(home, target, { from: undefined, to: two, subject: "Two" })).toBe(false);
    expect(await moveLanding(home, target, { from: base, to: two, subject: "Two" })).toBe(false);
    expect(await moveLanding(home, target, { from: undefined, to: one, subject: "One" })).toBe(true);
    expect(await readLanding(home, target)).toBe(one);
  });

  test("L-23 of eight processes that move it at once, one wins", async () => {
    const { home, target, base } = await landing();
    const from = await landFiles(home, target, { "a.txt": "first\n" });
    const commits = await Promise.all(
      Array.from({ length: 8 }, (_, lane) => commitFiles(home, base, { "a.txt": `lane ${lane}\n` })),
    );
    const results = await Promise.all(commits.map((to) => moveLanding(home, target, { from, to, subject: "Race" })));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await readLanding(home, target)).toBe(commits[results.indexOf(true)]);
  });

  test("L-23 that git cannot write is an error, not a lost race", async () => {
    const { home, target, base } = await landing();
    const to = await commitFiles(home, base, { "a.txt": "one\n" });
    mkdirSync(join(home.commonFolder, `${target.ref}.lock`), { recursive: true });
    const move = moveLanding(home, target, { from: undefined, to, subject: "One" });
    await expect(move).rejects.toMatchObject({ kind: "io" });
  });

  test("L-23 of an earlier branch in the way of a new one is named, with the command that removes it", async () => {
    const { home, target, base } = await landing();
    await landFiles(home, target, { "a.txt": "one\n" });
    expect((await branchState(home, target)).kind).toBe("behind");
    git(home.folder, "branch", "--move", "main", "main/next");
    const next = await openTarget(home);
    const error = await moveLanding(home, next, { from: undefined, to: base, subject: "x" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      kind: "config",
      hint: expect.stringContaining("git update-ref -d refs/ralph/target/main"),
    });
    git(home.folder, "update-ref", "-d", "refs/ralph/target/main");
    expect(await moveLanding(home, next, { from: undefined, to: base, subject: "x" })).toBe(true);
    expect((await branchState(home, next)).kind).toBe("even");
  });
});

describe("L-24 the branch and the landing ref", () => {
  test("L-24 nothing has landed; then the branch is behind; then it is even", async () => {
    const { home, target, base } = await landing();
    expect(await branchState(home, target)).toEqual({ kind: "unlanded", branch: base });
    const landed = await landFiles(home, target, { "a.txt": "2\n" });
    expect(await branchState(home, target)).toEqual({ kind: "behind", branch: base, landing: landed });
    git(home.folder, "merge", "--quiet", "--ff-only", target.ref);
    expect(await branchState(home, target)).toEqual({ kind: "even", branch: landed, landing: landed });
  });

  test("L-24 the person committed on top: ahead; beside it: diverged", async () => {
    const { home, target, landed } = await followed();
    write(home.folder, { "b.txt": "mine\n" });
    commitAll(home.folder, "Mine");
    const mine = head(home);
    expect(await branchState(home, target)).toEqual({ kind: "ahead", branch: mine, landing: landed });
    const next = await landFiles(home, target, { "a.txt": "next\n" });
    expect(await branchState(home, target)).toEqual({ kind: "diverged", branch: mine, landing: next });
  });

  test.each<[string, (folder: string, base: string) => void]>([
    ["reset", (folder, base) => git(folder, "reset", "--quiet", "--hard", base)],
    ["amended", (folder) => git(folder, "commit", "--quiet", "--amend", "--message", "Other words")],
    [
      "rebased",
      (folder, base) => {
        write(folder, { "b.txt": "mine\n" });
        commitAll(folder, "Mine");
        git(folder, "rebase", "--quiet", "--onto", base, "HEAD~1");
      },
    ],
    [
      "squashed",
      (folder, base) => {
        git(folder, "reset", "--quiet", "--soft", base);
        git(folder, "commit", "--quiet", "--message", "All in one");
      },
    ],
  ])("L-24 a branch that the person has %s is rewound, and stays so when more lands", async (_, rewind) => {
    const { home, target, base, landed } = await followed();
    rewind(home.folder, base);
    const branch = head(home);
    expect(await branchState(home, target)).toEqual({ kind: "rewound", branch, landing: landed, had: landed });
    const next = await landFiles(home, target, { "a.txt": "next\n" });
    expect(await branchState(home, target)).toEqual({ kind: "rewound", branch, landing: next, had: landed });
  });

  test("L-24 a commit of the person's that was merged into the landing ref, and then amended, is rewound too", async () => {
    const { home, target, landed } = await followed();
    write(home.folder, { "b.txt": "mine\n" });
    commitAll(home.folder, "Mine");
    const mine = head(home);
    await moveLanding(home, target, { from: landed, to: mine, subject: "Take over" });
    expect((await branchState(home, target)).kind).toBe("even");
    git(home.folder, "commit", "--quiet", "--amend", "--message", "Other words");
    const branch = head(home);
    expect(await branchState(home, target)).toEqual({ kind: "rewound", branch, landing: mine, had: mine });
  });

  test("L-24 a branch that is deleted or renamed is gone, and one that is made again has been rewound", async () => {
    const { home, target, base, landed } = await followed();
    git(home.folder, "branch", "--move", "main", "trunk");
    expect(await branchState(home, target)).toEqual({ kind: "gone", landing: landed, had: landed });
    git(home.folder, "branch", "main/else");
    expect(await branchState(home, target)).toEqual({ kind: "gone", landing: landed, had: landed });
    git(home.folder, "branch", "--delete", "main/else");
    git(home.folder, "branch", "main", base);
    expect(await branchState(home, target)).toMatchObject({ kind: "rewound", branch: base, had: landed });
  });

  test("L-24 a detached HEAD is compared like a branch, and is gone once it is on one", async () => {
    const { home, base } = await landing();
    git(home.folder, "switch", "--quiet", "--detach");
    const target = await openTarget(home);
    const landed = await landFiles(home, target, { "a.txt": "2\n" });
    expect(await branchState(home, target)).toEqual({ kind: "behind", branch: base, landing: landed });
    git(home.folder, "switch", "--quiet", "main");
    expect(await branchState(home, target)).toEqual({ kind: "gone", landing: landed, had: base });
  });
});
