import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { awaitPerson, meanwhile } from "../person-meanwhile.ts";
import { claimsOf, eventsOf, notesOf, sayings, seen, verdictsOf } from "../run-seen.ts";

const HONEST = `
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;
const GREEN = "gates:\n  - { id: test, run: 'true' }\n";

test.concurrent("P-01 S001-R9 X-0 honest work is verified, committed and done", async () => {
  const place = await loopWorkspace({ script: HONEST });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect([claimsOf(run), notesOf(run), verdictsOf(run)]).toEqual([
    ["1 done message"],
    [],
    ["1 accepted: proven: test failed before the work"],
  ]);
  expect(place.git("status", "--porcelain")).toBe("");
});

test.concurrent("T-10 a gate that a person gives a task during its session decides about its claim", async () => {
  const script = `
- - run: ${awaitPerson("edit")}
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
- - write: { path: more.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;
  const place = await loopWorkspace({ config: GREEN, script });
  const edit = async () => await place.task("edit", place.ids[0]!, "--gate", "more=test -f more.txt");
  const [run] = await Promise.all([place.run(), meanwhile(place.folder, "edit", edit)]);
  expect(verdictsOf(run)).toEqual([
    "1 rejected: gate more: exit code 1",
    "2 accepted: unbroken: the gates pass, and none of them spoke of this task",
  ]);
});

test.concurrent("T-10 what a person lets a task change during its session asks nobody", async () => {
  const script = `
- - run: ${awaitPerson("edit")}
  - run: echo true >check.sh
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;
  const config = "gates:\n  - { id: test, run: sh check.sh }\n";
  const place = await loopWorkspace({ config, script, files: { "check.sh": "test ! -f done.txt\n" } });
  const edit = async () => await place.task("edit", place.ids[0]!, "--may-change", "check.sh");
  const [run] = await Promise.all([place.run(), meanwhile(place.folder, "edit", edit)]);
  expect([run.outcomes, verdictsOf(run)[0]]).toEqual([["verified"], expect.stringContaining("1 accepted")]);
});

test.concurrent("P-20 X-1 an agent that changes nothing and says done is never believed", async () => {
  const place = await loopWorkspace({ script: sayings("<task-done>{task}</task-done>") });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["rejected", "rejected", "rejected"],
    states: { "Do it": "failed" },
    commits: [],
  });
  expect(verdictsOf(run)).toEqual([1, 2, 3].map((n) => `${n} rejected: gate test: exit code 1`));
  expect(run.finished?.failed).toEqual([{ id: place.ids[0], title: "Do it", reason: "gate test: exit code 1" }]);
});

test.concurrent("X-1 a commit of something else is no proof: it is put aside, and the branch moves back", async () => {
  const place = await loopWorkspace({
    script: `
- - write: { path: junk.txt, text: "junk {iteration}\\n" }
  - commit: Do it, honestly
  - say: All done. <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["rejected", "rejected", "rejected"],
    states: { "Do it": "failed" },
    commits: [],
  });
  const [kept] = eventsOf(run, "work.kept");
  expect(place.git("show", `${kept?.ref}:junk.txt`)).toBe("junk 3");
  expect(place.git("status", "--porcelain")).toBe("");
});

test.concurrent("P-18 X-2 green gates without a change are rejected once and told, then a person is asked", async () => {
  const place = await loopWorkspace({ script: sayings("<task-done>{task}</task-done>"), config: GREEN });
  const run = await place.run();
  const question = "Already done? The gates pass, but the agent changed nothing.";
  expect(await seen(place, run)).toEqual({
    code: 2,
    outcomes: ["rejected", "parked"],
    states: { "Do it": "parked" },
    commits: [],
  });
  expect(verdictsOf(run)).toEqual([
    "1 rejected: the gates pass, but the agent changed nothing",
    `2 parked: ${question}`,
  ]);
  expect(run.prompt(1)).not.toContain("nothing was changed");
  expect(run.prompt(2)).toContain("All gates pass, but the session changed nothing.");
  expect(run.finished?.waiting).toEqual([{ id: place.ids[0], title: "Do it", question }]);
  await place.task("answer", place.ids[0]!, "No, look again");
  expect((await place.run()).outcomes).toEqual(["rejected", "parked"]);
});

