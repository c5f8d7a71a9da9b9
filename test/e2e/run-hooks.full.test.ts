import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HookFinished } from "../../src/domain/run/event.ts";
import { DONE, notices, script, seen, sh, WORK } from "../hostile-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";
const hooks = (...all: readonly Record<string, unknown>[]): string => `${GATE}hooks: ${JSON.stringify(all)}\n`;
const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

/** Which hooks ended, and how, in order. */
const ended = (run: LoopRun): string[] =>
  run.events.flatMap((event) =>
    event.type === "hook.finished" ? [`${event.point} ${event.hook} ${word(event)}`] : [],
  );

const word = ({ passed, reason }: HookFinished): string => (passed ? "ok" : `failed: ${reason}`);

const finishedOf = (run: LoopRun, hook: string): HookFinished => {
  const found = run.events.find((event) => event.type === "hook.finished" && event.hook === hook);
  return found as HookFinished;
};

/** The workspace, which is the home of the user in tests. Hooks and agents work in the lane. */
const W = "$HOME";

/** A line of `.ralph/log.tmp` for each hook that ran: its point and what it was told. */
const LOG = (name: string): string => `echo "$RALPHCTL_HOOK_POINT $RALPHCTL_HOOK ${name}" >> ${W}/.ralph/log.tmp`;
const logOf = (place: LoopWorkspace): string[] =>
  existsSync(join(place.folder, ".ralph/log.tmp")) ? place.read(".ralph/log.tmp").split("\n").slice(0, -1) : [];

