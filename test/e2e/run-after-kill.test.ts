import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { marked } from "../../src/system/process/sweep.ts";
import { PROGRAM } from "../built-program.ts";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { homeOf, temporaryFolder } from "../temporary-folder.ts";
import { committing } from "../waiting-commit.ts";

const WORKS = `
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;
/** Agents and gates work elsewhere, and leave their signs in the workspace, which is the home of the user in tests. */
const W = "$HOME";
const IGNORED = { ".gitignore": "*.sign\n" };

/** Starts a run and kills it, as hard as it gets, when the sign is there. */
async function killAt(place: LoopWorkspace, sign: string): Promise<void> {
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, sign));
  run.signal("SIGKILL");
  await run.ended;
}

const seen = async (place: LoopWorkspace) => {
  const run = await place.run();
  return {
    code: run.code,
    outcomes: run.outcomes,
    states: await place.states(),
    commits: place.commits(),
    files: place.git("show", "--format=", "--name-only", "HEAD").split("\n"),
    processes: processesOf(place.folder),
  };
};

const DONE = {
  code: 0,
  outcomes: ["verified"],
  states: { "Do it": "done" },
  commits: ["Do it"],
  files: ["done.txt"],
  processes: [],
};

test.concurrent("P-41 L-21 what gates wrote before a kill is neither in the tree nor committed as work", async () => {
  const gate = `test ! -f done.txt || test -f ${W}/gate.sign || { echo gate >README.md; echo x >report.txt; touch ${W}/gate.sign; sleep 60; }`;
  const place = await loopWorkspace({
    script: WORKS,
    config: `gates:\n  - { id: slow, run: "${gate}" }\n`,
    files: IGNORED,
  });
  await killAt(place, "gate.sign");
  expect(await seen(place)).toEqual(DONE);
  expect(place.git("status", "--porcelain")).toBe("");
});

test.concurrent("P-41 P-31 a kill while the gates run before any work does not make the tree dirty", async () => {
  const gate = `test -f ${W}/gate.sign || { echo gate >README.md; touch ${W}/gate.sign; sleep 60; }`;
  const place = await loopWorkspace({
    script: WORKS,
    config: `gates:\n  - { id: slow, run: "${gate}" }\n`,
    files: IGNORED,
  });
  await killAt(place, "gate.sign");
  expect(await seen(place)).toEqual(DONE);
});

test.concurrent("P-41 locks of a git that was killed with the run are removed by the next", async () => {
  const place = await loopWorkspace({
    script: `
- - run: test -f ${W}/hung.sign || { touch ${W}/hung.sign; sleep 60; }
  - write: { path: done.txt, text: "yes\\n" }
  - run: git add done.txt && git commit --quiet --message "Agent's own"
  - write: { path: more.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
    files: IGNORED,
  });
  await killAt(place, "hung.sign");
  const locks = ["index", "refs/heads/main", "packed-refs", "refs/ralph/run/task", "ralphctl-index"];
  place.write(Object.fromEntries(locks.map((name) => [`.git/${name}.lock`, ""])));
  place.write({ ".git/ralphctl-index-build": "", ".ralphctl-1-2.tmp": "# Pl" });
  place.write({ "IMPLEMENTATION_PLAN.md": "# Plan\n" });
  expect(await seen(place)).toEqual({ ...DONE, commits: ["Agent's own"], files: ["done.txt", "more.txt"] });
  expect(place.git("status", "--porcelain")).toBe("?? IMPLEMENTATION_PLAN.md");
  const left = readdirSync(join(place.folder, ".git"), { recursive: true, encoding: "utf8" });
  expect(left.filter((name) => name.endsWith(".lock") || name.includes("-build"))).toEqual([]);
});

test.concurrent("P-41 L-24 locks of a killed git are removed also if the run is for a branch that is checked out nowhere", async () => {
  const config = `git: { branch: work }\ngates:\n  - { id: test, run: "test -f done.txt" }\n`;
  const script = `
- - run: test -f ${W}/hung.sign || { touch ${W}/hung.sign; sleep 60; }
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;
  const place = await loopWorkspace({ script, config, files: IGNORED });
  await killAt(place, "hung.sign");
  place.write({ ".git/index.lock": "" });
  expect(await seen(place)).toMatchObject({ ...DONE, commits: [], files: expect.anything() });
  expect(place.git("show", "--format=%s", "--name-only", "work")).toBe("Do it\n\ndone.txt");
});

test.concurrent("P-41 a git of a run that was killed, and that still works, is ended before the next one begins", async () => {
  const place = await loopWorkspace({ script: WORKS });
  const slow = temporaryFolder({
    git: `#!/bin/sh\ncase " $* " in *" update-ref "*"Do it"*) touch "$SIGN"; sleep 30;; esac\nPATH=$REAL exec git "$@"\n`,
  });
  chmodSync(join(slow, "git"), 0o755);
  const [real, sign] = [process.env["PATH"]!, join(slow, "sign")];
  const child = spawn(process.execPath, [PROGRAM, "run"], {
    cwd: place.folder,
    env: { PATH: `${slow}:${real}`, REAL: real, SIGN: sign, ...homeOf(place.folder) },
    stdio: "ignore",
    detached: true,
  });
  await fileAppears(sign);
  child.kill("SIGKILL");
  // The work was proven before the landing began: no other session is needed.
  expect(await seen(place)).toEqual({ ...DONE, outcomes: [] });
  expect(marked({ name: "SIGN", value: sign })).toEqual([]);
});

