import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, notes, notices, script, seen, sh, WORK } from "../hostile-run.ts";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Makes a branch `other` that cannot be merged, without a change of the files of `main`. */
const FORK =
  "echo main >clash.txt; git add clash.txt; git commit -qm Clash; git switch -qc other HEAD~1; echo other >clash.txt; git add clash.txt; git commit -qm Other; git switch -q main";

/** What sessions do to the git of their clone. Each leaves the files that it found. */
const DAMAGE: Readonly<Record<string, string>> = {
  "rewrite the last commit": "git commit -q --amend --allow-empty -m Amended",
  "take commits off the branch": "git reset -q --soft HEAD~2",
  "rebase commits of others": "GIT_COMMITTER_DATE=2001-01-01T00:00:00 git rebase -q --force-rebase HEAD~2",
  "switch the branch": "git switch -qc feature; git commit -q --allow-empty -m Feature",
  "detach HEAD": "git switch -q --detach",
  "begin another history": "git checkout -q --orphan elsewhere; git commit -qm Elsewhere",
  "delete the branch": "git switch -q --detach; git branch -qD main",
  "stop in a merge": `${FORK}; git merge other; git checkout -q --ours clash.txt; rm clash.txt`,
  "stop in a rebase": `${FORK}; git rebase other; rm clash.txt`,
  "stop in a cherry-pick": `${FORK}; git cherry-pick other; rm clash.txt`,
  "leave locks": "touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock .git/objects/maintenance.lock",
  "put folders in the place of locks": "mkdir .git/index.lock .git/config.lock",
  "configure another folder":
    "git config core.worktree / && git config core.hooksPath /nowhere && git config user.name Nobody",
  "break the index": "echo broken >.git/index",
  "plant hooks": `mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 1\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/*`,
  "hide files": "git update-index --assume-unchanged README.md; echo '*' >.git/info/exclude",
  "stash everything": "touch s; git add s; git stash -q",
  "remove the repository": "rm -rf .git",
  "put a file in its place": "rm -rf .git; echo nothing >.git",
  "begin a new repository": "rm -rf .git; git init -q; git commit -q --allow-empty -m New",
};

test("P-34 L-07 T-41 whatever a session does to the git of its clone: its files count, the next one finds it right, and the user's is untouched", async () => {
  const tasks = [...Object.keys(DAMAGE), "look"];
  const found = join(temporaryFolder(), "found.txt");
  const look = `{ git symbolic-ref --short HEAD; git log -1 --format=%B | sed -n 's/^Ralph-Task: //p'; git status --porcelain; git rev-parse --show-toplevel | sed "s|^$PWD$|here|"; git config user.name; git branch --format='%(refname:short)'; echo .; } >>${found} 2>&1`;
  const place = await loopWorkspace({
    tasks,
    script: JSON.stringify(
      tasks.map((title, index) => ({
        when: { title },
        steps: [
          sh(look),
          { write: { path: index === 0 ? "done.txt" : `file-${index}`, text: `${title}\n` } },
          ...(title in DAMAGE ? [sh(`${DAMAGE[title]!}; true`)] : []),
          DONE,
        ],
      })),
    ),
  });
  const run = await place.run();
  expect([run.code, run.outcomes, notes(run)]).toEqual([0, tasks.map(() => "verified"), []]);
  // One commit for each task, with its own file and nothing else.
  const log = place.git("log", "--reverse", "--format=%(trailers:key=Ralph-Task,valueonly,separator=)", "main");
  expect(log.split("\n").filter(Boolean)).toEqual(place.ids);
  const files = place.git("log", "--reverse", "--name-status", "--format=", `-${tasks.length}`, "main");
  expect(files.split("\n").filter(Boolean)).toEqual(
    tasks.map((_, index) => `A\t${index === 0 ? "done.txt" : `file-${index}`}`),
  );
  expect([
    place.git("branch", "--show-current"),
    place.git("status", "--porcelain"),
    place.git("stash", "list"),
  ]).toEqual(["main", "", ""]);
  expect(place.git("config", "--local", "--list")).not.toMatch(/worktree|hookspath|Nobody/i);
  const looks = readFileSync(found, "utf8").split("\n.\n").slice(0, -1);
  expect(looks).toEqual(
    tasks.map((_, index) =>
      ["main", ...(index === 0 ? [] : [place.ids[index - 1]]), "here", "Test", "main"].join("\n"),
    ),
  );
});

