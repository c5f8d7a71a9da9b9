import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { landFiles } from "../../../test/land-files.ts";
import { byLane } from "../../../test/lane.ts";
import { git, write } from "../../../test/temporary-folder.ts";
import { writeCommit } from "./commit.ts";
import { followBranch } from "./follow-branch.ts";
import { objectName } from "./hash.ts";
import { branchState, moveLanding, openTarget, type LandingTarget } from "./landing.ts";
import { mergeTrees } from "./merge-trees.ts";
import type { Repository } from "./repository.ts";

// A person does whatever a person does with git while work lands. All that they wrote stays where they can find it.

const FILES = ["a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "plan.md", "x.log"] as const;
const BEGIN = { "a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n", "plan.md": "plan\n", ".gitignore": "*.log\n" };

const file = fc.constantFrom(...FILES);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("save" as const), file }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), file }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("land" as const), file, other: file, removes: fc.boolean() }) },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant("git" as const),
      args: fc.constantFrom<readonly string[]>(
        ["add", "--all"],
        ["add", "a.txt", "plan.md"],
        ["commit", "--quiet", "--message", "Staged"],
        ["commit", "--quiet", "--all", "--message", "All"],
        ["commit", "--quiet", "--all", "--amend", "--message", "Amended"],
        ["stash", "push", "--quiet", "--include-untracked"],
        ["stash", "pop", "--quiet"],
        ["reset", "--quiet", "--soft", "HEAD~1"],
        ["reset", "--quiet", "HEAD~1"],
        ["reset", "--quiet", "--hard", "HEAD~1"],
        ["switch", "--quiet", "side"],
        ["switch", "--quiet", "main"],
        ["rebase", "--quiet", "side"],
        ["merge", "--quiet", "--no-edit", "side"],
        ["rebase", "--abort"],
        ["merge", "--abort"],
      ),
    }),
  },
);

test(
  "T-41 L-24 whatever a person does between landings, nothing of theirs is lost, moved or committed by us",
  async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const home = await newRepository(BEGIN);
        const target = await openTarget(home);
        git(home.folder, "branch", "side");
        await moveLanding(home, target, {
          from: undefined,
          to: git(home.folder, "rev-parse", "HEAD"),
          subject: "Begin",
        });
        expect((await branchState(home, target)).kind).toBe("even");
        for (const [number, done] of steps.entries()) {
          const text = `${done.kind} ${number}\n`;
          if (done.kind === "save") attempt(() => write(home.folder, { [done.file]: text }));
          if (done.kind === "remove") rmSync(join(home.folder, done.file), { force: true, recursive: true });
          if (done.kind === "git") attempt(() => git(home.folder, ...done.args));
          if (done.kind === "land") {
            const files = { [done.file]: text, ...(done.removes && { [done.other]: undefined }) };
            await landFiles(home, target, files);
            seen.add(await followSafely(home, target));
          }
        }
      }),
      { numRuns: Number(process.env["RALPH_PLAYS"] ?? byLane(20, 80)) },
    );
    // A play in which nothing ever follows, or everything does, would show little.
    expect([...seen]).toEqual(expect.arrayContaining(["followed", "refused", "nothing"]));
  },
  byLane(120_000, 1_800_000),
);

/** Follows as a run does, and compares everything of the person's before and after. */
async function followSafely(home: Repository, target: LandingTarget): Promise<string> {
  await bringTogether(home, target);
  const before = picture(home);
  const { kind } = await followBranch(home, target, { planFiles: ["plan.md"] });
  const after = picture(home);
  const lost = [...before.contents].filter((content) => !after.contents.has(content));
  expect(lost).toEqual([]);
  expect(after.commits).toEqual(before.commits);
  expect(after.otherRefs).toEqual(before.otherRefs);
  expect(after.head).toBe(before.head);
  // Every edit that was not committed is still one, byte for byte, but where it is the same as what landed.
  for (const [path, content] of before.edits) expect([path, after.files.get(path)]).toEqual([path, content]);
  if (kind !== "followed") expect(after).toEqual(before);
  return kind;
}

/** What a run does before the next candidate: commits of the person's become part of the landing ref. */
async function bringTogether(home: Repository, target: LandingTarget): Promise<void> {
  const state = await branchState(home, target);
  if (state.kind === "ahead") {
    await moveLanding(home, target, { from: state.landing, to: state.branch, subject: "Take over" });
  }
  // The person says that the commits shall stay out.
  if (state.kind === "rewound") git(home.folder, "update-ref", target.ref, state.branch);
  if (state.kind !== "diverged") return;
  const base = git(home.folder, "merge-base", state.branch, state.landing);
  const merged = await mergeTrees(home, { base, ours: state.landing, theirs: state.branch });
  if (merged.kind === "conflict") return;
  const parents = [state.landing, state.branch];
  const commit = await writeCommit(home, { tree: merged.tree, parents, message: "Merge\n" });
  await moveLanding(home, target, { from: state.landing, to: commit, subject: "Merge" });
}

interface Picture {
  /** Names of all content that can be found: in files, the index, refs, stashes and reflogs. */
  readonly contents: ReadonlySet<string>;
  readonly commits: readonly string[];
  readonly otherRefs: string;
  readonly head: string;
  readonly files: ReadonlyMap<string, string>;
  /** Files that are not as HEAD has them. */
  readonly edits: ReadonlyMap<string, string | undefined>;
}

function picture(home: Repository): Picture {
  const { folder } = home;
  const files = new Map(filesIn(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const objects = git(folder, "rev-list", "--objects", "--all", "--reflog", "--indexed-objects", "HEAD").split("\n");
  const names = Array.from(files.values(), (text) => objectName(home, "blob", Buffer.from(text)));
  const status = git(folder, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored");
  const edited = ` ${status}`.split("\0").map((line) => line.trimStart().replace(/^\S+ /, ""));
  return {
    contents: new Set([...names, ...objects.map((line) => line.split(" ")[0]!)]),
    commits: git(folder, "rev-list", "--all", "--reflog", "HEAD").split("\n").sort(),
    otherRefs: git(folder, "for-each-ref", "refs/heads/side", "refs/stash", "refs/ralph/target"),
    head: readFileSync(join(home.gitFolder, "HEAD"), "utf8"),
    files,
    edits: new Map(edited.filter(Boolean).map((path) => [path, files.get(path)])),
  };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.startsWith(".git/") && path !== ".git" && statSync(join(folder, path)).isFile(),
  );

function attempt(action: () => unknown): void {
  try {
    action();
  } catch {
    // Git refuses people, too; what it has done until then is part of the play.
  }
}
