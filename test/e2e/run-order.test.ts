import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";

const CLAIM = "say: <task-done>{task}</task-done>";

/** Each session leaves a file of its task and claims it. */
const HONEST = `
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`;

const worked = ({ events }: LoopRun): string[] =>
  events.flatMap((event) => (event.type === "iteration.started" ? [event.task!.title] : []));

const changes = ({ events }: LoopRun) =>
  events.flatMap((event) =>
    event.type === "tasks.changed" ? [[event.change, ...event.tasks.map(({ title }) => title)]] : [],
  );

const of = <Type extends RunEvent["type"]>({ events }: LoopRun, type: Type) =>
  events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);

test.concurrent("P-01 dag-R5 tasks come by needs, then priority, then age; a parent is done by its children", async () => {
  const place = await loopWorkspace({ tasks: [], script: HONEST });
  const add = async (...args: string[]) => (await place.task("add", ...args)).stdout.trim();
  const late = await add("Late", "--priority", "3");
  const parent = await add("Parent");
  await add("Child", "--parent", parent, "--priority", "0");
  const first = await add("Needs late", "--needs", late, "--priority", "0");
  await add("Needs both", "--needs", first, "--needs", parent);
  await add("Early", "--priority", "1");
  const run = await place.run();
  expect([run.code, worked(run), await place.states()]).toEqual([
    0,
    ["Child", "Early", "Late", "Needs late", "Needs both"],
    { Late: "done", Parent: "done", Child: "done", "Needs late": "done", "Needs both": "done", Early: "done" },
  ]);
});

test.concurrent("D-07 X-2 what a failed task blocks stays open: exit 2 names the blockers", async () => {
  const place = await loopWorkspace({
    tasks: [],
    script: `
- when: { title: First }
  steps: [{ say: "No way. <task-failed>{task}</task-failed>" }]
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`,
  });
  const first = (await place.task("add", "First", "--attempts", "2")).stdout.trim();
  const second = (await place.task("add", "Second", "--needs", first)).stdout.trim();
  await place.task("add", "Third");
  const run = await place.run();
  const { finished } = run;
  expect([run.code, worked(run), await place.states(), place.commits()]).toEqual([
    2,
    // Tried again after what else was ready.
    ["First", "Third", "First"],
    { First: "failed", Second: "pending", Third: "done" },
    ["Third"],
  ]);
  expect([finished?.reason, finished?.failed, finished?.blocked]).toEqual([
    "The tasks left are blocked, and nothing can unblock them",
    [{ id: first, title: "First", reason: "No way." }],
    [{ id: second, title: "Second", by: [first] }],
  ]);
});

