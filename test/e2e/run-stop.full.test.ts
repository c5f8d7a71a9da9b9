import { homeOf } from "../temporary-folder.ts";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { PROGRAM } from "../built-program.ts";
import { eventsOf } from "../hostile-run.ts";
import { fileAppears, type LiveRun, processesOf, startLive } from "../live-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

/** Agents and gates work elsewhere, and leave their signs in the workspace, which is the home of the user in tests. */
const W = "$HOME";
const SIGNS = { ".gitignore": "*.sign\n" };

// The first session begins the work and hangs; one that finds it begun ends it.
const HANGS_FIRST = `
- - run: test -f half.txt || { touch half.txt ${W}/half.sign; sleep 60; }
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

/** What a run came to, for all who look. */
const seen = async (place: LoopWorkspace, run: LoopRun) => ({
  code: run.code,
  ending: run.finished?.ending,
  outcomes: run.outcomes,
  tasks: await tasksOf(place),
  commits: place.commits(),
  processes: processesOf(place.folder),
});

async function tasksOf(place: LoopWorkspace): Promise<string[]> {
  const { stdout } = await place.ralphctl("task", "list", "--json");
  const list = JSON.parse(stdout) as { title: string; status: string; attempts: number; lease: unknown }[];
  return list.map(({ title, status, attempts, lease }) => `${title}: ${status} ${attempts}${lease ? " held" : ""}`);
}

/** The files of the unproven work. */
const workOf = (place: LoopWorkspace): string[] => {
  const work = `refs/ralph/work/${place.ids[0]}`;
  return place.git("diff", "--name-only", `${work}^1`, work).split("\n");
};

const STOPPED = {
  code: 130,
  ending: "interrupted",
  outcomes: ["stopped"],
  tasks: ["Do it: pending 0"],
  commits: [],
  processes: [],
};
const DONE = {
  code: 0,
  ending: "complete",
  outcomes: ["verified"],
  tasks: ["Do it: done 0"],
  commits: ["Do it"],
  processes: [],
};

test.concurrent.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "P-40 P-20 L-07 X-130 %s stops the agent, gives the task back uncounted, and the next run goes on with the work",
  async (signal) => {
    const place = await loopWorkspace({ script: HANGS_FIRST, files: SIGNS });
    const run = startLive(place.folder);
    await fileAppears(join(place.folder, "half.sign"));
    run.signal(signal);
    expect(await seen(place, await run.ended)).toEqual(STOPPED);
    expect([place.git("status", "--porcelain"), workOf(place)]).toEqual(["", ["half.txt"]]);
    expect(await seen(place, await place.run())).toEqual(DONE);
    expect(place.git("show", "--format=", "--name-only", "HEAD").split("\n")).toEqual(["done.txt", "half.txt"]);
  },
);

/** Resolves once a run has said that it got the signal. */
const heard = async (run: LiveRun): Promise<void> => {
  await vi.waitUntil(() => run.told().includes("Stopping"), { timeout: 50_000, interval: 10 });
};

const PROVES_SLOWLY = {
  script: HANGS_FIRST.replace("sleep 60;", ""),
  config: `gates:
  - { id: slow, run: "test ! -f done.txt || { touch $HOME/gate.sign; until test -f $HOME/go.sign; do sleep 0.02; done; }" }
