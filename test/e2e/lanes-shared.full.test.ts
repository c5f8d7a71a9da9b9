import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { DONE, eventsOf, leftBy, notices, script, scriptFor, seen, sh, type Step } from "../hostile-run.ts";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { comes, expectSound, lanesOf, meet } from "../many-lanes.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// What all lanes of a run share: its budget, its agents and their limits, requests of other terminals, hooks, a sprint.

const GREEN = "gates: [{ id: test, run: test ! -e broken }]\n";
const FOUR = ["One", "Two", "Three", "Four"];
const WRITE = sh("echo $RALPHCTL_TASK > $RALPHCTL_TASK.txt");
const WORKS = 'cat >/dev/null; sleep 0.3; echo x >$RALPHCTL_TASK.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"';

const ALL_DONE = { One: "done", Two: "done", Three: "done", Four: "done" };

const limited = (resetsInMs: number): Step => ({
  end: { kind: "limit", limit: "five_hour", resetsInMs, message: "Come back later" },
});

/** By iteration: which agent worked in which lane, and what came of it. */
function turns(run: LoopRun): string[] {
  const ended = new Map(eventsOf(run, "iteration.finished").map(({ iteration, outcome }) => [iteration, outcome]));
  return eventsOf(run, "iteration.started").map(
    ({ iteration, harness, lane }) => `lane ${lane} ${harness}: ${ended.get(iteration)}`,
  );
}

/** The agents in the order in which their sessions began. */
const harnessesOf = (run: LoopRun): string[] => eventsOf(run, "iteration.started").map(({ harness }) => harness);

/** Numbers of iterations that began while the run said that it waits. */
function sessionsInWaits({ events }: LoopRun): number[] {
  let isWaiting = false;
  return events.flatMap((event) => {
    if (event.type === "run.waiting") isWaiting = true;
    if (event.type === "run.resumed") isWaiting = false;
    return isWaiting && event.type === "iteration.started" ? [event.iteration] : [];
  });
}

describe.concurrent("L-08 the budget", () => {
  test.each([
    ["--max-cost", "1", { cost: 0.3 }, { cost: 5 }, "cost"],
    ["--max-tokens", "1000", { usage: { input: 300 } }, { usage: { input: 9000 } }, "tokens"],
  ] as const)("X-4 %s %s: four sessions have a part each, and do not spend it four times", async (...given) => {
    const [flag, limit, part, more, name] = given;
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: FOUR,
      config: GREEN,
      script: script([sh(meet(folder, 4)), part, { delayMs: 20_000 }, more, DONE]),
    });
    const run = await place.run("--lanes", "4", flag, limit);
    const { costUsd, tokens } = run.finished!;
    expect([run.code, run.outcomes, run.finished?.limit]).toEqual([4, Array(4).fill("stopped"), name]);
    expect(name === "cost" ? costUsd : tokens).toBe(name === "cost" ? 1.2 : 1200);
    const whys = eventsOf(run, "session.stopped").map(({ why }) => why);
    expect(whys).toEqual(Array(4).fill("It reached its part of the budget of the run"));
  });

  test("a session that used little leaves its part to the next ones", async () => {
    const place = await loopWorkspace({
      tasks: FOUR,
      config: GREEN,
      script: script([{ cost: 0.2 }, WRITE, DONE]),
    });
    const run = await place.run("--lanes", "4", "--max-cost", "1");
    expect([await seen(place, run), run.finished?.costUsd]).toEqual([
      {
        code: 0,
        outcomes: Array(4).fill("verified"),
        states: ALL_DONE,
        commits: expect.arrayContaining(FOUR) as string[],
      },
      0.8,
    ]);
  });
});