test.concurrent("X-2 a parked task waits for a person while the others go on", async () => {
  const place = await loopWorkspace({
    tasks: ["Ask", "Work"],
    script: `
- when: { title: Ask }
  steps:
    - run: ralphctl task park "$RALPHCTL_TASK" "Which port?"
    - say: I need an answer.
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes, await place.states(), run.finished?.reason]).toEqual([
    2,
    ["parked", "verified"],
    { Ask: "parked", Work: "done" },
    "Tasks wait for an answer",
  ]);
  expect(run.finished?.waiting).toEqual([{ id: place.ids[0], title: "Ask", question: "Which port?" }]);
});

test.concurrent("P-01 dropped tasks satisfy what needs them, and are counted and named in the end", async () => {
  const place = await loopWorkspace({ tasks: ["Old"], script: HONEST });
  await place.task("add", "New", "--needs", place.ids[0]!);
  await place.task("drop", place.ids[0]!);
  const run = await place.run();
  expect([run.code, await place.states(), run.finished?.dropped]).toEqual([0, { Old: "dropped", New: "done" }, 1]);
  expect([run.finished?.reason, run.finished?.droppedTasks.map(({ title }) => title)]).toEqual([
    "All tasks are done or dropped",
    ["Old"],
  ]);
});

test.concurrent("L-27 P-50 P-32 a nested plan: the marks of parents are in the commit of their last child", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": "# Plan\n\n- [ ] Parent\n  - [ ] One\n  - [ ] Two\n" },
    script: HONEST,
  });
  const run = await place.run();
  const plan = (commit: string): string => place.git("show", `${commit}:IMPLEMENTATION_PLAN.md`);
  expect([run.code, place.commits(), plan("HEAD~1"), plan("HEAD"), place.git("status", "--porcelain")]).toEqual([
    0,
    ["One", "Two"],
    "# Plan\n\n- [ ] Parent\n  - [x] One\n  - [ ] Two",
    "# Plan\n\n- [x] Parent\n  - [x] One\n  - [x] Two",
    "",
  ]);
});

test.concurrent("L-27 L-10 a plan says that a task is done once it has landed, also beside lines that you are editing", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": "- [ ] One\n- [ ] Two\n" },
    config:
      "gates: [{ id: test, run: 'cat $HOME/IMPLEMENTATION_PLAN.md >> $HOME/.ralph/seen.tmp; test -f done.txt' }]\n",
    script: HONEST,
  });
  writeFileSync(join(place.folder, "IMPLEMENTATION_PLAN.md"), "- [ ] One\n- [ ] Two, mine\n");
  const run = await place.run("--max-iterations", "1");
  const seen = place.read(".ralph/seen.tmp");
  expect([run.outcomes, seen.includes("[x]"), place.read("IMPLEMENTATION_PLAN.md")]).toEqual([
    ["verified"],
    false,
    "- [x] One\n- [ ] Two, mine\n",
  ]);
  expect(place.git("show", "refs/ralph/target/main:IMPLEMENTATION_PLAN.md")).toBe("- [x] One\n- [ ] Two");
});

test.concurrent("P-50 P-51 X-2 an entry that a session adds is taken up; about one that it removes a person is asked", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": "- [ ] One\n- [ ] Two\n" },
    script: `
- - write: { path: done.txt, text: "{task}\\n" }
  - write: { path: IMPLEMENTATION_PLAN.md, text: "- [ ] One\\n- [ ] Something quite different\\n" }
  - ${CLAIM}
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`,
  });
  const run = await place.run();
  expect([run.code, changes(run), await place.states(), place.read("IMPLEMENTATION_PLAN.md")]).toEqual([
    2,
    [
      ["added", "One", "Two"],
      ["parked", "Two"],
      ["added", "Something quite different"],
    ],
    { One: "done", Two: "parked", "Something quite different": "done" },
    "- [x] One\n- [x] Something quite different\n",
  ]);
});

test.concurrent("P-50 T-41 what a person writes into the plan while the last gates run is work of the same run, and theirs to commit", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": "- [ ] One\n" },
    // The gate plays the person.
    config: `
gates:
  - { id: test, run: "test -f done.txt && cd {home} && (grep -q Two IMPLEMENTATION_PLAN.md || echo '- [ ] Two' >> IMPLEMENTATION_PLAN.md)" }
`,
    script: HONEST,
  });
  const run = await place.run();
  expect([run.code, changes(run), worked(run), place.commits(), place.read("IMPLEMENTATION_PLAN.md")]).toEqual([
    0,
    [
      ["added", "One"],
      ["added", "Two"],
    ],
    ["One", "Two"],
    ["One", "Two"],
    "- [x] One\n- [x] Two\n",
  ]);
  expect([place.git("status", "--porcelain"), place.git("show", "HEAD:IMPLEMENTATION_PLAN.md")]).toEqual([
    "M IMPLEMENTATION_PLAN.md",
    "- [x] One",
  ]);
});

test.concurrent("P-20 a task's own number of attempts is the one that counts", async () => {
  const place = await loopWorkspace({ tasks: [], script: `- - ${CLAIM}\n` });
  await place.task("add", "Once", "--attempts", "1");
  const run = await place.run();
  expect([run.code, run.outcomes, await place.states()]).toEqual([1, ["rejected"], { Once: "failed" }]);
  expect(of(run, "iteration.started").map(({ attempts, attemptLimit }) => [attempts, attemptLimit])).toEqual([[0, 1]]);
});

test.concurrent("P-20 a task that goes on and on without a claim is failed for good after limits.iterationsPerTask", async () => {
  const place = await loopWorkspace({
    config: "gates: []\nlimits: { iterationsPerTask: 3 }\n",
    script: `- - append: { path: work.txt, text: "more {iteration}\\n" }\n  - say: Not there yet.\n`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes, run.finished?.failed, place.git("status", "--porcelain")]).toEqual([
    1,
    ["unfinished", "unfinished", "unfinished"],
    [{ id: place.ids[0], title: "Do it", reason: "Not done after 3 iterations" }],
    "",
  ]);
  expect(of(run, "work.kept").map(({ why }) => why)).toEqual(["the task failed"]);
});

test.concurrent("P-42 D-08 X-4 --max-iterations N runs exactly N", async () => {
  const place = await loopWorkspace({ tasks: ["One", "Two", "Three"], script: HONEST });
  const run = await place.run("--max-iterations", "2");
  expect([run.code, run.outcomes, run.finished?.limit, run.finished?.reason, await place.states()]).toEqual([
    4,
    ["verified", "verified"],
    "iterations",
    "Reached the limit of 2 iterations",
    { One: "done", Two: "done", Three: "pending" },
  ]);
});

test.concurrent("P-42 by default a run may take three iterations for each task, and twenty more", async () => {
  const place = await loopWorkspace({ tasks: ["One", "Two"], script: HONEST });
  expect(of(await place.run(), "run.started").map(({ limits, tasks }) => [limits, tasks])).toEqual([
    [{ iterations: 26 }, 2],
  ]);
});

test.concurrent("P-42 the limit that the last task reaches does not make the run incomplete", async () => {
  const place = await loopWorkspace({ script: HONEST });
  const run = await place.run("--max-iterations", "1");
  expect([run.code, run.finished?.ending, run.finished?.reason]).toEqual([0, "complete", "All tasks are done"]);
});

test.concurrent("P-22 a claim that would end the run before --min-iterations is deferred, and costs nothing", async () => {
  const place = await loopWorkspace({ script: HONEST });
  const run = await place.run("--min-iterations", "3");
  expect([run.code, run.outcomes, of(run, "verdict.reached").map(({ verdict }) => verdict)]).toEqual([
    0,
    ["deferred", "deferred", "verified"],
    ["deferred", "deferred", "accepted"],
  ]);
  expect(of(run, "iteration.finished").map(({ counted }) => counted)).toEqual([false, false, false]);
  expect(of(run, "gate.started").filter(({ iteration }) => iteration !== undefined && iteration < 3)).toEqual([]);
  expect(run.prompt(2)).toContain("The claim in iteration 1 was deferred: the run goes on until iteration 3.");
});

test.concurrent("P-22 a settled graph never invents work", async () => {
  const place = await loopWorkspace({ tasks: ["One", "Two"], script: HONEST });
  const run = await place.run("--min-iterations", "2");
  expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
});
