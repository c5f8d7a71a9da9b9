import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

/** A branch `other` that cannot be merged. */
const FORK =
  "git switch -qc other && echo other >README.md && git commit -qam Other && git switch -q main && echo main >README.md && git commit -qam Main";

const workspace = (command: string): Promise<LoopWorkspace> =>
  loopWorkspace({
    script: `
- - run: test -f hung.sign || { ${FORK}; ${command}; echo mine >README.md; echo mine >mine.txt; touch hung.sign; sleep 60; }
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
    files: { ".gitignore": "*.sign\n" },
  });

async function killAt(place: LoopWorkspace, sign: string): Promise<void> {
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, sign));
  run.signal("SIGKILL");
  await run.ended;
}

const hasUnfinishedOperation = ({ folder }: LoopWorkspace): boolean =>
  ["MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge"].some((name) => existsSync(join(folder, ".git", name)));

test.concurrent.each([
  ["merge", "git merge other >/dev/null 2>&1"],
  ["rebase", "git rebase other >/dev/null 2>&1"],
  ["cherry-pick", "git cherry-pick other >/dev/null 2>&1"],
])(
  "P-41 a %s that a session was in the middle of when its run was killed is kept and given up",
  async (what, command) => {
    const place = await workspace(command);
    await killAt(place, "hung.sign");
    expect(hasUnfinishedOperation(place)).toBe(true);
    const run = await place.run();
    const ref = place.git("for-each-ref", "--format=%(refname)", "refs/ralph");
    expect({
      code: run.code,
      outcomes: run.outcomes,
      states: await place.states(),
      commits: place.commits(),
      branch: place.git("branch", "--show-current"),
      hasUnfinishedOperation: hasUnfinishedOperation(place),
      files: ["README.md", "mine.txt", "done.txt"].map(place.read),
      processes: processesOf(place.folder),
      kept: place.git("show", `${ref}:README.md`),
    }).toEqual({
      code: 0,
      outcomes: ["verified"],
      states: { "Do it": "done" },
      commits: ["Main", "Do it"],
      branch: "main",
      hasUnfinishedOperation: false,
      // What the merge had done to files is taken back with it; the session's other work stays, and is gone on with.
      files: ["main\n", "mine\n", "yes\n"],
      processes: [],
      kept: "mine",
    });
    const said = run.events.flatMap((event) => (event.type === "run.notice" ? [event.text] : []));
    expect(said).toContain(`Aborted the unfinished ${what} of its session; its state is saved as ${ref}`);
  },
);

test.concurrent("P-41 P-30 X-78 a merge that a person began after the kill is refused, and left alone", async () => {
  const place = await workspace("true");
  await killAt(place, "hung.sign");
  place.git("checkout", "--quiet", "README.md");
  // Whoever was killed was last seen an hour ago.
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(join(place.folder, ".git/ralph/run.json"), longAgo, longAgo);
  expect(() => place.git("merge", "other")).toThrow();
  const refused = await place.run();
  expect([refused.code, refused.stderr, hasUnfinishedOperation(place)]).toEqual([
    78,
    expect.stringMatching(/A merge is in progress\n.*git merge --abort/),
    true,
  ]);
  place.git("merge", "--abort");
  const run = await place.run();
  expect([run.code, run.outcomes, place.commits()]).toEqual([0, ["verified"], ["Main", "Do it"]]);
});

test.concurrent("P-41 P-30 X-78 a merge that a person began before the session is refused", async () => {
  const place = await workspace("git merge other >/dev/null 2>&1");
  await killAt(place, "hung.sign");
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(join(place.folder, ".git/MERGE_HEAD"), longAgo, longAgo);
  const refused = await place.run();
  expect([refused.code, hasUnfinishedOperation(place)]).toEqual([78, true]);
});