test.concurrent("L-08 X-4 lanes begin no session for which too little is left, and the end names all that was spent", async () => {
  const [folder, lines] = [temporaryFolder(), ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"]];
  const place = await loopWorkspace({
    tasks: lines,
    config: GREEN,
    // Like most CLIs it says what it took when it has ended.
    script: script([
      sh(`${meet(folder, 4)}; echo x > $RALPHCTL_TASK.txt`),
      { say: "<task-done>{task}</task-done>" },
      { cost: 0.05 },
    ]),
  });
  const run = await place.run("--lanes", "4", "--max-cost", "0.22");
  const { limit, reason, costUsd } = run.finished!;
  expect([run.code, limit, reason]).toEqual([4, "cost", "Reached the limit of $0.22: $0.25 spent"]);
  expect([costUsd?.toFixed(2), run.outcomes]).toEqual(["0.25", Array(5).fill("verified")]);
  expect(eventsOf(run, "lanes.held")[0]).toMatchObject({ why: "budget" });
});

test.concurrent("L-08 X-4 a limit that four sessions exceed at once is told with what all of them spent", async () => {
  const folder = temporaryFolder();
  const place = await loopWorkspace({
    tasks: FOUR,
    config: GREEN,
    script: script([sh(`${meet(folder, 4)}; echo x > $RALPHCTL_TASK.txt`), DONE, { cost: 0.3 }]),
  });
  await place.task("add", "Five");
  const run = await place.run("--lanes", "4", "--max-cost", "0.25");
  expect([run.finished?.reason, run.finished?.costUsd]).toEqual(["Reached the limit of $0.25: $1.20 spent", 1.2]);
});

describe.concurrent("L-08 a usage limit", () => {
  test("P-43 pauses one harness in all lanes, which is said once; the other goes on in them", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: [...FOUR, "Five", "Six"],
      config: GREEN,
      script: script([sh(meet(folder, 3)), limited(3_600_000)]),
      harness: "[scripted, command]",
      harnesses: {
        command: `run: ${JSON.stringify(`touch ${folder}/$RALPHCTL_TASK; ${comes(`${folder}/$RALPHCTL_TASK`)}; ${WORKS}`)}`,
      },
    });
    const run = await place.run("--lanes", "4");
    const first = turns(run).filter((turn) => turn.includes("scripted"));
    expect([run.code, first]).toEqual([0, Array(2).fill(expect.stringMatching("scripted: limited"))]);
    expect(turns(run).filter((turn) => turn.endsWith("command: verified"))).toHaveLength(6);
    expect(notices(run).filter((text) => text.includes("takes over"))).toEqual([
      expect.stringMatching(/^scripted is paused for (1h|59m\d+s) \(Come back later\); command takes over$/),
    ]);
    expect(eventsOf(run, "run.waiting")).toEqual([]);
    await expectSound(place);
  });

  test("P-43 of the only harness, met by four sessions at once, is not waited for longer than by one", async () => {
    const folder = temporaryFolder();
    // Long enough for all four to be read before the first may begin again.
    const meets = [sh(meet(folder, 4)), limited(6000)];
    const place = await loopWorkspace({
      tasks: FOUR,
      config: GREEN,
      script: script(meets, meets, meets, meets, [WRITE, DONE]),
    });
    const run = await place.run("--lanes", "4", "--max-wait", "20s");
    expect(await seen(place, run)).toMatchObject({ code: 0, states: ALL_DONE });
    expect(run.outcomes).toEqual([...Array(4).fill("limited"), ...Array(4).fill("verified")]);
    expect(sessionsInWaits(run)).toEqual([]);
  });

  test("P-43 holds for all lanes and is said once, although a session that began before it ends well", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: FOUR,
      config: GREEN,
      script: script(
        [sh(comes(`${folder}/second`)), limited(5000)],
        [sh(`touch ${folder}/second; sleep 2`), WRITE, DONE],
        [WRITE, DONE],
      ),
    });
    const run = await place.run("--lanes", "2");
    expect([run.code, run.outcomes.toSorted()]).toEqual([0, ["limited", ...Array(4).fill("verified")]]);
    expect([eventsOf(run, "run.waiting").length, eventsOf(run, "run.resumed").length]).toEqual([1, 1]);
    expect(sessionsInWaits(run)).toEqual([]);
  });

  test("P-20 an outage that four sessions meet at once is one error, and one short pause", async () => {
    const folder = temporaryFolder();
    const meets: Step[] = [
      sh(meet(folder, 4)),
      { end: { kind: "api-error", status: 529, error: "overloaded", message: "Too many" } },
    ];
    const place = await loopWorkspace({
      tasks: FOUR,
      config: `${GREEN}limits: { errors: 2 }\n`,
      script: script(meets, meets, meets, meets, [WRITE, DONE]),
    });
    const run = await place.run("--lanes", "4", "--max-time", "30s");
    expect(await seen(place, run)).toMatchObject({ code: 0, states: ALL_DONE });
    expect(run.outcomes).toEqual([...Array(4).fill("outage"), ...Array(4).fill("verified")]);
  });
});

test.concurrent("L-08 P-43 --harness a,b spreads over the lanes in the order of preference", async () => {
  const folder = temporaryFolder();
  const place = await loopWorkspace({
    tasks: FOUR,
    config: GREEN,
    script: script([sh(meet(folder, 4)), WRITE, DONE]),
    harnesses: { command: `run: ${JSON.stringify(`cat >/dev/null; ${meet(folder, 4)}; ${WORKS}`)}` },
  });
  const run = await place.run("--lanes", "4", "--harness", "scripted,command");
  expect([run.code, harnessesOf(run)]).toEqual([0, ["scripted", "command", "scripted", "command"]]);
});