test.concurrent("P-18 notes in AGENTS.md are no work", async () => {
  const place = await loopWorkspace({
    script: `
- - append: { path: AGENTS.md, text: "I was here {iteration}\\n" }
  - say: <task-done>{task}</task-done>
`,
    config: GREEN,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 2,
    outcomes: ["rejected", "parked"],
    states: { "Do it": "parked" },
    commits: [],
  });
});

test.concurrent("P-18 AGENTS.md is the work of a task whose title asks for it, and plans are not", async () => {
  const place = await loopWorkspace({
    tasks: ["Write AGENTS.md", "Explain it as in IMPLEMENTATION_PLAN.md"],
    script: `
- when: { title: "Write *" }
  steps:
    - write: { path: AGENTS.md, text: Run npm test }
    - say: <task-done>{task}</task-done>
- - append: { path: IMPLEMENTATION_PLAN.md, text: More }
  - say: <task-done>{task}</task-done>
`,
    config: `${GREEN}limits: { attempts: 1 }\n`,
  });
  const run = await place.run();
  expect(run.outcomes).toEqual(["verified", "parked"]);
  expect(place.commits()).toEqual(["Write AGENTS.md"]);
});

test.concurrent("P-18 X-0 no change is enough when the task allows it", async () => {
  const place = await loopWorkspace({ script: sayings("<task-done>{task}</task-done>"), config: GREEN, tasks: [] });
  await place.ralphctl("task", "add", "Look", "--allow-no-change");
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { Look: "done" },
    commits: [],
  });
  expect(verdictsOf(run)).toEqual(["1 accepted: unbroken: the gates pass, and none of them spoke of this task"]);
});

test.concurrent("P-18 X-0 no change is enough when the reviewer passed it", async () => {
  const place = await loopWorkspace({
    config: `${GREEN}verify: { reviewer: scripted }\n`,
    script: JSON.stringify([
      { when: { prompt: "<verify-pass/>" }, steps: [{ say: "<verify-pass/>" }] },
      { steps: [{ say: "<task-done>{task}</task-done>" }] },
    ]),
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { "Do it": "done" },
    commits: [],
  });
});

test.concurrent("P-18 X-2 what lies in `.ralph/` or is written by a gate is no work", async () => {
  const place = await loopWorkspace({
    config: "gates:\n  - { id: test, run: date +%N > report.txt }\n",
    script: `
- - append: { path: .ralph/specs/more.md, text: "x {iteration}\\n" }
  - append: { path: .ralph/notes.tmp, text: "x\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 2,
    outcomes: ["rejected", "parked"],
    states: { "Do it": "parked" },
    commits: [],
  });
});

test.concurrent("S002-09 P-20 the report of a rejection is in the next prompts of its task, and in no other", async () => {
  const place = await loopWorkspace({
    tasks: ["First", "Second"],
    config: "gates:\n  - { id: greeting, run: 'grep -q yes done.txt || { echo no greeting found; exit 3; }' }\n",
    script: `
- - say: <task-done>{task}</task-done>
- - write: { path: done.txt, text: "no\\n" }
  - say: <task-done>{task}</task-done>
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
- - write: { path: more.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["rejected", "rejected", "verified", "verified"],
    states: { First: "done", Second: "done" },
    commits: ["First", "Second"],
  });
  const report = "## Validation Failure (completion rejected)";
  expect([1, 2, 3, 4].map((n) => run.prompt(n).includes(report))).toEqual([false, true, true, false]);
  expect(run.prompt(3)).toContain("Gate `greeting` failed: exit code 3\n");
  expect(run.prompt(3)).toContain("\nno greeting found\n");
  expect(run.prompt(4)).not.toContain("## Earlier attempts");
  expect(eventsOf(run, "iteration.started").map(({ attempts }) => attempts)).toEqual([0, 1, 2, 0]);
});

test.concurrent("P-42 X-1 a task that never moves gets another model, is parked, and the run is stuck", async () => {
  const place = await loopWorkspace({
    script: sayings("<task-done>{task}</task-done>"),
    harnesses: { scripted: "model: plain" },
  });
  const run = await place.run("--max-attempts", "5", "--smart-model", "clever");
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["rejected", "rejected", "rejected"],
    states: { "Do it": "parked" },
    commits: [],
  });
  expect(eventsOf(run, "iteration.started").map(({ model, override }) => [model, override])).toEqual([
    ["plain", undefined],
    ["plain", undefined],
    ["clever", "no-progress"],
  ]);
  expect(run.finished).toMatchObject({
    ending: "failure",
    reason: "3 iterations in a row ended with the same files and results, and nothing else is ready",
    waiting: [{ question: "3 iterations in a row ended with the same files and results. What is in the way?" }],
  });
});

