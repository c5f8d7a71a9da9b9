import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, eventsOf, script, sh, WORK } from "../hostile-run.ts";
import { hanging, isAlive, startGuarded } from "../guarded-run.ts";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

// Deaf to everything that can be ignored, with a child elsewhere.
const HANG = "trap '' INT TERM HUP; setsid sleep 60 & touch .ralph/hangs.tmp; sleep 60; sleep 60";
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
const SESSION = [{ when: { prompt: "Look back" }, steps: [sh(`cd "$RALPHCTL_WORKSPACE"; ${HANG}`)] }];
const LATER = { id: "later", run: "touch .ralph/later.tmp", on: ["iteration-end", "run-end"] };

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
      script: script([WORK, DONE], [sh("touch .ralph/second.tmp; sleep 60"), DONE]),
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
