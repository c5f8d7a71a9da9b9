import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, notices, script, seen, sh, type Step, WORK } from "../hostile-run.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });
const GATE = "gates: [{ id: test, run: test -f done.txt && test ! -f bad.txt }]\n";

/** The session plays the person, too, so that each does their part at a known moment. */
const person = (command: string): Step => sh(`unset GIT_REFLOG_ACTION; cd "{home}" && { ${command}; }`);

/** A person who does something while the first of two tasks is worked on. */
const withPerson = async (command: string, files: Readonly<Record<string, string>> = {}): Promise<LoopWorkspace> =>
  await loopWorkspace({
    tasks: ["One", "Two"],
    config: GATE,
    files: { "a.txt": "a\n", ...files },
    script: script([WORK, person(command), DONE], [write("two"), DONE]),
  });

const BOTH_DONE = { code: 0, outcomes: ["verified", "verified"], states: { One: "done", Two: "done" } };

describe.concurrent("T-41 what a person does while a run is on is theirs", () => {
  test("T-41 L-24 files that they save, stage, delete and stash stay as they are, and the branch follows", async () => {
    const place = await withPerson(
      "echo stashed > a.txt; git stash -q; echo saved > README.md; echo new > new.txt; echo s > s.txt; git add s.txt; rm a.txt",
    );
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...BOTH_DONE, commits: ["One", "Two"] });
    expect([
      place.git("status", "--porcelain").split("\n").sort(),
      place.read("README.md"),
      place.git("show", "stash@{0}:a.txt"),
      place.git("diff", "--name-only", "HEAD~2", "HEAD"),
    ]).toEqual([[" D a.txt", "?? new.txt", "A  s.txt", "M README.md"], "saved\n", "stashed", "done.txt\ntwo"]);
  });

  test("T-41 L-24 commits are merged and proven, and stay as they are", async () => {
    const place = await withPerson("echo mine > a.txt; git commit -qam Mine");
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...BOTH_DONE, commits: expect.any(Array) as string[] });
    const mine = place.git("log", "--format=%H", "--grep=^Mine$");
    expect([
      place.git("log", "--first-parent", "-1", "--format=%s"),
      place.git("diff-tree", "--no-commit-id", "--name-only", "-r", mine),
      place.read("a.txt"),
      place.git("status", "--porcelain"),
    ]).toEqual(["Two", "a.txt", "mine\n", ""]);
  });

  test("T-41 L-24 a switched branch stays checked out; that of the run moves without it", async () => {
    const place = await withPerson("git switch -qc other; echo o > o.txt; git add o.txt; git commit -qm Other");
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...BOTH_DONE, commits: ["Other"] });
    expect([
      place.git("branch", "--show-current"),
      place.git("log", "--reverse", "--format=%s", "other..main"),
      place.git("status", "--porcelain"),
      existsSync(join(place.folder, "done.txt")),
    ]).toEqual(["other", "One\nTwo", "", false]);
  });

  test("T-41 L-24 an amended commit is what the run goes on from, with the work on top; the old one stays under a ref", async () => {
    const place = await withPerson("echo amended > a.txt; git commit -qa --amend -m Amended");
    const old = place.git("rev-parse", "HEAD");
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states()]).toEqual(Object.values(BOTH_DONE));
    expect([place.git("log", "-3", "--format=%s"), place.read("a.txt"), place.git("status", "--porcelain")]).toEqual([
      "Two\nOne\nAmended",
      "amended\n",
      "",
    ]);
    const [lost = ""] = notices(run).flatMap((text) => /the old one is (\S+)$/.exec(text)?.[1] ?? []);
    expect([
      place.git("log", "--format=%H", lost).includes(old),
      place.git("log", "--format=%H").includes(old),
    ]).toEqual([true, false]);
  });

  test("T-41 L-24 commits that they take off the branch between two runs stay off; work that landed meanwhile comes", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: "gates: [{ id: test, run: 'true' }]\n",
      script: script([write("one"), DONE], [write("two"), DONE]),
    });
    place.write({ "off.txt": "off\n" });
    place.git("add", "off.txt");
    place.git("commit", "--quiet", "--message", "Off");
    expect((await place.run("--no-commit", "--max-iterations", "1")).code).toBe(4);
    place.git("reset", "--quiet", "--hard", "HEAD~1");
    const run = await place.run();
    expect([run.code, place.git("log", "-2", "--format=%s"), existsSync(join(place.folder, "off.txt"))]).toEqual([
      0,
      "Two\nOne",
      false,
    ]);
  });

  test("T-41 L-24 X-2 commits that conflict with work that landed need the person, and nothing of either is lost", async () => {
    const place = await withPerson("echo mine > done.txt; git add done.txt; git commit -qm Mine");
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states(), run.finished?.reason, run.finished?.followBy]).toEqual([
      2,
      ["verified"],
      { One: "done", Two: "pending" },
      "Your commits on main conflict with work that landed, in done.txt",
      [
        "git merge --autostash refs/ralph/target/main",
        "git commit --all  # once the conflict is resolved",
        "ralphctl land",
      ],
    ]);
    expect([place.commits(), place.read("done.txt"), place.git("status", "--porcelain")]).toEqual([
      ["Mine"],
      "mine\n",
      "",
    ]);
    expect(place.git("show", "refs/ralph/target/main:done.txt")).toBe("yes");
  });

  test("T-41 L-24 X-2 commits that make a gate red need the person; the landing stays green", async () => {
    const place = await withPerson("touch bad.txt; git add bad.txt; git commit -qm Bad");
    const run = await place.run();
    expect([run.code, run.outcomes, run.finished?.reason]).toEqual([
      2,
      ["verified"],
      "The gates fail with your commits together with work that landed: test",
    ]);
    expect([place.commits(), place.git("log", "-1", "--format=%s", "refs/ralph/target/main")]).toEqual([
      ["Bad"],
      "One",
    ]);
  });

  test("T-41 L-24 a lock of another git is theirs: the branch follows when it is gone", async () => {
    const place = await withPerson("touch .git/index.lock");
    const run = await place.run();
    expect([run.code, place.commits(), existsSync(join(place.folder, ".git/index.lock"))]).toEqual([0, [], true]);
    expect(run.finished?.notFollowing).toMatch(/^Another git is at work in /);
    rmSync(join(place.folder, ".git/index.lock"));
    expect([(await place.run()).code, place.commits()]).toEqual([0, ["One", "Two"]]);
  });

  test("T-41 L-24 a branch that they deleted is not made again; the work stays on the landing", async () => {
    const place = await withPerson("git switch -q --detach; git branch -qD main");
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
    expect(run.finished?.notFollowing).toBe(
      "The branch main no longer exists. Make it again: git branch main refs/ralph/target/main",
    );
    expect([
      place.git("branch", "--format=%(refname:short)").includes("main"),
      place.git("status", "--porcelain"),
    ]).toEqual([false, ""]);
    expect(place.git("log", "-1", "--format=%s", "refs/ralph/target/main")).toBe("Two");
  });
});

