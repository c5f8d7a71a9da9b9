import { describe, expect, test } from "vitest";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

// T-22: a task that may be done already is a question for a person, and the person's word settles it.

const HONEST = `
  - - write: { path: new.txt, text: "{task}" }
    - say: <task-done>{task}</task-done>
`;

const GREEN = "gates:\n  - { id: test, run: 'true' }\n";

/** Two tasks: the own gate of the first passes before any work, that of the second does not. */
async function halfDone(): Promise<LoopWorkspace & { readonly done: string }> {
  const place = await loopWorkspace({ tasks: [], config: GREEN, script: HONEST, files: { "old.txt": "" } });
  const add = async (title: string, gate: string): Promise<string> =>
    (await place.task("add", title, "--gate", `own=${gate}`)).stdout.trim();
  const done = await add("Old", "test -f old.txt");
  await add("New", "test -f new.txt");
  return { ...place, done };
}

describe.concurrent("T-22 a task whose own gate passes before its first session", () => {
  test("T-22 T-21 is offered as done without a session, the run goes on, and a yes settles it", async () => {
    const place = await halfDone();
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states()]).toEqual([2, ["verified"], { Old: "parked", New: "done" }]);
    expect(run.finished?.waiting).toEqual([
      { id: place.done, title: "Old", question: "Already done? Before any work, its own gate passes: own" },
    ]);
    expect(run.stderr).toContain(`ralphctl task answer ${place.done} yes  # any other answer starts a session\n`);
    const task = JSON.parse((await place.task("show", place.done, "--json")).stdout) as { attempts: number };
    expect(task.attempts).toBe(0);
    // The gate of the other one failed before its work, which is therefore proven.
    expect(run.events.find(({ type }) => type === "iteration.finished")).toMatchObject({ strength: "proven" });
    const answer = await place.task("answer", place.done, "Yes.");
    expect([answer.code, answer.stderr, await place.states()]).toEqual([
      0,
      `${place.done} is done, as you say\n`,
      { Old: "done", New: "done" },
    ]);
    expect((await place.run()).code).toBe(0);
  });

  test("T-22 any other answer starts a session, and nobody is asked again", async () => {
    const place = await halfDone();
    await place.run("--task", place.done);
    await place.task("answer", place.done, "No, refactor it");
    const run = await place.run("--task", place.done);
    expect([run.code, await place.states()]).toEqual([0, { Old: "done", New: "pending" }]);
    expect(run.prompt(1)).toContain("Answer: No, refactor it");
  });

  test("T-22 a gate that fails, or a task that may be done without a change, is no question", async () => {
    const place = await loopWorkspace({ tasks: [], config: GREEN, script: HONEST });
    await place.task("add", "Look", "--allow-no-change", "--gate", "own=test -s README.md");
    await place.task("add", "Two", "--gate", "one=true", "--gate", "two=grep -qs $RALPHCTL_TASK new.txt");
    const run = await place.run();
    expect([run.code, await place.states()]).toEqual([0, { Look: "done", Two: "done" }]);
  });

  test("T-22 a gate that the workspace has too only guards: alone it is no question, and no question names it", async () => {
    const config = "gates:\n  - { id: test, run: 'test -f old.txt' }\n";
    const place = await loopWorkspace({ tasks: [], config, script: HONEST, files: { "old.txt": "" } });
    await place.task("add", "Guarded", "--gate", "own=test -f old.txt");
    await place.task("add", "Both", "--gate", "own=test -f old.txt", "--gate", "other=test -s README.md");
    const run = await place.run();
    expect([run.code, await place.states()]).toEqual([2, { Guarded: "done", Both: "parked" }]);
    expect(run.finished?.waiting).toMatchObject([{ question: expect.stringMatching(/its own gate passes: other$/) }]);
  });
});

describe.concurrent("T-22 a claim without a change", () => {
  const IDLE = "- - say: <task-done>{task}</task-done>\n";
  const parked = async (): Promise<LoopWorkspace & { readonly id: string }> => {
    const place = await loopWorkspace({ tasks: [], config: GREEN, script: IDLE, files: { "PLAN.md": "" } });
    place.write({ "IMPLEMENTATION_PLAN.md": "- [ ] Do it\n" });
    place.git("add", "-A");
    place.git("commit", "-qm", "Plan");
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states()]).toEqual([2, ["rejected", "parked"], { "Do it": "parked" }]);
    return { ...place, id: run.finished!.waiting[0]!.id };
  };

  test("T-22 is told once, then parked, and task done settles it without a gate", async () => {
    const place = await parked();
    place.write({ ".ralph/config.yaml": place.read(".ralph/config.yaml").replace("'true'", "'false'") });
    expect((await place.task("done", place.id)).code).toBe(0);
    expect([await place.states(), place.read("IMPLEMENTATION_PLAN.md")]).toEqual([
      { "Do it": "done" },
      "- [x] Do it\n",
    ]);
  });

  test("T-22 can be dropped, or marked in the plan, without an answer first", async () => {
    const dropped = await parked();
    expect((await dropped.task("drop", dropped.id)).code).toBe(0);
    expect(await dropped.states()).toEqual({ "Do it": "dropped" });
    const marked = await parked();
    marked.write({ "IMPLEMENTATION_PLAN.md": "- [x] Do it\n" });
    expect([(await marked.run()).code, await marked.states()]).toEqual([0, { "Do it": "done" }]);
  });
});

test.concurrent("T-22 on the last attempt, a claim without a change is a question at once, and no failure", async () => {
  const place = await loopWorkspace({ config: GREEN, script: "- - say: <task-done>{task}</task-done>\n" });
  const run = await place.run("--max-attempts", "1");
  expect([run.code, run.outcomes, await place.states()]).toEqual([2, ["parked"], { "Do it": "parked" }]);
});

test.concurrent("T-22 an agent that asks the same words gets no yes for its claim", async () => {
  const script =
    "- - run: ralphctl task park $RALPHCTL_TASK 'Already done? The gates pass, but the agent changed nothing.'\n";
  const place = await loopWorkspace({ config: GREEN, script });
  await place.run();
  const [id = ""] = place.ids;
  const question = "Already done? The gates pass, but the agent changed nothing.";
  const task = JSON.parse((await place.task("show", id, "--json")).stdout) as { question: string };
  expect(task.question).toBe(question);
  await place.task("answer", id, "yes");
  expect(await place.states()).toEqual({ "Do it": "pending" });
});
