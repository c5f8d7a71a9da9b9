import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { claimsOf, eventsOf, seen } from "../run-seen.ts";

const SCRIPT = `
- - think: A file is missing.
  - write: { path: done.txt, text: "yes\\n" }
  - usage: { input: 100, output: 20 }
  - cost: 0.5
  - say: "All finished. <task-done>{task}</task-done>"
`;

test.concurrent("a recorded iteration is played again as if it were the agent, about the task of now", async () => {
  const first = await loopWorkspace({ script: SCRIPT });
  const recorded = await first.run();
  expect(recorded.outcomes).toEqual(["verified"]);
  const folder = `${first.folder}/.ralph/runs/${recorded.name}/1`;

  const second = await loopWorkspace({
    script: "[]",
    tasks: ["Do it again"],
    harnesses: { replay: `recording: ${JSON.stringify(folder)}` },
  });
  const run = await second.run("--harness", "replay");
  expect(await seen(second, run)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { "Do it again": "done" },
    commits: ["Do it again"],
  });
  expect(second.read("done.txt")).toBe("yes\n");
  expect(claimsOf(run)).toEqual(["1 done message"]);
  const said = (of: typeof run) => eventsOf(of, "agent.thinking").map(({ text }) => text);
  expect(said(run)).toEqual(said(recorded));
  expect(eventsOf(run, "agent.tool").map(({ name, input }) => [name, input])).toEqual([["write", "done.txt"]]);
  expect(run.finished).toMatchObject({ costUsd: 0.5, tokens: 120 });
});

test.concurrent("P-15 what a reviewer said in a recorded iteration is not played as the agent's own", async () => {
  const first = await loopWorkspace({
    config: "gates:\n  - { id: test, run: test -f done.txt }\nverify: { reviewer: scripted }\n",
    script: `
- when: { prompt: <verify-pass/> }
  steps:
    - run: ls
    - cost: 2
    - say: I read it. <verify-pass/>
- steps: [{ write: { path: done.txt, text: "yes" } }, { cost: 0.5 }, { say: "<task-done>{task}</task-done>" }]
`,
  });
  const recorded = await first.run();
  expect([recorded.outcomes, recorded.finished?.costUsd]).toEqual([["verified"], 2.5]);
  const folder = `${first.folder}/.ralph/runs/${recorded.name}/1`;
  const second = await loopWorkspace({
    script: "[]",
    harnesses: { replay: `recording: ${JSON.stringify(folder)}` },
  });
  const run = await second.run("--harness", "replay");
  expect([run.outcomes, run.finished?.costUsd]).toEqual([["verified"], 0.5]);
  expect(eventsOf(run, "agent.tool").map(({ input }) => input)).toEqual(["done.txt"]);
});

test.concurrent("changes that do not fit are a crash, and nothing is claimed", async () => {
  const first = await loopWorkspace({ script: SCRIPT });
  const recorded = await first.run();
  const folder = `${first.folder}/.ralph/runs/${recorded.name}/1`;
  const second = await loopWorkspace({
    script: "[]",
    files: { "done.txt": "another\n" },
    config: "gates:\n  - { id: test, run: 'false' }\nlimits: { iterations: 1 }\n",
    harnesses: { replay: `recording: ${JSON.stringify(folder)}` },
  });
  const run = await second.run("--harness", "replay");
  expect(run.outcomes).toEqual(["crashed"]);
  expect(claimsOf(run)).toEqual([]);
  expect(second.read("done.txt")).toBe("another\n");
});