describe.concurrent("T-41 L-24 what a session does in the person's repository is not the person's", () => {
  /** It has the mark of its session. */
  const stray = (command: string): Step => sh(`cd "{home}" && { ${command}; }`);
  const strayed = async (...sessions: readonly (readonly Step[])[]): Promise<LoopWorkspace> =>
    await loopWorkspace({
      tasks: ["One", "Two"],
      config: "gates: [{ id: test, run: npm run --silent test }]\n",
      files: { "package.json": JSON.stringify({ scripts: { test: "test -f done.txt" } }) },
      script: script(...sessions),
    });

  test("T-41 work that it commits there gets no task done; it is named, proven and taken in", async () => {
    const place = await strayed([stray("echo yes > done.txt; git add done.txt; git commit -qm Stray"), DONE]);
    const run = await place.run("--max-iterations", "1");
    expect([run.outcomes, await place.states()]).toEqual([["rejected"], { One: "pending", Two: "pending" }]);
    const made = place.git("rev-parse", "--short=10", "main");
    expect(notices(run)).toContain(
      `The session committed ${made} in your repository, outside its lane. No task gets credit for that`,
    );
    const next = await place.run("--max-iterations", "1");
    expect(notices(next)).toContain(`Taking in 1 commit that a session made in your repository: ${made}`);
  });

  test("T-41 T-10 X-2 commits that decide the gates do not land before the person says so", async () => {
    const weak =
      'echo {} > package.json; sed -i \'s/{}/{"scripts":{"test":"true"}}/\' package.json; git commit -qam Weak';
    const place = await strayed([stray(weak), write("one"), DONE]);
    const run = await place.run("--max-iterations", "2");
    const base = place.git("rev-parse", "--short=10", "HEAD~1");
    expect([run.code, run.outcomes, await place.states(), run.finished?.reason, run.finished?.help]).toEqual([
      2,
      ["rejected"],
      { One: "pending", Two: "pending" },
      "A session committed to main in your repository and changed what decides the gates: package.json",
      ["ralphctl land, if you want its commits", `git reset --keep ${base}, to take them off`],
    ]);
    expect([place.commits(), place.git("rev-parse", "--short=10", "refs/ralph/target/main")]).toEqual([["Weak"], base]);
    expect((await place.ralphctl("land")).code).toBe(0);
    expect(place.git("rev-parse", "refs/ralph/target/main")).toBe(place.git("rev-parse", "main"));
  });

  test("T-41 L-25 it takes no work off the branch, and moves no landing", async () => {
    const place = await strayed(
      [write("done.txt"), DONE],
      [
        stray(
          "git reset -q --hard HEAD~1; git update-ref -m 'ralphctl: Two' refs/ralph/target/main $(git commit-tree -m Bad HEAD^{tree})",
        ),
        write("two"),
        DONE,
      ],
    );
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states()]).toEqual([
      0,
      ["verified", "verified"],
      { One: "done", Two: "done" },
    ]);
    expect(place.git("log", "--format=%s", "-2", "refs/ralph/target/main")).toBe("Two\nOne");
    expect(run.finished?.notFollowing).toContain("git merge --autostash refs/ralph/target/main brings them back");
  });
});
