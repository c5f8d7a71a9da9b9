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

test.concurrent("P-31 X-78 work that --no-commit left is in the way of a run that commits", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    script: `
- - append: { path: README.md, text: "{task}\\n" }
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const first = await place.run("--no-commit", "--max-iterations", "1");
  const second = await place.run();
  expect([first.code, second.code, second.stderr]).toEqual([
    4,
    78,
    `error: There are uncommitted changes: README.md
hint: Commit or stash them, or use --allow-dirty, which never commits these files
`,
  ]);
  expect((await place.run("--no-commit")).code).toBe(0);
});

test.concurrent("P-31 --allow-dirty keeps a copy of what is not committed: an agent may undo it", async () => {
  const place = await loopWorkspace({
    script: `
- - run: git checkout README.md
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  place.write({ "README.md": "# Mine\n" });
  const run = await place.run("--allow-dirty");
  const kept = eventsOf(run, "work.kept").map(({ ref }) => ref);
  expect([run.code, kept, place.read("README.md")]).toEqual([0, [`refs/ralph/${run.name}/yours`], "# Test\n"]);
  expect(place.git("show", `${kept[0]}:README.md`)).toBe("# Mine");
});