test.concurrent("P-20 an iteration without a claim but with changes is no attempt, and the next one goes on", async () => {
  const place = await loopWorkspace({
    script: `
- - write: { path: half.txt, text: "half\\n" }
  - say: I will go on later.
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["unfinished", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(eventsOf(run, "iteration.finished").map(({ counted }) => counted)).toEqual([false, false]);
  expect(place.git("show", "--name-only", "--format=").split("\n")).toEqual(["done.txt", "half.txt"]);
});

const PLANNED = { tasks: [], files: { "IMPLEMENTATION_PLAN.md": "- [ ] Do it\n" } };

test.concurrent("P-20 P-50 a mark that is taken back after a rejection is no work of the next session", async () => {
  const place = await loopWorkspace({
    ...PLANNED,
    script: `
- - say: <task-done>{task}</task-done>
- - say: Nothing to say.
`,
  });
  const run = await place.run("--max-iterations", "2");
  expect([run.outcomes, place.read("IMPLEMENTATION_PLAN.md")]).toEqual([["rejected", "idle"], "- [ ] Do it\n"]);
});

test.concurrent("P-20 P-53 marks put back in a plan that cannot be followed are no work of the next session", async () => {
  const plan = "- [ ] T01: One\n- [ ] T02: Two\n- [ ] T03: Three\n";
  const marked = plan.replace("[ ] T02: Two", "[x] T02: Two\n  - Needs: T03");
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": plan },
    script: JSON.stringify([
      [{ write: { path: "IMPLEMENTATION_PLAN.md", text: marked } }],
      [{ say: "Nothing to say." }],
    ]),
  });
  // Beside the plan Three waits for Two, so Two cannot wait for Three.
  await place.task("import", "IMPLEMENTATION_PLAN.md");
  const tasks = JSON.parse((await place.task("list", "--json")).stdout) as { id: string; title: string }[];
  const [, two = "", three = ""] = ["One", "Two", "Three"].map((name) => tasks.find(({ title }) => title === name)?.id);
  const between = (await place.task("add", "Between", "--needs", two)).stdout.trim();
  await place.task("dep", "add", three, "--needs", between);
  const run = await place.run("--max-iterations", "2");
  expect([run.outcomes, place.read("IMPLEMENTATION_PLAN.md")]).toEqual([
    ["unfinished", "idle"],
    marked.replace("[x]", "[ ]"),
  ]);
});

test.concurrent("P-32 P-50 L-23 a claim whose landing was overtaken leaves no mark in the plan, and its work is kept", async () => {
  const overtake = `cd "{home}" && git update-ref refs/ralph/target/main $(git commit-tree -p main -m Other main^{tree})`;
  const place = await loopWorkspace({
    ...PLANNED,
    config: `gates:\n  - { id: test, run: ${JSON.stringify(`test -f done.txt && ${overtake}`)} }\n`,
    script: HONEST,
  });
  const run = await place.run("--max-iterations", "1");
  expect([await seen(place, run), place.read("IMPLEMENTATION_PLAN.md")]).toEqual([
    { code: 4, outcomes: ["unfinished"], states: { "Do it": "pending" }, commits: [] },
    "- [ ] Do it\n",
  ]);
  const [kept] = run.finished?.unfinished ?? [];
  expect([
    place.git("log", "-1", "--format=%s", "refs/ralph/target/main"),
    place.git("show", `${kept?.ref}:done.txt`),
  ]).toEqual(["Other", "yes"]);
});