`,
  files: SIGNS,
};

test.concurrent.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "L-40 P-40 X-130 %s while a claim is proven: the proof is finished, and no other task is begun",
  async (signal) => {
    const place = await loopWorkspace({ ...PROVES_SLOWLY, tasks: ["Do it", "Do more"] });
    const run = startLive(place.folder);
    await fileAppears(join(place.folder, "gate.sign"));
    run.signal(signal);
    await heard(run);
    place.write({ "go.sign": "" });
    expect(await seen(place, await run.ended)).toEqual({
      ...DONE,
      code: 130,
      ending: "interrupted",
      tasks: ["Do it: done 0", "Do more: pending 0"],
    });
  },
);

test.concurrent("L-40 P-40 X-130 a second signal while a claim is proven stops it, and nothing is decided or counted", async () => {
  const place = await loopWorkspace(PROVES_SLOWLY);
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "gate.sign"));
  run.signal("SIGINT");
  await heard(run);
  // A second one within the tenth of a second is taken for the echo of the first.
  await new Promise((done) => setTimeout(done, 150));
  run.signal("SIGINT");
  expect(await seen(place, await run.ended)).toEqual(STOPPED);
  place.write({ "go.sign": "" });
  expect(await seen(place, await place.run())).toEqual(DONE);
});

// Long enough to get as far as a session, or a proof, on a busy machine.
const LONG_MS = 8000;

test.concurrent("L-40 X-4 the time limit of the run lets a proof end", async () => {
  const place = await loopWorkspace({ ...PROVES_SLOWLY, tasks: ["Do it", "Do more"] });
  const run = startLive(place.folder, "--max-time", `${LONG_MS / 1000}s`);
  await fileAppears(join(place.folder, "gate.sign"));
  await new Promise((done) => setTimeout(done, LONG_MS));
  place.write({ "go.sign": "" });
  const tasks = ["Do it: done 0", "Do more: pending 0"];
  expect(await seen(place, await run.ended)).toEqual({ ...DONE, code: 4, ending: "limit", tasks });
});

test.concurrent("L-40 X-4 the time limit of the run ends a session by its stop order", async () => {
  const place = await loopWorkspace({ script: HANGS_FIRST, files: SIGNS });
  const late = await place.run("--max-time", `${LONG_MS / 1000}s`);
  expect(await seen(place, late)).toEqual({ ...STOPPED, code: 4, ending: "limit" });
  expect(eventsOf(late, "session.stopped").map(({ why }) => why)).toEqual(["It reached the time limit of the run"]);
});

test.concurrent("P-40 X-130 a signal while the gates run before any work ends the run without an iteration", async () => {
  const place = await loopWorkspace({
    script: HANGS_FIRST,
    config: 'gates:\n  - { id: slow, run: "touch $HOME/gate.sign; sleep 60" }\n',
    files: SIGNS,
  });
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "gate.sign"));
  run.signal("SIGINT");
  expect(await seen(place, await run.ended)).toEqual({ ...STOPPED, outcomes: [] });
});

const LIMITED = `
- - write: { path: half.txt, text: "half\\n" }
  - end: { kind: limit, limit: five_hour, resetsInMs: 60000, message: Come back later }
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

test.concurrent("P-40 P-43 X-130 a signal ends a wait for a usage limit", async () => {
  const place = await loopWorkspace({ script: LIMITED });
  const run = startLive(place.folder);
  await run.says("run.waiting", { for: "limit" });
  run.signal("SIGTERM");
  expect(await seen(place, await run.ended)).toEqual({ ...STOPPED, outcomes: ["limited"] });
});

test.concurrent("P-40 P-43 resume ends a wait for a usage limit, and the run goes on", async () => {
  const place = await loopWorkspace({ script: LIMITED });
  const run = startLive(place.folder);
  await run.says("run.waiting", { for: "limit" });
  expect((await place.ralphctl("resume")).code).toBe(0);
  expect(await seen(place, await run.ended)).toEqual({ ...DONE, outcomes: ["limited", "verified"] });
});

const TWO_WITH_SIGNS = `
- when: { title: First }
  steps:
    - run: touch ${W}/first.sign; until test -f ${W}/go.sign; do sleep 0.02; done
    - write: { path: done.txt, text: "yes\\n" }
    - say: <task-done>{task}</task-done>
- - write: { path: second.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

const twoTasks = async (): Promise<LoopWorkspace> =>
  await loopWorkspace({ script: TWO_WITH_SIGNS, tasks: ["First", "Second"], files: SIGNS });

const BOTH = {
  ...DONE,
  outcomes: ["verified", "verified"],
  tasks: ["First: done 0", "Second: done 0"],
  commits: ["First", "Second"],
};

test.concurrent("P-40 X-130 stop --after lets the iteration end, and the next run does the rest", async () => {
  const place = await twoTasks();
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "first.sign"));
  expect((await place.ralphctl("stop", "--after")).code).toBe(0);
  place.write({ "go.sign": "" });
  expect(await seen(place, await run.ended)).toEqual({
    ...STOPPED,
    outcomes: ["verified"],
    tasks: ["First: done 0", "Second: pending 0"],
    commits: ["First"],
  });
  expect(await seen(place, await place.run())).toEqual({ ...BOTH, outcomes: ["verified"] });
});

test.concurrent("P-40 pause lets the iteration end and begins no other until resume", async () => {
  const place = await twoTasks();
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "first.sign"));
  expect((await place.ralphctl("pause")).code).toBe(0);
  place.write({ "go.sign": "" });
  await run.says("run.waiting", { for: "pause" });
  expect(await tasksOf(place)).toEqual(["First: done 0", "Second: pending 0"]);
  expect((await place.ralphctl("resume")).code).toBe(0);
  expect(await seen(place, await run.ended)).toEqual(BOTH);
});

test.concurrent("P-40 X-130 a request of another terminal is said at once, in status too, and stop --after ends a pause", async () => {
  const place = await twoTasks();
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "first.sign"));
  await place.ralphctl("pause");
  await run.says("run.asked", { stop: false, pause: true });
  expect((await place.ralphctl("status")).stdout).toContain("Asked to    pause after this iteration\n");
  place.write({ "go.sign": "" });
  await run.says("run.waiting", { for: "pause" });
  expect((await place.ralphctl("stop", "--after")).code).toBe(0);
  expect(await seen(place, await run.ended)).toEqual({
    ...STOPPED,
    outcomes: ["verified"],
    tasks: ["First: done 0", "Second: pending 0"],
    commits: ["First"],
  });
});

test.concurrent("P-31 P-40 T-41 what a person changes during a pause is theirs: not committed, not put back by a check", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: "gates:\n  - { id: all, run: test -f README.md }\n",
    files: SIGNS,
    script: `
