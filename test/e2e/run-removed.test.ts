import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { eventsOf, notesOf, seen } from "../run-seen.ts";

const PLAN = "- [ ] One\n- [ ] Two\n- [ ] Three\n";

test.concurrent("P-51 X-2 an entry that a building session removes is not dropped: a person is asked", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": PLAN },
    script: `
- - write: { path: done.txt, text: "yes\\n" }
  - run: sed -i /Two/d IMPLEMENTATION_PLAN.md
  - say: <task-done>{task}</task-done>
- - write: { path: three.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 2,
    outcomes: ["verified", "verified"],
    states: { One: "done", Two: "parked", Three: "done" },
    commits: ["One", "Three"],
  });
  expect(eventsOf(run, "tasks.changed").map(({ change, tasks }) => [change, tasks.map(({ title }) => title)])).toEqual([
    ["added", ["One", "Two", "Three"]],
    ["parked", ["Two"]],
  ]);
  expect(run.finished?.waiting.map(({ question }) => question)).toEqual([
    "A session removed it from IMPLEMENTATION_PLAN.md. If it is still needed, restore the entry before you answer; if not, answer and then drop the task",
  ]);
  expect(notesOf(run).join()).toContain('"Two" from the plan: ralphctl asks a person');
});

test.concurrent("P-51 what a person removes before a run is dropped", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": PLAN },
    script: `
- - append: { path: done.txt, text: "{task}\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  await place.run("--max-iterations", "1");
  place.write({ "IMPLEMENTATION_PLAN.md": place.read("IMPLEMENTATION_PLAN.md").replace("- [ ] Two\n", "") });
  expect(await seen(place, await place.run())).toMatchObject({
    code: 0,
    states: { One: "done", Two: "dropped", Three: "done" },
  });
});

test.concurrent("P-31 L-01 with --no-commit work lands and the branch stays; a run without it takes both along", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    script: `
- - append: { path: README.md, text: "{task}\\n" }
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const first = await place.run("--no-commit", "--max-iterations", "1");
  expect([first.code, place.commits(), place.git("status", "--porcelain")]).toEqual([4, [], ""]);
  expect(place.git("log", "-1", "--format=%s", "refs/ralph/target/main")).toBe("One");
  const second = await place.run();
  expect([second.code, place.commits(), place.git("status", "--porcelain")]).toEqual([0, ["One", "Two"], ""]);
});
