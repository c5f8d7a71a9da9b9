import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lockTree } from "../../src/system/tree-lock.ts";
import { DONE, script, sh, type Step, WORK } from "../hostile-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Work has landed, and the branch is where it was. */
async function landed(...steps: readonly Step[]): Promise<LoopWorkspace> {
  const place = await loopWorkspace({
    files: { "a.txt": "a\n" },
    config: "gates:\n  - { id: test, run: test -f done.txt && test ! -f bad.txt }\n",
    script: script([WORK, ...steps, DONE]),
    env: { HOME: temporaryFolder() },
    isBuilt: true,
  });
  expect((await place.run("--no-commit")).code).toBe(0);
  return place;
}

const short = (place: LoopWorkspace, name: string): string => place.git("rev-parse", name).slice(0, 10);

function commitFile(place: LoopWorkspace, path: string): void {
  place.write({ [path]: "mine\n" });
  place.git("add", path);
  place.git("commit", "--quiet", "--message", `Change ${path}`);
}

describe.concurrent("ralphctl land", () => {
  test("L-24 brings the branch to the work that landed, once nothing is in the way", async () => {
    const place = await landed(sh("echo b > a.txt"));
    place.write({ "a.txt": "mine\n" });
    const head = place.git("rev-parse", "HEAD");
    const refused = await place.ralphctl("land");
    expect([refused.code, refused.stdout, place.git("rev-parse", "HEAD"), place.read("a.txt")]).toEqual([
      2,
      "main does not follow: You changed a.txt without a commit, and other changes of it landed\n" +
        "Run git stash && ralphctl land && git stash pop, or commit yours, then run ralphctl land\n",
      head,
      "mine\n",
    ]);
    place.git("checkout", "--quiet", "a.txt");
    const landing = short(place, "refs/ralph/target/main");
    const followed = await place.ralphctl("land");
    expect([followed.code, followed.stdout, place.read("a.txt"), place.commits()]).toEqual([
      0,
      `main is at ${landing} now: it got 1 commit that landed\n`,
      "b\n",
      ["Do it"],
    ]);
    expect((await place.ralphctl("land")).stdout).toBe("main has everything that landed\n");
  });

  test("L-24 merges a branch with commits of its own, proves both together, and then follows", async () => {
    const place = await landed();
    commitFile(place, "a.txt");
    const answer = await place.ralphctl("land");
    const merged = short(place, "main");
    expect([answer.code, answer.stdout.split("\n").slice(-3)]).toEqual([
      0,
      [
        expect.stringMatching(/^Gate test: ok/),
        `The gates pass on your commits together with those that landed. main is at ${merged} now`,
        "",
      ],
    ]);
    expect([short(place, "refs/ralph/target/main"), place.read("a.txt"), place.read("done.txt")]).toEqual([
      merged,
      "mine\n",
      "yes\n",
    ]);
  });

  test("L-24 a merge that is red changes nothing and needs the person", async () => {
    const place = await landed();
    commitFile(place, "bad.txt");
    const refs = place.git("for-each-ref");
    const answer = await place.ralphctl("land", "--json");
    expect([answer.code, JSON.parse(answer.stdout), place.git("for-each-ref")]).toEqual([
      2,
      {
        version: 1,
        branch: "main",
        ref: "refs/ralph/target/main",
        result: "refused",
        commit: place.git("rev-parse", "HEAD"),
        commits: 0,
        why: "The gates fail with your commits together with work that landed: test",
        remedy: "Correct it in a commit of yours, then run ralphctl land",
        steps: ["Correct it in a commit of yours", "ralphctl land"],
      },
      refs,
    ]);
  });

  test("L-24 a conflict names the files and the command", async () => {
    const place = await landed(sh("echo b > a.txt"));
    commitFile(place, "a.txt");
    const answer = await place.ralphctl("land");
    expect([answer.code, answer.stdout, place.git("status", "--porcelain")]).toEqual([
      2,
      expect.stringContaining(
        "main does not follow: Your commits on main conflict with work that landed, in a.txt\n" +
          "Run git merge --autostash refs/ralph/target/main, resolve the conflict and commit it, then run ralphctl land\n",
      ),
      "",
    ]);
  });

  test("L-24 L-03 T-41 the way out of a conflict works as it is said, with our marks in the person's plan file", async () => {
    const place = await loopWorkspace({
      tasks: [],
      files: { "a.txt": "a\n", "IMPLEMENTATION_PLAN.md": "- [ ] Do it\n", "own.txt": "own\n" },
      script: script([WORK, sh("echo b > a.txt"), DONE]),
      env: { HOME: temporaryFolder() },
    });
    expect((await place.run("--no-commit")).code).toBe(0);
    commitFile(place, "a.txt");
    place.write({ "own.txt": "not committed\n" });
    const answer = await place.ralphctl("land");
    const command = /^Run git (.+), resolve the conflict and commit it, then/m.exec(answer.stdout)?.[1] ?? "";
    expect([answer.code, place.git("diff", "--name-only")]).toEqual([2, "IMPLEMENTATION_PLAN.md\nown.txt"]);
    expect(() => place.git(...command.split(" "))).toThrow();
    place.write({ "a.txt": "both\n" });
    place.git("add", "a.txt");
    place.git("commit", "--quiet", "--no-edit");
    expect(await place.ralphctl("land")).toMatchObject({ code: 0 });
    expect([place.git("diff", "--name-only"), place.git("stash", "list"), place.read("own.txt")]).toEqual([
      "own.txt",
      "",
      "not committed\n",
    ]);
    expect([place.git("show", "HEAD:IMPLEMENTATION_PLAN.md"), place.read("a.txt"), await place.states()]).toEqual([
      "- [x] Do it",
      "both\n",
      { "Do it": "done" },
    ]);
  });

  test("X-75 L-24 waits for nobody: a run that has the tree is named", async () => {
    const place = await landed();
    const lock = await lockTree(join(place.folder, ".git"), { run: "r-20261116-014755-3f2a", scope: "workspace" });
    const answer = await place.ralphctl("land");
    lock.release();
    expect([answer.code, answer.stderr]).toEqual([
      75,
      expect.stringContaining("This working tree is in use by run r-20261116-014755-3f2a of workspace"),
    ]);
  });

  test("L-24 before anything landed there is nothing to follow", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), env: { HOME: temporaryFolder() } });
    const answer = await place.ralphctl("land");
    expect([answer.code, answer.stdout]).toEqual([0, "Nothing has landed for main yet\n"]);
  });
});