describe.concurrent("commands", () => {
  test("L-02 a push in the lane fails with a hint; one in the workspace reaches the remote", async () => {
    const remote = temporaryFolder();
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: hooks(
        { id: "lane", on: "task-done", run: "git push --quiet origin main" },
        { id: "home", on: "task-done", run: 'cd "$RALPHCTL_WORKSPACE" && git push --quiet origin main' },
      ),
    });
    place.git("init", "--quiet", "--bare", remote);
    place.git("remote", "add", "origin", remote);
    const run = await place.run();
    // The other end may close first, so that git ends by SIGPIPE.
    expect(ended(run).map((text) => text.replace("exit code 141", "exit code 128"))).toEqual([
      'task-done lane failed: exit code 128: a lane does not push, so begin the command with cd "$RALPHCTL_WORKSPACE" &&',
      "task-done home ok",
    ]);
    expect(place.git("--git-dir", remote, "rev-parse", "main")).toBe(place.git("rev-parse", "main"));
  });

  test("S003-03 at each point of a run that goes well the hooks run once, in the order of the file", async () => {
    const points = ["run-end", "run-start", "iteration-start", "iteration-end", "task-done", "task-failed", "limit"];
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: hooks(...points.map((on) => ({ id: on.replace("-", "."), on, run: LOG("$RALPHCTL_TASK") }))),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(logOf(place)).toEqual([
      "run-start run.start ",
      `iteration-start iteration.start ${place.ids[0]}`,
      `iteration-end iteration.end ${place.ids[0]}`,
      `task-done task.done ${place.ids[0]}`,
      "run-end run.end ",
    ]);
    expect(run.events.at(-1)?.type).toBe("run.finished");
    expect(run.events.find(({ type }) => type === "run.started")).toMatchObject({
      hooks: points.map((on) => ({ hook: on.replace("-", "."), kind: "command", on: [on] })),
    });
  });

  test("S003-03 a hook finds what happened in its variables and as JSON on its standard input", async () => {
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: hooks({ id: "tell", run: 'cat; env | grep "^RALPHCTL_" | grep -Ev "MARKER|TRUST|NAMESPACE" | sort' }),
      tasks: ['Say "hi" & <b>'],
    });
    const run = await place.run();
    const { folder, output } = finishedOf(run, "tell");
    expect(folder).toBe(`.ralph/runs/${run.name}/1/hooks/tell`);
    expect(readdirSync(join(place.folder, folder)).sort()).toEqual(["event.json", "output.log", "result.json"]);
    expect(place.read(`${folder}/output.log`)).toBe(output);
    const [line = "", ...variables] = output.trimEnd().split("\n");
    const iteration = run.events.find((event) => event.type === "iteration.finished");
    const id = place.ids[0]!;
    const text = `Iteration 1 ended (verified): ${id} "Say "hi" & <b>"`;
    const commit = place.git("rev-parse", "HEAD");
    expect(JSON.parse(line)).toEqual({
      ...iteration,
      at: expect.any(String) as string,
      hook: "tell",
      point: "iteration-end",
      text,
    });
    expect(variables).toEqual([
      "RALPHCTL_HOOK=tell",
      `RALPHCTL_HOOK_COMMIT=${commit}`,
      `RALPHCTL_HOOK_FOLDER=${join(place.folder, ".ralph/runs", run.name, "1")}`,
      "RALPHCTL_HOOK_OUTCOME=verified",
      "RALPHCTL_HOOK_POINT=iteration-end",
      `RALPHCTL_HOOK_TEXT=${text}`,
      "RALPHCTL_ITERATION=1",
      "RALPHCTL_LANE=1",
      expect.stringMatching(/^RALPHCTL_PORT=\d+$/),
      `RALPHCTL_RUN=${run.name}`,
      "RALPHCTL_SCOPE=workspace",
      `RALPHCTL_TASK=${id}`,
      'RALPHCTL_TASK_TITLE=Say "hi" & <b>',
      `RALPHCTL_WORKSPACE=${place.folder}`,
    ]);
  });

  test("S003-03 hooks that fail, take too long or are no program are recorded and said, and change nothing else", async () => {
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: hooks(
        { id: "red", run: "echo no; exit 3" },
        { id: "slow", run: "echo started; sleep 60", timeout: 1 },
        { id: "none", run: "no-such-program-x" },
        { id: "off", run: "exit 1", enabled: false },
        { id: "good", run: "true" },
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(ended(run)).toEqual([
      "iteration-end red failed: exit code 3",
      "iteration-end slow failed: timed out after 1 s",
      "iteration-end none failed: exit code 127 (no such program)",
      "iteration-end good ok",
    ]);
    const { folder, durationMs } = finishedOf(run, "red");
    expect(JSON.parse(place.read(`${folder}/result.json`))).toEqual({
      v: 1,
      iteration: 1,
      hook: "red",
      point: "iteration-end",
      passed: false,
      reason: "exit code 3",
      output: "no\n",
      durationMs,
      folder,
    });
  });

  test("S003-03 waited-for hooks run in the order of the file, then the parallel ones beside the next iteration", async () => {
    // The parallel one ends only once the second session has begun, which ends after it.
    const ends = `until grep -q 'beside ends' ${W}/.ralph/log.tmp; do sleep 0.02; done`;
    const wait = `for i in $(seq 1000); do test -f ${W}/.ralph/go.tmp && break; sleep 0.05; done; test -f ${W}/.ralph/go.tmp`;
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: `- - { run: 'echo 1 > done.txt' }
  - say: <task-done>{task}</task-done>
- - { run: "echo 2 >> done.txt; touch ${W}/.ralph/go.tmp; ${ends}" }
  - say: <task-done>{task}</task-done>
`,
      config: hooks(
        { id: "beside", run: `${LOG("begins")}; ${wait} && ${LOG("ends")}`, parallel: true },
        { id: "first", run: LOG("runs") },
        { id: "second", run: LOG("runs") },
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(logOf(place)).toEqual([
      "iteration-end first runs",
      "iteration-end second runs",
      "iteration-end beside begins",
      "iteration-end beside ends",
      "iteration-end first runs",
      "iteration-end second runs",
      "iteration-end beside begins",
      "iteration-end beside ends",
    ]);
    const order = run.events.flatMap((event) =>
      event.type === "iteration.started" || (event.type === "hook.finished" && event.hook === "beside")
        ? [`${event.type} ${event.iteration}`]
        : [],
    );
    expect(order).toEqual(["iteration.started 1", "iteration.started 2", "hook.finished 1", "hook.finished 2"]);
    // The end of the run waits for them.
    expect(run.events.at(-1)?.type).toBe("run.finished");
  });

  test("S003-03 P-31 T-41 what commands stage, change and remove is gone with the lane, and nothing of the person's is touched", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script([WORK, DONE], [sh("echo more >> done.txt"), DONE]),
      config: hooks({
        id: "stage",
        run: "echo x >> README.md; echo y >> done.txt; echo x > new.txt; rm PROMPT_plan.md; git add --all",
      }),
    });
    place.write({ "mine.txt": "mine\n" });
    place.git("add", "mine.txt");
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect([
      place.git("show", "--name-only", "--format=", "HEAD"),
      place.git("status", "--porcelain"),
      place.read("done.txt"),
      notices(run),
    ]).toEqual(["done.txt", "A  mine.txt", "yes\nmore\n", ["The specs directory .ralph/specs is empty"]]);
  });

  test("S003-03 L-24 a hook may commit in the workspace: that is the person's commit, and the run goes on from it", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script([WORK, DONE], [sh("test -s NOTES && echo more >> done.txt"), DONE]),
      config: hooks({
        id: "note",
        on: "task-done",
        run: `cd ${W} && echo $RALPHCTL_TASK >> NOTES && git add NOTES && git commit -qm Note`,
      }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Note", "Two", "Note"],
    });
    expect([place.git("status", "--porcelain"), run.finished?.commits]).toEqual(["", 4]);
  });

  test("P-17 a script that the session changed is not started in the lane; one in the workspace is the person's", async () => {
    const place = await loopWorkspace({
      files: { "tell.sh": "echo told\n" },
      script: script([sh("echo 'touch $HOME/stolen' >tell.sh"), WORK, DONE]),
      config: `${hooks(
        { id: "early", on: "iteration-start", run: "sh tell.sh" },
        { id: "lane", on: "iteration-end", run: "sh tell.sh" },
        { id: "home", on: "iteration-end", run: 'cd "$RALPHCTL_WORKSPACE" && sh tell.sh' },
      )}limits: { attempts: 1 }\n`,
    });
    const run = await place.run();
    expect(run.outcomes).toEqual(["parked"]);
    expect(ended(run)).toEqual([
      "iteration-start early ok",
      "iteration-end lane failed: not started: it runs tell.sh, and the session changed that",
      "iteration-end home ok",
    ]);
    expect([finishedOf(run, "home").output, existsSync(join(place.folder, "stolen"))]).toEqual(["told\n", false]);
  });

  test("P-15 what a hook leaves running is ended with it, and said", async () => {
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: hooks({ id: "litter", run: "setsid sleep 60 & sleep 61 & true" }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(finishedOf(run, "litter")).toMatchObject({ passed: true, swept: 2 });
  });
});

