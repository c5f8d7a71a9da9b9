import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notices, script, sh, type Step, WORK } from "../hostile-run.ts";
import { hanging, isAlive, startGuarded } from "../guarded-run.ts";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

/** The workspace, which is the home of the user in tests. Hooks and agents work in the lane. */
const W = "$HOME";
// Deaf to everything that can be ignored, with a child elsewhere.
const HANG = `trap '' INT TERM HUP; setsid sleep 60 & touch ${W}/.ralph/hangs.tmp; sleep 60; sleep 60`;
const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";
const hooks = (...all: readonly Record<string, unknown>[]): string => `${GATE}hooks: ${JSON.stringify(all)}\n`;

const seen = async (place: LoopWorkspace, run: LoopRun) => ({
  code: run.code,
  ending: run.finished?.ending,
  outcomes: run.outcomes,
  hooks: eventsOf(run, "hook.finished").map(({ hook, passed, reason }) => [hook, passed, reason]),
  states: await place.states(),
  commits: place.commits(),
  processes: processesOf(place.folder),
  checkouts: place.git("worktree", "list").split("\n").length - 1,
});

const STOPPED = {
  code: 130,
  ending: "interrupted",
  hooks: [["hang", false, "stopped"]],
  processes: [],
  checkouts: 0,
};
const NOT_BEGUN = { ...STOPPED, outcomes: [], states: { "Do it": "pending" }, commits: [] };
const AFTER_IT = { ...STOPPED, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };
const SESSION = [{ when: { prompt: "Look back" }, steps: [sh(HANG)] }];
const LATER = { id: "later", run: `touch ${W}/.ralph/later.tmp`, on: ["iteration-end", "run-end"] };

const CASES: readonly (readonly [string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>])[] = [
  ["a command at run-start", { on: "run-start", run: HANG }, NOT_BEGUN],
  ["a command at iteration-start", { on: "iteration-start", run: HANG }, { ...NOT_BEGUN, outcomes: ["stopped"] }],
  ["a command at iteration-end", { run: HANG }, AFTER_IT],
  ["a session at iteration-end", { prompt: "Look back" }, AFTER_IT],
];