/** What sessions do to the places around them. The first ones leave their own files as they are. */
const AROUND: Readonly<Record<string, string>> = {
  "remove our view": 'rm -rf "$PWD.view"',
  "remove parts of our view": 'rm "$PWD.view/commondir" "$PWD.view/ralphctl-index" "$PWD.view/clone-config"',
  "remove our mark": 'rm "$PWD.view/place"',
  "put a file in the place of our view": 'rm -rf "$PWD.view"; echo x >"$PWD.view"',
  "remove the room": "rm -rf ../room",
  "remove our view of the room": "rm -rf ../room.view",
  "put a file in the place of the room": "rm -rf ../room; echo x >../room",
  "remove our records and its folder for temporary files": 'rm -f ../*.json; rm -rf "$TMPDIR"',
  "remove its lane": 'lane=$PWD; cd /; rm -rf "$lane"',
  "move its lane": 'lane=$PWD; cd /; mv "$lane" "$lane.moved"',
  "link its lane elsewhere": 'lane=$PWD; cd /; rm -rf "$lane"; ln -s / "$lane"',
  "remove all places": 'lane=$PWD; cd /; rm -rf "$(dirname "$lane")"',
};
const LOSE_THEIR_FILES = 4;

test("L-41 L-05 T-40 whatever a session does to its lane and to the room, they are made again, and no landed work is lost", async () => {
  const tasks = Object.keys(AROUND);
  const once = temporaryFolder();
  const place = await loopWorkspace({
    tasks,
    config: "gates: [{ id: test, run: test -f README.md }]\n",
    script: JSON.stringify(
      tasks.map((title, index) => ({
        when: { title },
        steps: [
          { write: { path: `file-${index}`, text: `${title}\n` } },
          sh(`test -e ${once}/${index} || { touch ${once}/${index}; ${AROUND[title]!}; }`),
          DONE,
        ],
      })),
    ),
  });
  const run = await place.run();
  const kept = tasks.slice(0, -LOSE_THEIR_FILES).map(() => "verified");
  const lost = tasks.slice(-LOSE_THEIR_FILES).flatMap(() => ["rejected", "verified"]);
  expect([run.code, run.outcomes]).toEqual([0, [...kept, ...lost]]);
  const files = place.git("log", "--reverse", "--name-status", "--format=", `-${tasks.length}`, "main");
  expect(files.split("\n").filter(Boolean)).toEqual(tasks.map((_, index) => `A\tfile-${index}`));
  const told = notices(run).filter((text) => text.includes("was removed or replaced during the session"));
  expect([told.length, place.git("status", "--porcelain")]).toEqual([1, ""]);
});

test("P-34 files that a session takes away with its history are judged as they are", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    script: script(
      [WORK, DONE],
      [sh("git reset -q --hard HEAD~1"), DONE],
      [sh("git checkout -q HEAD ."), { write: { path: "b", text: "" } }, DONE],
    ),
  });
  expect(await seen(place, await place.run())).toEqual({
    code: 0,
    outcomes: ["verified", "rejected", "verified"],
    states: { One: "done", Two: "done" },
    commits: ["One", "Two"],
  });
});

test("P-41 L-41 a session that was killed in a merge: its files are kept, and the next one begins with them", async () => {
  const signs = temporaryFolder();
  const place = await loopWorkspace({
    script: script([
      sh(
        `test -f ${signs}/hung || { ${FORK}; git merge other; echo mine >clash.txt; echo mine >mine.txt; touch ${signs}/hung; sleep 300; }`,
      ),
      sh("test ! -e .git/MERGE_HEAD && git status --porcelain | grep mine.txt"),
      WORK,
      DONE,
    ]),
  });
  const killed = startLive(place.folder);
  await fileAppears(join(signs, "hung"));
  killed.signal("SIGKILL");
  await killed.ended;
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect([
    ["clash.txt", "mine.txt", "done.txt"].map(place.read),
    processesOf(place.folder),
    existsSync(join(place.folder, ".git/MERGE_HEAD")),
    place.git("status", "--porcelain"),
  ]).toEqual([["mine\n", "mine\n", "yes\n"], [], false, ""]);
  expect(notices(run)).toContain(`Kept the work of ${place.ids[0]} that a killed session left in lane 1`);
});

describe.concurrent("T-03 what git cannot store rejects the work, and ends neither this run nor the next", () => {
  test.each([
    ["an encoding", "echo '*.txt working-tree-encoding=UTF-16' > .gitattributes", "done.txt (git cannot store it"],
    ["a name", "mkdir -p d/.GIT; echo x > d/.GIT/config; echo x > git~1", "d/.GIT (it is a nested git repository)"],
  ])("T-03 %s", async (_what, command, why) => {
    const place = await loopWorkspace({
      config: "gates: [{ id: test, run: test -f done.txt }]\n",
      script: script([sh(command), WORK, DONE], [sh("rm -rf .gitattributes d git~1"), WORK, DONE]),
    });
    const first = await place.run("--max-iterations", "1");
    expect([first.outcomes, first.stdout]).toEqual([["rejected"], expect.stringContaining(why)]);
    const second = await place.run();
    expect([second.code, second.outcomes]).toEqual([0, ["rejected", "verified"]]);
  });
});