describe.concurrent("points", () => {
  const every = { id: "log", on: ["task-failed", "needs-human", "limit", "run-end"], run: LOG("$RALPHCTL_HOOK_TEXT") };

  test("S003-03 task-failed runs when a task has failed for good, not before", async () => {
    const place = await loopWorkspace({
      script: script([{ say: "No access.\n\n<task-failed>{task}</task-failed>" }]),
      config: `${hooks(every)}limits: { attempts: 2 }\n`,
    });
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([1, ["gave-up", "gave-up"]]);
    expect(logOf(place)).toEqual([
      `task-failed log ${place.ids[0]} "Do it" failed: No access.`,
      "run-end log The run failed: All tasks are settled, and some failed",
    ]);
  });

  test("S003-03 needs-human runs for a parked task with its question, and when only a person can go on", async () => {
    const place = await loopWorkspace({
      script: script([sh('ralphctl task park "$RALPHCTL_TASK" "Which colour?"')]),
      config: hooks(every),
    });
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([2, ["parked"]]);
    expect(logOf(place)).toEqual([
      `needs-human log ${place.ids[0]} "Do it" waits for an answer: Which colour?`,
      "needs-human log The run needs you: Tasks wait for an answer",
    ]);
  });

  test("S003-03 limit runs when the run stops at one, and once for a hook that is also on run-end", async () => {
    const place = await loopWorkspace({
      script: script([{ say: "Not yet." }, sh("date >> done.txt")]),
      config: hooks(every),
    });
    const run = await place.run("--max-iterations", "1");
    expect(run.code).toBe(4);
    expect(logOf(place)).toEqual([
      "limit log The run stopped at a limit, with work left: Reached the limit of 1 iteration",
    ]);
  });

  test("S003-03 limit runs when a usage limit is waited for", async () => {
    const place = await loopWorkspace({
      script: `- - end: { kind: limit, limit: five_hour, message: Enough, resetsInMs: 4000 }
- - { write: { path: done.txt, text: "yes" } }
  - say: <task-done>{task}</task-done>
`,
      config: `${hooks(every)}limits: { wait: 1m }\n`,
    });
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["limited", "verified"]]);
    expect(logOf(place)).toEqual([
      "limit log The run reached a usage limit and waits for it to reset",
      "run-end log Complete and verified: All tasks are done",
    ]);
  });

  test("S003-03 in plan mode the points of the iteration are there too", async () => {
    const place = await loopWorkspace({
      tasks: [],
      files: { ".ralph/specs/a.md": "# A\n" },
      script: script([{ write: { path: "IMPLEMENTATION_PLAN.md", text: "- [ ] Do it\n" } }]),
      config: hooks({ ...every, on: ["run-start", "iteration-start", "iteration-end", "run-end"] }),
    });
    const run = await place.run("plan");
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    expect(logOf(place)).toEqual([
      `run-start log Run ${run.name} of workspace started`,
      "iteration-start log Iteration 1 started: plan",
      "iteration-end log Iteration 1 ended (verified): the plan",
      "run-end log Complete and verified: The plan is written",
    ]);
  });
});
