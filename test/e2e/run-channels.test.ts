import { expect, test } from "vitest";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { claimsOf, eventsOf, notesOf, seen, verdictsOf } from "../run-seen.ts";

test.concurrent("P-13 task done inside a session is a claim, and the gates decide", async () => {
  const place = await loopWorkspace({
    script: `
- - run: ralphctl task done $RALPHCTL_TASK --summary "All is well"
  - say: Goodbye.
- - run: ralphctl task done $RALPHCTL_TASK --summary "The file is there"
  - write: { path: done.txt, text: "yes\\n" }
`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["rejected", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual(["1 done command", "2 done command"]);
  expect(JSON.parse((await place.ralphctl("task", "show", place.ids[0]!, "--json")).stdout)).toMatchObject({
    status: "done",
    summary: "The file is there",
  });
});

test.concurrent("P-13 S001-R9 task fail inside a session gives the task up, with its reason", async () => {
  const place = await loopWorkspace({
    script: `- [{ run: ralphctl task fail $RALPHCTL_TASK --reason "No such host" }]`,
  });
  const run = await place.run("--max-attempts", "1");
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["gave-up"],
    states: { "Do it": "failed" },
    commits: [],
  });
  expect(claimsOf(run)).toEqual(["1 failed command"]);
  expect(run.finished?.failed).toEqual([{ id: place.ids[0], title: "Do it", reason: "No such host" }]);
});

test.concurrent("W-01 X-64 a session can neither settle another task, nor change one, nor start or stop a run", async () => {
  const place = await loopWorkspace({
    tasks: ["First", "Second"],
    script: ([, second]) => `
- - run: |
      for command in "task done ${second}" "task park ${second} why" "task edit $RALPHCTL_TASK --title x" \\
        "task reset $RALPHCTL_TASK" "task rm ${second}" "run" "stop" "run --add-context x"; do
        ralphctl $command; echo "$? $command" >> codes.txt
      done
  - say: I tried.
`,
  });
  const run = await place.run("--max-iterations", "1");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["unfinished"],
    states: { First: "pending", Second: "pending" },
    commits: [],
  });
  const codes = place.git("show", `refs/ralph/work/${place.ids[0]}:codes.txt`).split("\n");
  expect([codes.length, codes.filter((line) => !line.startsWith("64 "))]).toEqual([8, []]);
});

test.concurrent("X-2 a question parks its task; the answer is in the next prompt, and the work is done", async () => {
  const place = await loopWorkspace({
    script: `
- when: { prompt: "Answer: blue" }
  steps:
    - write: { path: done.txt, text: "blue\\n" }
    - say: <task-done>{task}</task-done>
- - run: ralphctl task park $RALPHCTL_TASK "Which colour shall it have?"
  - say: I wait.
`,
  });
  const first = await place.run();
  expect(await seen(place, first)).toEqual({
    code: 2,
    outcomes: ["parked"],
    states: { "Do it": "parked" },
    commits: [],
  });
  expect(claimsOf(first)).toEqual(["1 parked command"]);
  expect(first.finished).toMatchObject({
    ending: "blocked",
    waiting: [{ id: place.ids[0], title: "Do it", question: "Which colour shall it have?" }],
  });
  await place.ralphctl("task", "answer", place.ids[0]!, "blue");
  const second = await place.run();
  expect(await seen(place, second)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(second.prompt(1)).toContain("\nQuestion: Which colour shall it have?\nAnswer: blue\n");
});

const PLAN = "- [ ] First\n- [ ] Second\n";
const mark = (title: string): string =>
  `sed -i.old 's/\\[ \\] ${title}/[x] ${title}/' IMPLEMENTATION_PLAN.md; rm *.old`;

test.concurrent("P-52 a mark on the assigned task is a claim; one on another is put back and told", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": PLAN },
    script: JSON.stringify([
      [{ run: mark("Second") }, { say: "One is done." }],
      [{ write: { path: "done.txt", text: "1\n" } }, { run: mark("First") }, { say: "Marked." }],
      [{ run: mark("Second") }, { say: "Marked." }],
      [{ write: { path: "done.txt", text: "2\n" } }, { say: "<task-done>{task}</task-done>" }],
    ]),
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["idle", "verified", "rejected", "verified"],
    states: { First: "done", Second: "done" },
    commits: ["First", "Second"],
  });
  expect([claimsOf(run), verdictsOf(run)]).toEqual([
    ["2 done plan", "3 done plan", "4 done message"],
    [
      "2 accepted: proven: test failed before the work",
      "3 rejected: the gates pass, but the agent changed nothing",
      "4 accepted: unbroken: the gates pass, and none of them spoke of this task",
    ],
  ]);
  const ids = new Map(eventsOf(run, "iteration.started").map(({ task }) => [task?.title, task?.id]));
  const note = `Your mark on ${ids.get("Second")} "Second" in the plan does not count and was reverted: you can claim only the assigned task.`;
  expect(notesOf(run)).toEqual([[1, note]]);
  expect(run.prompt(2)).toContain(`- ${note}\n`);
  // Each commit has the mark of its own task, and of no other.
  expect(place.git("show", "HEAD~1:IMPLEMENTATION_PLAN.md")).toBe("- [x] First\n- [ ] Second");
  expect(place.git("show", "HEAD:IMPLEMENTATION_PLAN.md")).toBe("- [x] First\n- [x] Second");
  expect(place.git("status", "--porcelain")).toBe("");
});

