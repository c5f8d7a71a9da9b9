import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notices, script, scriptFor, seen, sh, type Step, WORK } from "../hostile-run.ts";
import { type LoopRun, loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });
const ONE_ATTEMPT = "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1 }\n";
const FAILED = { code: 1, outcomes: ["rejected"], states: { "Do it": "failed" }, commits: [] };
const GIVE_UP: Step = { say: "<task-failed>{task}</task-failed>" };

/** The files of the work that was kept, against where the run began. */
function keptFiles(place: LoopWorkspace, run: LoopRun, base: string): string[] {
  const [kept] = eventsOf(run, "work.kept");
  return kept === undefined ? [] : place.git("diff", "--name-only", base, kept.ref).split("\n").filter(Boolean);
}

describe.concurrent("P-33 a task that finally fails", () => {
  test("P-33 its work is kept under refs/ralph, and the tree is what it was, with the user's untracked files", async () => {
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      files: { "a.txt": "a\n", "b.txt": "b\n" },
      script: script([write("a.txt", "changed\n"), { delete: "b.txt" }, write("new/deep.txt", "new\n"), DONE]),
    });
    place.write({ "mine.txt": "mine\n" });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(FAILED);
    const ref = `refs/ralph/${eventsOf(run, "run.started")[0]!.run}/${place.ids[0]}`;
    expect(eventsOf(run, "work.kept")).toEqual([
      expect.objectContaining({ task: place.ids[0], ref, commit: place.git("rev-parse", ref), why: "the task failed" }),
    ]);
    expect(keptFiles(place, run, "HEAD")).toEqual(["a.txt", "b.txt", "new/deep.txt"]);
    expect([place.git("status", "--porcelain"), place.read("mine.txt")]).toEqual(["?? mine.txt", "mine\n"]);
  });

  test("P-33 its commits are kept there too, and the branch moves back", async () => {
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      script: script([write("a"), { commit: "A" }, write("b"), DONE]),
    });
    const head = place.git("rev-parse", "HEAD");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(FAILED);
    expect(keptFiles(place, run, head)).toEqual(["a", "b"]);
    expect([
      place.git("rev-parse", "main"),
      place.git("branch", "--show-current"),
      place.git("status", "--porcelain"),
    ]).toEqual([head, "main", ""]);
  });

  test("P-33 commits that a remote has are reverted by one commit", async () => {
    const remote = temporaryFolder();
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      script: script([write("a"), { commit: "A" }, sh("git push -q origin main"), write("b"), DONE]),
    });
    place.git("init", "--quiet", "--bare", remote);
    place.git("remote", "add", "origin", remote);
    const head = place.git("rev-parse", "HEAD");
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...FAILED, commits: ["A", "Revert unproven work: Do it"] });
    expect(keptFiles(place, run, head)).toEqual(["a", "b"]);
    expect([place.git("diff", "--name-only", head, "HEAD"), place.git("status", "--porcelain")]).toEqual(["", ""]);
    expect(notices(run)).toContain("The agent's commits are published, so one commit reverts them");
  });

  test("P-33 tasks that were verified before stay", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three"],
      config: ONE_ATTEMPT,
      script: scriptFor({
        One: [WORK, DONE],
        Two: [{ delete: "done.txt" }, sh("git commit -qam 'Take it away'"), write("two"), DONE],
        Three: [write("three"), DONE],
      }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["verified", "rejected", "verified"],
      states: { One: "done", Two: "failed", Three: "done" },
      commits: ["One", "Three"],
    });
    expect([place.git("show", "--name-only", "--format=", "HEAD"), place.git("status", "--porcelain")]).toEqual([
      "three",
      "",
    ]);
  });

  test("P-33 X-2 with --no-commit nothing is reset, and the run stops", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: ONE_ATTEMPT,
      script: script([write("a"), DONE]),
    });
    const run = await place.run("--no-commit");
    expect(await seen(place, run)).toEqual({
      code: 2,
      outcomes: ["rejected"],
      states: { One: "failed", Two: "pending" },
      commits: [],
    });
    expect([run.finished?.reason, place.git("status", "--porcelain")]).toEqual([
      `The work of ${place.ids[0]} stays in the tree: --no-commit allows no rollback`,
      "?? a",
    ]);
  });

  test("P-33 X-2 a dirty path that was touched under --allow-dirty: nothing is reset, and the run stops", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: ONE_ATTEMPT,
      script: script([sh("echo agent >> README.md"), write("a"), DONE]),
    });
    place.write({ "README.md": "mine\n" });
    const run = await place.run("--allow-dirty");
    expect(await seen(place, run)).toEqual({
      code: 2,
      outcomes: ["rejected"],
      states: { One: "failed", Two: "pending" },
      commits: [],
    });
    expect(run.finished?.reason).toBe(
      `The work of ${place.ids[0]} touches files that you changed, so nothing was rolled back: README.md`,
    );
    expect([place.read("README.md"), existsSync(join(place.folder, "a"))]).toEqual(["mine\nagent\n", true]);
  });

  test("P-33 P-31 changes of the user's that the session committed are theirs again, and an untracked file of theirs that it changed is named", async () => {
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      script: script([write("a"), sh("echo agent >> mine.txt && git add -A && git commit -qm All"), DONE]),
    });
    place.write({ "README.md": "mine\n", "mine.txt": "untracked\n" });
    const run = await place.run("--allow-dirty");
    expect(await seen(place, run)).toEqual(FAILED);
    expect(notices(run)).toContain("These files stay as the session left them: mine.txt");
    expect([place.git("status", "--porcelain"), place.read("README.md"), place.read("mine.txt")]).toEqual([
      "M README.md\n?? mine.txt",
      "mine\n",
      "untracked\nagent\n",
    ]);
  });

  test("P-33 P-31 X-2 changes of the user's in a commit of a session that failed are not lost by the next run", async () => {
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      script: script([sh("echo agent >> README.md && git add -A && git commit -qm All"), DONE]),
    });
    place.write({ "README.md": "mine\n" });
    const runs = [await place.run("--allow-dirty"), await place.run(), await place.run("--allow-dirty")];
    const reason = `The work of ${place.ids[0]} touches files that you changed, so nothing was rolled back: README.md`;
    expect(runs.map(({ code, finished }) => [code, finished?.reason])).toEqual([
      [2, reason],
      [2, reason],
      [2, reason],
    ]);
    expect([place.read("README.md"), place.commits()]).toEqual(["mine\nagent\n", ["All"]]);
  });

  test("P-33 P-31 changes of the user's that a session of an earlier run committed are theirs again", async () => {
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      script: script([write("a"), sh("git add -A && git commit -qm All || true"), { say: "More to do." }]),
    });
    place.write({ "README.md": "mine\n" });
    const first = await place.run("--allow-dirty", "--max-iterations", "1");
    const second = await place.run();
    expect([first.outcomes, second.outcomes, await place.states()]).toEqual([
      ["unfinished"],
      ["idle"],
      { "Do it": "failed" },
    ]);
    expect([place.git("status", "--porcelain"), place.read("README.md"), place.commits()]).toEqual([
      "M README.md",
      "mine\n",
      [],
    ]);
  });

  test("P-33 a failure in a repository without a commit returns to no commit", async () => {
    const place = await loopWorkspace({ config: ONE_ATTEMPT, script: script([write("a"), { commit: "A" }, DONE]) });
    place.git("update-ref", "-d", "HEAD");
    place.git("rm", "-r", "-q", "--cached", ".");
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states()]).toEqual([1, ["rejected"], { "Do it": "failed" }]);
    expect(() => place.git("rev-parse", "--verify", "HEAD")).toThrow();
    expect(existsSync(join(place.folder, "README.md"))).toBe(true);
  });
});