test.concurrent("L-04 L-08 P-43 --harness a,b spreads over the lanes that work, whichever are left out", async () => {
  const folder = temporaryFolder();
  const place = await loopWorkspace({
    tasks: FOUR.slice(0, 2),
    config: `${GREEN}lanes: { setup: 'test "$RALPHCTL_LANE" != 2' }\n`,
    script: script([sh(meet(folder, 2)), WRITE, DONE]),
    harnesses: { command: `run: ${JSON.stringify(`cat >/dev/null; ${meet(folder, 2)}; ${WORKS}`)}` },
  });
  const run = await place.run("--lanes", "3", "--harness", "scripted,command");
  expect([run.code, lanesOf(run), harnessesOf(run)]).toEqual([0, [1, 3], ["scripted", "command"]]);
});

test.concurrent("L-01 --lanes auto is half the cores, at least two and at most four", async () => {
  const place = await loopWorkspace({ tasks: ["One"], config: GREEN, script: script([WRITE, DONE]) });
  const run = await place.run("--lanes", "auto");
  const [started] = eventsOf(run, "run.started");
  expect([run.code, started?.lanes]).toEqual([0, Math.max(2, Math.min(4, Math.floor(availableParallelism() / 2)))]);
});

test.concurrent("L-08 P-42 a task that makes no progress is parked, whatever lands meanwhile, and the others go on", async () => {
  const marks = temporaryFolder();
  const stuck = `n=$(ls ${marks} | grep -c ^stuck); touch ${marks}/stuck$n; ${comes(`${marks}/landed$n`)}; echo x > bad`;
  const lands = [0, 1, 2].map((at): [string, Step[]] => [
    `Land ${at}`,
    [sh(`${comes(`${marks}/stuck${at}`)}; echo x > land-${at}.txt`), DONE],
  ]);
  const place = await loopWorkspace({
    tasks: ["Stuck", "Before", "After", "Land 0", "Land 1", "Land 2"],
    config: `gates: [{ id: test, run: test ! -e bad }]
limits: { attempts: 9, noProgress: 3 }
hooks:
  - { id: landed, on: task-done, run: 'case "$RALPHCTL_TASK_TITLE" in Land*) touch ${marks}/landed\${RALPHCTL_TASK_TITLE#Land };; esac' }
  - { id: asked, on: needs-human, run: touch ${marks}/asked }
`,
    script: scriptFor({
      Stuck: [sh(stuck), DONE],
      Before: [sh(`${comes(`${marks}/asked`)}; echo x > before.txt`), DONE],
      After: [sh("echo x > after.txt"), DONE],
      ...Object.fromEntries(lands),
    }),
  });
  const [, before = "", after = ""] = place.ids;
  await place.task("dep", "add", after, "--needs", before);
  const run = await place.run("--lanes", "3");
  expect(await seen(place, run)).toMatchObject({
    code: 2,
    states: { Stuck: "parked", Before: "done", After: "done", "Land 0": "done", "Land 1": "done", "Land 2": "done" },
  });
  expect(run.outcomes.filter((outcome) => outcome === "rejected")).toHaveLength(3);
  expect(run.finished?.waiting[0]?.question).toContain("3 iterations in a row ended with the same files and results");
});

