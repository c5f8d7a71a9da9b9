import { expect, test } from "vitest";
import { DONE, runWith, script, seen, sh, type Step, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { git, temporaryFolder, temporaryRepository } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

/** A tracked file is changed, one is deleted, one is new. */
const MESS = sh("echo agent >> README.md; rm -f gone.txt; echo new > new.txt");
const FILES = { "gone.txt": "here\n" };

test.concurrent.each<[string, readonly Step[], string, number]>([
  ["was unfinished", [MESS, { say: "More to do." }], "unfinished", 4],
  ["was rejected", [MESS, DONE], "rejected", 4],
  ["crashed", [MESS, { exit: 3 }], "crashed", 4],
  ["promised FAILURE", [MESS, { say: "<promise>FAILURE</promise>" }], "failure", 1],
  ["met a limit", [MESS, { end: { kind: "limit", limit: "five_hour", resetsInMs: 3_600_000 } }], "limited", 4],
  ["was refused its login", [MESS, { end: "login" }], "login", 77],
])(
  "P-31 P-33 P-41 L-07 what an attempt left that %s is not in the tree, and the next run goes on with it",
  async (_how, steps, outcome, code) => {
    const place = await loopWorkspace({ files: FILES, script: script(steps), isRealAgent: true });
    const first = await place.run("--max-iterations", "1", "--max-wait", "1s");
    expect(await seen(place, first)).toEqual({
      code,
      outcomes: [outcome],
      states: { "Do it": "pending" },
      commits: [],
    });
    const ref = `refs/ralph/work/${place.ids[0]}`;
    expect([
      place.git("status", "--porcelain"),
      first.finished?.unfinished,
      place.git("diff", "--name-status", "main", ref),
    ]).toEqual(["", [{ task: place.ids[0], ref, files: 3 }], "M\tREADME.md\nD\tgone.txt\nA\tnew.txt"]);
    const next = temporaryFolder({ "script.yaml": script([WORK, DONE]) });
    const second = await runWith(place, { env: { RALPHCTL_HARNESSES_SCRIPTED_SCRIPT: `${next}/script.yaml` } });
    expect(await seen(place, second)).toEqual({
      code: 0,
      outcomes: ["verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    // All of it was the task's own work.
    expect(place.git("show", "--name-only", "--format=", "HEAD")).toBe("README.md\ndone.txt\ngone.txt\nnew.txt");
    expect(place.git("status", "--porcelain")).toBe("");
  },
);

test.concurrent("P-31 init --yes makes one commit of what it wrote, and run finds nothing in its way", async () => {
  const cwd = temporaryRepository({ "README.md": "# Test\n", "mine.txt": "mine\n" });
  const scripts = temporaryFolder({ "script.yaml": script([WORK, DONE]) });
  const init = await typed(["init", "--yes"], { cwd });
  const commits = git(cwd, "log", "--format=%s").split("\n");
  const files = git(cwd, "show", "--name-only", "--format=", "HEAD").split("\n");
  expect([init.code, commits.length, files.includes(".ralph/config.yaml"), git(cwd, "status", "--porcelain")]).toEqual([
    0,
    2,
    true,
    "",
  ]);
  expect(files.filter((path) => path === "README.md" || path === "mine.txt" || path.includes("ralph.db"))).toEqual([]);
  const run = await typed(["run", "Do it", "--harness", "scripted", "--validation-command", "test -f done.txt"], {
    cwd,
    env: { RALPHCTL_HARNESSES_SCRIPTED_SCRIPT: `${scripts}/script.yaml` },
  });
  expect([run.code, git(cwd, "log", "-1", "--format=%s"), git(cwd, "status", "--porcelain")]).toEqual([0, "Do it", ""]);
});