describe.concurrent("P-33 work of one task and the commit of another", () => {
  test("P-33 half-done work of a task that gave up is kept, not in the next one's commit, and named in its retry", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: JSON.stringify([
        {
          when: { title: "One", iteration: 1 },
          steps: [write("half.txt", "half\n"), { say: "It is too hard.\n\n<task-failed>{task}</task-failed>" }],
        },
        { when: { title: "Two" }, steps: [WORK, DONE] },
        { when: { title: "One" }, steps: [write("one.txt"), DONE] },
      ]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["gave-up", "verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["Two", "One"],
    });
    const [kept] = eventsOf(run, "work.kept");
    expect([kept?.task, kept?.why, keptFiles(place, run, "HEAD~2")]).toEqual([
      place.ids[0],
      "another task comes first",
      ["half.txt"],
    ]);
    expect([
      place.git("show", "--name-only", "--format=", "HEAD~1"),
      place.git("show", "--name-only", "--format=", "HEAD"),
    ]).toEqual(["done.txt", "one.txt"]);
    expect(run.prompt(3)).toContain(`its work is saved: \`git show ${kept?.ref}\``);
  });

  test("P-33 work that stays rejected is there for the same task's next attempt, and in its commit", async () => {
    const place = await loopWorkspace({ script: script([write("a"), DONE], [WORK, DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["rejected", "verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    expect(place.git("show", "--name-only", "--format=", "HEAD")).toBe("a\ndone.txt");
  });

  test("P-33 a task that gives up for good: everything of all its attempts is kept", async () => {
    const place = await loopWorkspace({
      config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 2 }\n",
      script: script([write("a"), GIVE_UP], [write("b"), GIVE_UP]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["gave-up", "gave-up"],
      states: { "Do it": "failed" },
      commits: [],
    });
    expect([keptFiles(place, run, "HEAD"), place.git("status", "--porcelain")]).toEqual([["a", "b"], ""]);
  });
});