describe.concurrent("L-40 another terminal", () => {
  /** Each session says that it is there, and waits for a word. */
  const held = (folder: string): Step[] => [
    sh(`touch ${folder}/on-$RALPHCTL_ITERATION; ${comes(`${folder}/go-$RALPHCTL_ITERATION`)}`),
    WRITE,
    DONE,
  ];
  const both = async (folder: string): Promise<void> => {
    for (const number of [1, 2]) await fileAppears(join(folder, `on-${number}`));
  };
  const go = (folder: string, ...numbers: number[]): void => {
    for (const number of numbers) writeFileSync(join(folder, `go-${number}`), "");
  };

  test("P-40 pauses all lanes, once said; none begins before it resumes them", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({ tasks: FOUR, config: GREEN, script: script(held(folder)), isBuilt: true });
    const run = startLive(place.folder, "--lanes", "2");
    await both(folder);
    const paused = await place.ralphctl("pause");
    go(folder, 1);
    await run.says("run.waiting");
    go(folder, 2, 3, 4);
    await run.says("commit.made", { iteration: 2 });
    const hasBegun = existsSync(join(folder, "on-3"));
    const resumed = await place.ralphctl("resume");
    expect([paused.code, resumed.code, hasBegun]).toEqual([0, 0, false]);
    const end = await run.ended;
    expect([end.code, end.outcomes]).toEqual([0, Array(4).fill("verified")]);
    expect([eventsOf(end, "run.waiting").length, eventsOf(end, "run.resumed").length]).toEqual([1, 1]);
    expect(sessionsInWaits(end)).toEqual([]);
  });

  test("P-40 X-130 stops all sessions at once, and gives their tasks back", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({ tasks: FOUR, config: GREEN, script: script(held(folder)), isBuilt: true });
    const run = startLive(place.folder, "--lanes", "2");
    await both(folder);
    expect((await place.ralphctl("stop")).code).toBe(0);
    const end = await run.ended;
    expect([end.code, end.outcomes, leftBy(end)]).toEqual([130, ["stopped", "stopped"], []]);
    expect(Object.values(await place.states())).toEqual(Array(4).fill("pending"));
  });

  test("P-40 X-130 stops after the iterations under way, each of which lands", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({ tasks: FOUR, config: GREEN, script: script(held(folder)), isBuilt: true });
    const run = startLive(place.folder, "--lanes", "2");
    await both(folder);
    expect((await place.ralphctl("stop", "--after")).code).toBe(0);
    await run.says("run.asked", { stop: true });
    const { stdout } = await place.ralphctl("status");
    expect(stdout).toContain("  Asked to    stop after the iterations under way\n");
    expect(stdout).toMatch(/\n {2}ralphctl stop +stop now/);
    expect(stdout).not.toContain("stop --after");
    go(folder, 1, 2, 3, 4);
    const end = await run.ended;
    expect([end.code, end.outcomes, processesOf(place.folder)]).toEqual([130, ["verified", "verified"], []]);
  });

  test("P-50 adds a task while lanes are idle: one of them takes it at once", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: ["One"],
      config: GREEN,
      script: script([sh(meet(folder, 2)), WRITE, DONE]),
      isBuilt: true,
    });
    const run = startLive(place.folder, "--lanes", "3");
    await vi.waitUntil(() => existsSync(join(folder, place.ids[0]!)), { timeout: 50_000 });
    await place.ralphctl("task", "add", "Two");
    const end = await run.ended;
    expect([end.code, end.outcomes, new Set(lanesOf(end)).size]).toEqual([0, ["verified", "verified"], 2]);
  });
});

test.concurrent("S003-03 L-06 a hook runs for each lane, in it, and knows its task; what it changes does not land", async () => {
  const [folder, marks] = [temporaryFolder(), temporaryFolder()];
  const hook = `echo "$RALPHCTL_LANE $RALPHCTL_TASK" >> ${marks}/said; echo hook > $RALPHCTL_TASK.txt; echo hook > hook.txt`;
  const place = await loopWorkspace({
    tasks: FOUR,
    config: `${GREEN}hooks: [{ id: look, on: [iteration-start, task-done], run: '${hook}' }]\n`,
    script: script([sh(meet(folder, 4)), WRITE, DONE]),
  });
  const run = await place.run("--lanes", "4");
  expect([run.code, run.outcomes]).toEqual([0, Array(4).fill("verified")]);
  const expected = eventsOf(run, "iteration.started").map(({ lane, task }) => `${lane} ${task?.id}`);
  const said = readFileSync(join(marks, "said"), "utf8").trim().split("\n").toSorted();
  expect(said).toEqual([...expected, ...expected].toSorted());
  const files = place.git("ls-tree", "-r", "--name-only", "HEAD").split("\n");
  expect([files.includes("hook.txt"), place.ids.map((id) => place.git("show", `HEAD:${id}.txt`))]).toEqual([
    false,
    place.ids,
  ]);
});

test.concurrent("S003-05 D-12 steps of a sprint are done at once, and its goal when all of them are done", async () => {
  const folder = temporaryFolder();
  const steps = [1, 2, 3].map((at) => `  - { id: step-${at}, prompt: "Step ${at}", status: pending }`).join("\n");
  const place = await loopWorkspace({
    tasks: [],
    config: GREEN,
    files: {
      "sprints/greet/SPRINT.yaml": "workflow: ralph\ngoal: A greeting is there\n",
      "sprints/greet/PROGRESS.yaml": `sprint-id: greet\ndynamic-steps:\n${steps}\n`,
    },
    script: JSON.stringify([
      { when: { prompt: "Execute this step" }, steps: [sh(meet(folder, 3)), WRITE, DONE] },
      { steps: [{ say: "All of it is there.\n\nRALPH_COMPLETE: It greets\n" }] },
    ]),
  });
  const run = await place.run("--sprint", "sprints/greet", "--lanes", "3");
  expect([run.code, run.outcomes]).toEqual([0, Array(4).fill("verified")]);
  expect([lanesOf(run).slice(0, 3).toSorted(), place.commits().at(-1)]).toEqual([
    [1, 2, 3],
    "Goal: A greeting is there",
  ]);
  expect(place.read("sprints/greet/PROGRESS.yaml").match(/status: completed/g)).toHaveLength(4);
});