test("P-41 X-75 a person who commits after a kill keeps the lock, and the run after that goes on", async () => {
  const place = await loopWorkspace({
    script: `- - run: test -f ${W}/hung.sign || { touch ${W}/hung.sign; sleep 60; }\n  - write: { path: done.txt, text: x }\n  - say: <task-done>{task}</task-done>\n`,
    files: IGNORED,
  });
  await killAt(place, "hung.sign");
  place.write({ "README.md": "# By hand\n" });
  const commit = await committing(place.folder);
  place.write({ ".git/packed-refs.lock": "" });
  const refused = await place.run();
  expect([refused.code, refused.stderr]).toEqual([
    75,
    expect.stringMatching(/^error: git .*\(process \d+\) may hold the lock index\.lock\nhint: Finish that command/),
  ]);
  expect(await commit.finish()).toBe(0);
  // The lock of the git that was killed is removed now: what the first run left was not forgotten.
  expect(await seen(place)).toEqual({ ...DONE, commits: ["By hand", "Do it"] });
  expect(existsSync(join(place.folder, ".git/packed-refs.lock"))).toBe(false);
});

test.concurrent("P-41 locks of a git that was killed are removed by verify too, if it comes first", async () => {
  const place = await loopWorkspace({ script: `- - run: touch ${W}/hung.sign; sleep 60\n`, files: IGNORED });
  await killAt(place, "hung.sign");
  place.write({ ".git/index.lock": "" });
  const { code, stderr } = await place.ralphctl("verify");
  expect([code, existsSync(join(place.folder, ".git/index.lock"))]).toEqual([1, false]);
  expect(stderr).toContain("Removed the stale lock index.lock");
});

test.concurrent("P-41 P-52 L-03 marks of an agent that was killed with the run are not a person's", async () => {
  const plan = "- [ ] First\n- [ ] Second\n";
  const place = await loopWorkspace({
    script: `
- when: { title: First }
  steps:
    - run: test -f ${W}/hung.sign || { sed -i 's/\\[ \\]/[x]/' IMPLEMENTATION_PLAN.md; touch ${W}/hung.sign; sleep 60; }
    - write: { path: done.txt, text: "yes\\n" }
    - say: <task-done>{task}</task-done>
- - write: { path: second.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
    tasks: [],
    files: { ...IGNORED, "IMPLEMENTATION_PLAN.md": plan },
  });
  await killAt(place, "hung.sign");
  expect(place.read("IMPLEMENTATION_PLAN.md")).toBe(plan);
  expect(await seen(place)).toEqual({
    ...DONE,
    outcomes: ["verified", "verified"],
    states: { First: "done", Second: "done" },
    commits: ["First", "Second"],
    files: ["IMPLEMENTATION_PLAN.md", "second.txt"],
  });
});

test.concurrent("P-41 attempts, rejections and context carry over to the run after a kill", async () => {
  const place = await loopWorkspace({
    script: `
- - write: { path: try.txt, text: "{iteration}" }
  - say: <task-done>{task}</task-done>
- - run: touch ${W}/hung.sign; sleep 60
`,
    files: IGNORED,
  });
  await place.ralphctl("context", "add", "Mind the gap");
  await killAt(place, "hung.sign");
  const run = await place.run("--max-iterations", "1");
  const { stdout } = await place.ralphctl("task", "show", place.ids[0]!, "--json");
  expect([run.outcomes, (JSON.parse(stdout) as { attempts: number }).attempts]).toEqual([["rejected"], 2]);
  expect([run.prompt(1).includes("Mind the gap"), run.prompt(1).includes("## Earlier attempts")]).toEqual([true, true]);
});

test.concurrent("P-41 L-22 X-74 what was proven when it could not land is landed by the next run, without a session", async () => {
  const place = await loopWorkspace({
    script: WORKS,
    config: `gates:\n  - { id: test, run: "test -f done.txt && touch ${W}/.git/refs/ralph/target/main.lock" }\n`,
    isBuilt: true,
  });
  expect([(await place.run()).code, await place.states(), place.commits()]).toEqual([
    74,
    { "Do it": "in_progress" },
    [],
  ]);
  rmSync(join(place.folder, ".git/refs/ralph/target/main.lock"));
  expect(await seen(place)).toEqual({ ...DONE, outcomes: [] });
});

test.concurrent("P-41 X-65 what was finished of an earlier run is said also where this one is refused", async () => {
  const place = await loopWorkspace({
    script: WORKS,
    config: `gates:\n  - { id: test, run: "test -f done.txt && touch ${W}/.git/refs/ralph/target/main.lock" }\n`,
    isBuilt: true,
  });
  await place.run();
  rmSync(join(place.folder, ".git/refs/ralph/target/main.lock"));
  place.write({ "PROMPT_build.md": "" });
  const run = await place.run();
  expect([run.code, run.events.map(({ type }) => type), await place.states(), place.commits()]).toEqual([
    65,
    ["commit.made", "run.notice"],
    { "Do it": "done" },
    ["Do it"],
  ]);
});