test.concurrent("P-41 S003-03 SIGKILL while a hook runs after a rejected attempt: the next run goes on with the work", async () => {
  const { files, hangs, signs } = hanging();
  const place = await loopWorkspace({
    files,
    script: script([sh("echo half >> README.md"), DONE], [WORK, DONE]),
    config: hooks({ id: "hang", run: `test -e ${signs}/hung || echo hook >> PROMPT_plan.md; sh hang.sh` }),
  });
  const killed = startGuarded(place.folder, ["run"]);
  const pids = await hangs();
  await killed.kill("alone");
  await killed.isSilent();
  expect(pids.map(isAlive)).toEqual([false, false, false]);
  const run = await place.run();
  expect([run.code, run.outcomes, await place.states(), place.commits()]).toEqual([
    0,
    ["rejected", "verified"],
    { "Do it": "done" },
    ["Do it"],
  ]);
  // What the session had written is in it; what the hook had is not.
  expect(place.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual(["README.md", "done.txt"]);
});

describe.concurrent("P-41 S003-03 SIGKILL while a hook runs that has changed files", () => {
  /** One attempt is settled, and its hook has written into a file of the session's and into one that it left alone. */
  async function cutOff(first: readonly Step[]) {
    const { files, hangs, signs } = hanging();
    const place = await loopWorkspace({
      files: { ...files, "NOTES.md": "# Notes\n" },
      script: script(first, [sh("echo more >> README.md; echo more >> NOTES.md"), WORK, DONE]),
      config: hooks({
        id: "hang",
        run: `test -e ${signs}/hung || { echo hook >> README.md; echo hook >> NOTES.md; rm PROMPT_plan.md; }; sh hang.sh`,
      }),
    });
    const killed = startGuarded(place.folder, ["run"]);
    await hangs();
    await killed.kill("alone");
    await killed.isSilent();
    expect([place.read("README.md"), place.git("status", "--porcelain")]).toEqual(["# Test\n", ""]);
    return place;
  }

  test.each([
    ["rejected", [sh("echo half >> README.md"), DONE]],
    ["unfinished", [sh("echo half >> README.md"), { say: "To be continued." }]],
  ])(
    "P-31 L-07 S003-03 after an attempt that was %s: its work goes on, and nothing of the hook is ever committed",
    async (_, first) => {
      const place = await cutOff(first);
      // The next run plays the script from its beginning.
      const run = await place.run();
      expect([run.code, run.outcomes.at(-1), await place.states(), place.commits()]).toEqual([
        0,
        "verified",
        { "Do it": "done" },
        ["Do it"],
      ]);
      expect([place.read("README.md"), place.read("NOTES.md"), place.git("status", "--porcelain")]).toEqual([
        "# Test\nhalf\nhalf\nmore\n",
        "# Notes\nmore\n",
        "",
      ]);
    },
  );

  test("P-31 T-41 L-24 what a person wrote later is theirs: it stays, and the run says that the branch cannot follow", async () => {
    const place = await cutOff([sh("echo half >> README.md"), DONE]);
    place.write({ "NOTES.md": "# Notes\nmine\n" });
    const run = await place.run();
    expect([run.code, place.commits(), place.read("NOTES.md"), place.git("status", "--porcelain")]).toEqual([
      0,
      [],
      "# Notes\nmine\n",
      "M NOTES.md",
    ]);
    expect(place.git("show", "refs/ralph/target/main:NOTES.md")).toBe("# Notes\nmore");
    expect(notices(run).filter((text) => text.includes("NOTES.md"))).toHaveLength(1);
  });
});

describe.concurrent("P-40 S003-03 SIGINT", () => {
  test.each(CASES)(
    "P-40 S003-03 ends %s with the run, starts no other, and leaves nothing",
    async (_, hook, expected) => {
      const place = await loopWorkspace({
        script: JSON.stringify([...SESSION, [WORK, DONE]]),
        config: hooks({ id: "hang", ...hook }, LATER),
      });
      const run = startLive(place.folder);
      await fileAppears(join(place.folder, ".ralph/hangs.tmp"));
      run.signal("SIGINT");
      expect(await seen(place, await run.ended)).toEqual(expected);
      expect(existsSync(join(place.folder, ".ralph/later.tmp"))).toBe(false);
    },
  );

  test("P-40 S003-03 ends a parallel command beside the next session", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script([WORK, DONE], [sh(`touch ${W}/.ralph/second.tmp; sleep 60`), DONE]),
      config: hooks({ id: "hang", parallel: true, run: HANG }),
    });
    const run = startLive(place.folder);
    await fileAppears(join(place.folder, ".ralph/hangs.tmp"));
    await fileAppears(join(place.folder, ".ralph/second.tmp"));
    run.signal("SIGINT");
    expect(await seen(place, await run.ended)).toEqual({
      ...STOPPED,
      outcomes: ["verified", "stopped"],
      states: { One: "done", Two: "pending" },
      commits: ["One"],
    });
  });

  test("P-40 S003-03 a second one kills at once", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), config: hooks({ id: "hang", run: HANG }) });
    const run = startLive(place.folder);
    await fileAppears(join(place.folder, ".ralph/hangs.tmp"));
    run.signal("SIGINT");
    run.signal("SIGTERM");
    expect(await seen(place, await run.ended)).toEqual(AFTER_IT);
  });

  test("S003-03 at run-end ends the hook; what was proven stays proven", async () => {
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: hooks({ id: "hang", on: "run-end", run: HANG }),
    });
    const run = startLive(place.folder);
    await fileAppears(join(place.folder, ".ralph/hangs.tmp"));
    run.signal("SIGINT");
    expect(await seen(place, await run.ended)).toEqual({ ...AFTER_IT, code: 0, ending: "complete" });
  });
});
