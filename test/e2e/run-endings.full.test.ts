import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { notices } from "../hostile-run.ts";
import { claimsOf, eventsOf, seen } from "../run-seen.ts";

const SIGIL = "<task-done>{task}</task-done>";
const WORK = { write: { path: "done.txt", text: "yes\n" } };

test.concurrent.each([
  ["exit code 1", [{ exit: 1 }], "The agent ended with exit code 1 and no result"],
  [
    "exit code 1 after its result",
    [{ end: "done" }, { exit: 1 }],
    "The agent gave its result, but ended with exit code 1",
  ],
  ["SIGSEGV", [{ signal: "SIGSEGV" }], "The agent ended with signal SIGSEGV and no result"],
  ["exit code 0 without a result", [{ exit: 0 }], "The agent ended with exit code 0 and no result"],
])("P-14 P-20 a claim before the end by %s is none; the next session is told", async (_name, end, failure) => {
  const place = await loopWorkspace({ script: JSON.stringify([[WORK, { say: SIGIL }, ...end], [{ say: SIGIL }]]) });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["crashed", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual(["2 done message"]);
  const [first] = eventsOf(run, "iteration.finished");
  expect([first?.counted, first?.reason, first?.session]).toEqual([true, failure, "crashed"]);
  expect(run.prompt(2)).toContain(`## Harness failure in the last iteration\n`);
  expect(run.prompt(2)).toContain(`\n\n${failure}\n`);
  expect(run.prompt(2)).not.toContain("## Validation Failure");
});

test.concurrent("P-14 a result holds although the agent does not exit: after the grace it is stopped", async () => {
  const place = await loopWorkspace({
    script: JSON.stringify([[WORK, { say: SIGIL }, { end: "done" }, { hang: true }]]),
    config: "gates:\n  - { id: test, run: test -f done.txt }\nlimits: { grace: 1s }\n",
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(eventsOf(run, "session.stopped")).toEqual([
    {
      type: "session.stopped",
      iteration: 1,
      why: "It gave its result but did not exit",
      limit: "limits.grace",
      limitMs: 1000,
    },
  ]);
});

test.concurrent.each([
  [
    "says nothing for limits.inactivity",
    [{ hang: true }],
    "limits: { inactivity: 3s }\n",
    { why: "It was silent for too long", limit: "limits.inactivity", limitMs: 3000 },
  ],
  [
    "never stops talking, for limits.attempt",
    [{ run: "for i in $(seq 600); do echo $i; sleep 0.05; done" }, { say: SIGIL }],
    "limits: { attempt: 3s }\n",
    { why: "It exceeded the time limit of a session", limit: "limits.attempt", limitMs: 3000 },
  ],
])(
  "P-14 P-20 an agent that %s is stopped: an attempt without a claim, and the next is told",
  async (_how, steps, limits, why) => {
    const place = await loopWorkspace({
      script: JSON.stringify([[WORK, { say: SIGIL }, ...steps], [{ say: SIGIL }]]),
      config: `gates:\n  - { id: test, run: test -f done.txt }\n${limits}`,
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["timed-out", "verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    expect(claimsOf(run)).toEqual(["2 done message"]);
    expect(eventsOf(run, "iteration.finished").map(({ counted, session }) => [counted, session])).toEqual([
      [true, "timed-out"],
      [false, "done"],
    ]);
    expect(eventsOf(run, "session.stopped")[0]).toEqual({ type: "session.stopped", iteration: 1, ...why });
    expect(run.prompt(2)).toContain("## Harness failure in the last iteration\n");
  },
);

test.concurrent("D-09 S001-R9 L-07 X-1 FAILURE ends the run: the task is released, and its work is kept", async () => {
  const place = await loopWorkspace({
    tasks: ["First", "Second"],
    script: JSON.stringify([[WORK, { say: `The disk is broken.\n\n${SIGIL}\n<promise>FAILURE</promise>` }]]),
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["failure"],
    states: { First: "pending", Second: "pending" },
    commits: [],
  });
  expect(claimsOf(run)).toEqual(["1 failure message"]);
  expect(place.git("show", `refs/ralph/work/${place.ids[0]}:done.txt`)).toBe("yes");
  expect(place.git("status", "--porcelain")).toBe("");
  const [finished] = eventsOf(run, "iteration.finished");
  expect([finished?.counted, finished?.reason]).toEqual([false, "The disk is broken."]);
  expect(run.finished).toMatchObject({
    ending: "failure",
    reason: "The agent promised FAILURE (iteration 1): no further iteration could help",
    left: { ready: 2, blocked: 0, waiting: 0, failed: 0, settled: 0 },
  });
});

test.concurrent("S001-R9 X-1 a task that is given up is tried again after the others, and failed after three times", async () => {
  const place = await loopWorkspace({
    tasks: ["Hard", "Easy"],
    script: `
- when: { title: Hard }
  steps: [{ say: "No access in iteration {iteration}.\\n\\n<task-failed>{task}</task-failed>" }]
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["gave-up", "verified", "gave-up", "gave-up"],
    states: { Hard: "failed", Easy: "done" },
    commits: ["Easy"],
  });
  expect(eventsOf(run, "iteration.finished").map(({ task, reason }) => [task?.title, reason])).toEqual([
    ["Hard", "No access in iteration 1."],
    ["Easy", undefined],
    ["Hard", "No access in iteration 3."],
    ["Hard", "No access in iteration 4."],
  ]);
  expect(run.prompt(3)).toContain(`- ${run.name}, iteration 1: gave up: No access in iteration 1.\n`);
  expect(run.finished?.failed).toEqual([{ id: place.ids[0], title: "Hard", reason: "No access in iteration 4." }]);
});

test.concurrent("S001-R9 a failure without a word has a stated reason", async () => {
  const place = await loopWorkspace({ script: JSON.stringify([[{ say: "<task-failed>{task}</task-failed>" }]]) });
  const run = await place.run("--max-iterations", "1");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["gave-up"],
    states: { "Do it": "failed" },
    commits: [],
  });
  expect(eventsOf(run, "iteration.finished")[0]?.reason).toBe("The agent gave no reason");
});

test.concurrent("D-08 X-4 a limit of two runs two iterations, and work that is not done is left", async () => {
  const place = await loopWorkspace({ script: JSON.stringify([[{ append: { path: "a", text: "a" } }]]) });
  const run = await place.run("--max-iterations", "2");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["unfinished", "unfinished"],
    states: { "Do it": "pending" },
    commits: [],
  });
  expect(run.finished).toMatchObject({ ending: "limit", limit: "iterations", iterations: 2 });
});

test.concurrent("model-R1 a recommended model is used once and recorded; an unknown one is not", async () => {
  const place = await loopWorkspace({
    script: `
- - append: { path: log.txt, text: one }
  - say: "Too hard for me.\\n\\n<next-model>opus</next-model>"
- - append: { path: log.txt, text: two }
  - say: Better.
- - append: { path: log.txt, text: three }
  - say: <next-model>gpt-99</next-model>
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
    harnesses: { scripted: "model: plain, models: [opus]" },
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["unfinished", "unfinished", "unfinished", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(eventsOf(run, "iteration.started").map(({ model, override }) => [model, override])).toEqual([
    ["plain", undefined],
    ["opus", "hint"],
    ["plain", undefined],
    ["plain", undefined],
  ]);
  expect(notices(run)).toEqual([
    "The specs directory .ralph/specs is empty",
    'The agent recommended the model "gpt-99", which is not configured for scripted',
  ]);
});