test.concurrent("P-52 a mark that does not hold is taken back", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": PLAN },
    script: JSON.stringify([[{ run: mark("First") }, { say: "Marked." }]]),
  });
  const run = await place.run("--max-iterations", "1");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["rejected"],
    states: { First: "pending", Second: "pending" },
    commits: [],
  });
  expect(claimsOf(run)).toEqual(["1 done plan"]);
  expect(place.read("IMPLEMENTATION_PLAN.md")).toBe(PLAN);
});

test.concurrent("P-53 a plan file that no longer parses is told with line and column, and the loop goes on", async () => {
  const prd = `{"userStories": [{"id": "US-1", "title": "First", "description": "", "passes": false}]}\n`;
  const place = await loopWorkspace({
    tasks: [],
    files: { "prd.json": prd },
    config: "plan: [prd.json]\ngates:\n  - { id: test, run: test -f done.txt }\n",
    script: JSON.stringify([
      [{ write: { path: "prd.json", text: '{"userStories": [\n  oops\n' } }, { say: "I planned." }],
      [
        { write: { path: "prd.json", text: prd } },
        { write: { path: "done.txt", text: "yes\n" } },
        { say: "<task-done>{task}</task-done>" },
      ],
    ]),
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["unfinished", "verified"],
    states: { First: "done" },
    commits: ["First"],
  });
  const problem = "prd.json: line 2, column 3: Expected a value, found `oops`";
  expect(notesOf(run)).toEqual([[1, problem]]);
  expect(eventsOf(run, "run.notice").map(({ text }) => text)).toContain(problem);
  expect(run.prompt(2)).toContain(`- ${problem}\n`);
  expect(JSON.parse(place.git("show", "HEAD:prd.json"))).toMatchObject({ userStories: [{ passes: true }] });
});

const counts = async (place: LoopWorkspace): Promise<Record<string, number>> => {
  const states = Object.values(await place.states());
  return Object.fromEntries([...new Set(states)].sort().map((name) => [name, states.filter((s) => s === name).length]));
};

test.concurrent.each([
  ["task add", 60, 0],
  ["the plan file", 0, 60],
  ["both together", 30, 30],
])("W-01 of 60 tasks that a session adds through %s, ten are parked", async (_door, byCommand, byPlan) => {
  const place = await loopWorkspace({
    files: { "IMPLEMENTATION_PLAN.md": "Nothing yet.\n\n" },
    script: JSON.stringify([
      [
        { write: { path: "done.txt", text: "yes\n" } },
        { run: `test ${byCommand} = 0 || seq 1 ${byCommand} | sed 's/^/- By command /' | ralphctl task add -` },
        { run: `test ${byPlan} = 0 || seq 1 ${byPlan} | sed 's/^/- [ ] By plan /' >> IMPLEMENTATION_PLAN.md` },
        { say: "<task-done>{task}</task-done>" },
      ],
    ]),
  });
  const run = await place.run("--max-iterations", "1");
  expect([run.code, run.outcomes, await counts(place)]).toEqual([
    4,
    ["verified"],
    { done: 1, parked: 10, pending: 50 },
  ]);
  expect(run.finished?.left).toEqual({ ready: 50, blocked: 0, waiting: 10, failed: 0, settled: 1 });
  expect(new Set(run.finished?.waiting.map(({ question }) => question))).toEqual(
    new Set(["Added by a session beyond the limit of 50 new tasks. Keep it?"]),
  );
});