- - write: { path: first.txt, text: "x" }
  - say: <task-done>{task}</task-done>
- - write: { path: second.txt, text: "x" }
  - run: touch ${W}/second.sign; while ! test -f ${W}/go.sign; do sleep 0.02; done
  - say: <task-done>{task}</task-done>
`,
  });
  await place.task("add", "First", "--gate", "own=test -f first.txt");
  await place.task("add", "Second");
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "second.sign"));
  await place.ralphctl("pause");
  place.write({ "go.sign": "" });
  await run.says("run.waiting", { for: "pause" });
  place.write({ "README.md": "# Mine\n" });
  await place.ralphctl("resume");
  const { code, events } = await run.ended;
  const checks = events.flatMap((event) => (event.type === "check.finished" ? [event.check] : []));
  expect([code, checks, place.commits(), place.git("diff", "--name-only"), place.read("README.md")]).toEqual([
    0,
    ["baseline", "own", "final"],
    ["First", "Second"],
    "README.md",
    "# Mine\n",
  ]);
});

test.concurrent("P-40 X-130 a signal ends a run that is paused", async () => {
  const place = await twoTasks();
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "first.sign"));
  await place.ralphctl("pause");
  place.write({ "go.sign": "" });
  await run.says("run.waiting", { for: "pause" });
  run.signal("SIGINT");
  const { code, finished } = await run.ended;
  expect([code, finished?.ending]).toEqual([130, "interrupted"]);
  // The pause was meant for that run, not for the next.
  expect(await seen(place, await place.run())).toEqual({ ...BOTH, outcomes: ["verified"] });
});

test.concurrent("P-40 stop from another process ends the run as a signal does, and waits for it", async () => {
  const place = await loopWorkspace({ script: HANGS_FIRST, files: SIGNS });
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "half.sign"));
  const stop = await place.ralphctl("stop");
  expect([stop.code, processesOf(place.folder)]).toEqual([0, []]);
  expect(await seen(place, await run.ended)).toEqual(STOPPED);
  expect(await seen(place, await place.run())).toEqual(DONE);
});

test.concurrent("P-40 X-130 a second signal kills an agent that ignores the first", async () => {
  // Its stop order would ask by SIGTERM after three seconds.
  const agent = `cd ${W}; trap 'echo >interrupted.sign' INT; trap 'echo >asked.sign' TERM; echo >half.sign; while :; do sleep 0.05; done`;
  const place = await loopWorkspace({
    script: "[]",
    harness: "command",
    harnesses: { command: `run: ${JSON.stringify(agent)}` },
    files: SIGNS,
  });
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "half.sign"));
  run.signal("SIGINT");
  await fileAppears(join(place.folder, "interrupted.sign"));
  // A second one within the tenth of a second is taken for the echo of the first.
  await new Promise((done) => setTimeout(done, 150));
  run.signal("SIGINT");
  expect(await seen(place, await run.ended)).toEqual(STOPPED);
  expect(existsSync(join(place.folder, "asked.sign"))).toBe(false);
});

test.concurrent("P-40 X-130 a run whose output nobody reads any more ends as by a signal", async () => {
  const place = await loopWorkspace({ script: HANGS_FIRST, files: SIGNS });
  const line = `"${process.execPath}" "${PROGRAM}" run --json 2>errors.log | head -1 >first.log; echo "\${PIPESTATUS[0]}" >code.log`;
  const shell = spawn("bash", ["-c", line], {
    cwd: place.folder,
    env: { PATH: process.env["PATH"], ...homeOf(place.folder) },
  });
  await new Promise((done) => shell.on("close", done));
  const [first] = place.read("errors.log").trim().split("\n");
  expect([place.read("code.log"), first, processesOf(place.folder)]).toEqual(["130\n", "Stopped by you", []]);
  expect([await tasksOf(place), existsSync(join(place.folder, ".git/ralph/run.json"))]).toEqual([
    ["Do it: pending 0"],
    false,
  ]);
});

test.concurrent("W-07 X-75 a second run in the same tree is refused and names the first", async () => {
  const place = await loopWorkspace({ script: HANGS_FIRST, files: SIGNS });
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "half.sign"));
  const second = await place.run();
  expect([second.code, second.stderr.includes(`(process ${run.pid}`), second.events]).toEqual([75, true, []]);
  run.signal("SIGINT");
  expect(await seen(place, await run.ended)).toEqual(STOPPED);
});
