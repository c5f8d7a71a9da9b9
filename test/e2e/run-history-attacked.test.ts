import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, notes, script, seen, sh, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };
/** Makes a branch `other` whose README is in conflict with that of main. */
const FORK = `git switch -qc other && echo other > README.md && git commit -qam Other && git switch -q main &&
echo main > README.md && git commit -qam Main`;

describe.concurrent("P-34 a session that rewrites history", () => {
  test("P-34 `git reset --hard HEAD~1`: the commit is HEAD again, and the files as they are now are judged", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script(
        [WORK, DONE],
        [sh("git reset -q --hard HEAD~1"), DONE],
        [sh("git checkout -q HEAD ."), { write: { path: "b", text: "" } }, DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "rejected", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(notes(run)).toEqual([
      expect.stringMatching(
        /^The session rewrote the history of the branch\. Moved HEAD back to [0-9a-f]{10}; the files stay as they are$/,
      ),
    ]);
  });

  test("P-34 `git commit --amend`: what was there stays, the difference becomes our commit", async () => {
    const place = await loopWorkspace({
      script: script([WORK, sh("git add . && git commit -q --amend -m Amended"), DONE]),
    });
    const head = place.git("rev-parse", "HEAD");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(notes(run).length).toBe(1);
    expect([
      place.git("rev-parse", "HEAD~1"),
      place.git("show", "--name-only", "--format=", "HEAD"),
      place.git("status", "--porcelain"),
    ]).toEqual([head, "done.txt", ""]);
  });

  test("P-34 a branch that was switched to, with commits on it, is taken along", async () => {
    const place = await loopWorkspace({
      script: script([
        sh("git switch -qc feature"),
        WORK,
        { commit: "Work of the agent" },
        { write: { path: "b", text: "" } },
        DONE,
      ]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, commits: ["Work of the agent", "Do it"] });
    expect(notes(run)).toEqual([
      "The session switched to another branch. Switched back to main, keeping the new commits",
    ]);
    expect(place.git("branch", "--show-current")).toBe("main");
  });

  test("P-34 a branch that was switched to without a commit, and a detached HEAD, are left again", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script(
        [sh("git switch -qc feature"), WORK, DONE],
        [sh("git switch -q --detach"), { write: { path: "b", text: "" } }, DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect([notes(run).length, place.git("branch", "--show-current"), place.git("status", "--porcelain")]).toEqual([
      2,
      "main",
      "",
    ]);
  });

  test("P-34 X-2 a branch of another history cannot be put right safely: the claim is rejected, and a person is asked", async () => {
    const place = await loopWorkspace({
      script: script([sh("git switch -q --orphan elsewhere && git commit -q --allow-empty -m Elsewhere"), WORK, DONE]),
    });
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states(), run.finished?.reason]).toEqual([
      2,
      ["rejected"],
      { "Do it": "pending" },
      "The session switched to another branch, and ralphctl could not repair that safely",
    ]);
  });

  test("P-34 a rebase that rewrites the commits of an earlier task is undone", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script(
        [WORK, DONE],
        [
          sh("GIT_COMMITTER_DATE=2001-01-01T00:00:00 git rebase -q --force-rebase HEAD~1"),
          { write: { path: "b", text: "" } },
          DONE,
        ],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(notes(run)).toEqual([expect.stringMatching(/^The session rewrote the history of the branch\./)]);
  });
});

describe.concurrent("P-34 a session that leaves something half done", () => {
  test("P-34 an index.lock that nobody holds is removed", async () => {
    const place = await loopWorkspace({ script: script([WORK, sh("touch .git/index.lock"), DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(notes(run)).toEqual([
      "The session left the lock index.lock in the repository. Removed the stale lock index.lock",
    ]);
    expect(place.git("status", "--porcelain")).toBe("");
  });

  test("P-34 a folder in the place of a lock is left to a person, where it keeps git from writing", async () => {
    const place = await loopWorkspace({ script: script([WORK, sh("mkdir .git/objects/maintenance.lock"), DONE]) });
    const run = await place.run();
    expect([await seen(place, run), notes(run)]).toEqual([VERIFIED, []]);
    const other = await loopWorkspace({ script: script([WORK, sh("mkdir .git/index.lock"), DONE]) });
    const ended = await other.run();
    expect([await seen(other, ended), notes(ended)]).toEqual([
      { code: 2, outcomes: ["rejected"], states: { "Do it": "pending" }, commits: [] },
      ["Cannot remove the stale lock index.lock: ERR_FS_EISDIR"],
    ]);
  });

  test.each([
    ["", ""],
    [" after a commit of the agent's", "git add --all && git commit -qm 'Do it' && "],
  ])("P-34 the lock of a git that was ended while it tidied is removed without a word%s", async (_, first) => {
    const left = sh(`${first}touch .git/objects/maintenance.lock`);
    const place = await loopWorkspace({ script: script([WORK, left, DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect([notes(run), existsSync(join(place.folder, ".git/objects/maintenance.lock"))]).toEqual([[], false]);
  });

  test.each([
    ["merge", "git merge other"],
    ["cherry-pick", "git cherry-pick other"],
    ["revert", "git revert --no-edit HEAD~1"],
    ["rebase", "git rebase other"],
  ])("P-34 a half-done %s is aborted", async (what, command) => {
    const fork = what === "revert" ? `${FORK} && echo more > README.md && git commit -qam More` : FORK;
    const place = await loopWorkspace({
      script: script([sh(`${fork}; ${command} >/dev/null 2>&1`), sh("true"), DONE], [WORK, DONE]),
    });
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states(), notes(run)]).toEqual([
      0,
      ["rejected", "verified"],
      { "Do it": "done" },
      [`The session left an unfinished ${what}. ralphctl aborted it`],
    ]);
    expect([place.git("status", "--porcelain"), place.git("branch", "--show-current"), place.commits().at(-1)]).toEqual(
      ["", "main", "Do it"],
    );
  });
});
