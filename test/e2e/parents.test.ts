import { describe, expect, test } from "vitest";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { notices, verdicts } from "../hostile-run.ts";

const add = async (place: LoopWorkspace, ...args: readonly string[]): Promise<string> =>
  (await place.task("add", ...args)).stdout.trim();

describe.concurrent("T-13 parents", () => {
  test("T-13 a parent with gates is claimed when its parts are done and its gates are red", async () => {
    const place = await loopWorkspace({
      tasks: [],
      config: "gates:\n  - { id: ok, run: 'true' }\n",
      script: `
- - write: { path: part.txt, text: "part" }
  - say: <task-done>{task}</task-done>
- - write: { path: whole.txt, text: "whole" }
  - say: <task-done>{task}</task-done>
`,
    });
    const parent = await add(place, "Whole", "--gate", "whole=test -f whole.txt");
    await add(place, "Part", "--parent", parent);
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states(), place.commits()]).toEqual([
      0,
      ["verified", "verified"],
      { Whole: "done", Part: "done" },
      ["Part", "Whole"],
    ]);
    expect(verdicts(run)[1]).toEqual(["accepted", "proven: whole failed before the work"]);
  });

  test("T-13 it is done without a session if its gates are green, and not before; --task takes it along", async () => {
    const place = await loopWorkspace({
      tasks: [],
      config: "gates:\n  - { id: ok, run: 'true' }\n",
      script: `
- - write: { path: part.txt, text: "part" }
  - say: <task-done>{task}</task-done>
`,
    });
    const parent = await add(place, "Whole", "--gate", "whole=test -f part.txt");
    await add(place, "Part", "--parent", parent);
    const run = await place.run("--task", parent);
    expect([run.code, run.outcomes, await place.states()]).toEqual([0, ["verified"], { Whole: "done", Part: "done" }]);
    expect(notices(run)).toContain(`${parent} "Whole" is done: its parts are, and its own gates pass`);
    expect(run.finished).toMatchObject({ done: { proven: 1, unbroken: 1 } });
    const shown = JSON.parse((await place.task("show", parent, "--json")).stdout) as Record<string, unknown>;
    expect(shown["standing"]).toBe("proven");
  });

  test("T-13 T-21 a parent whose gates passed before its parts were done is unbroken", async () => {
    const place = await loopWorkspace({
      tasks: [],
      config: "gates:\n  - { id: ok, run: 'true' }\n",
      script: `
- - run: 'date +%N > part.txt'
  - say: <task-done>{task}</task-done>
`,
    });
    const parent = await add(place, "Whole", "--gate", "whole=test -f README.md");
    await add(place, "One", "--parent", parent);
    // One without gates is no work of its own, for a run and for verify --all.
    await add(place, "Two", "--parent", await add(place, "Group", "--parent", parent));
    const run = await place.run();
    expect([run.code, run.finished?.done]).toMatchObject([0, { proven: 0, unbroken: 3 }]);
    expect(JSON.parse((await place.ralphctl("verify", "--all", "--json")).stdout)).toMatchObject({ tasks: 3 });
    expect(run.events.filter((event) => event.type === "check.started" && event.check === "own")).toHaveLength(2);
  });

  const WORK = (path: string): string =>
    `- - write: { path: ${path}, text: "x" }\n  - say: <task-done>{task}</task-done>\n`;

  test("T-13 a part that an agent adds to its own task does not settle the task, though it is done first", async () => {
    const place = await loopWorkspace({
      tasks: ["Hard"],
      config: "gates:\n  - { id: ok, run: 'true' }\n",
      script: `
- - run: 'ralphctl task add "Easy" --parent "$RALPHCTL_TASK" --priority 0'
  - say: Split it.
${WORK("easy.txt")}${WORK("hard.txt")}`,
    });
    const run = await place.run("--max-iterations", "2");
    expect([run.outcomes, await place.states()]).toEqual([["idle", "verified"], { Hard: "pending", Easy: "done" }]);
  });

  test("T-13 nor does one that it writes into the plan beneath its own entry; its claim counts as ever", async () => {
    const place = await loopWorkspace({
      tasks: [],
      files: { "IMPLEMENTATION_PLAN.md": "- [ ] Hard\n" },
      script: `
- - run: 'printf -- "- [ ] Hard\\n  - [ ] Trivial\\n" >IMPLEMENTATION_PLAN.md'
  - write: { path: a.txt, text: "x" }
  - say: Split it.
${WORK("done.txt")}${WORK("trivial.txt")}`,
    });
    const run = await place.run();
    const titles = run.events.flatMap((event) => (event.type === "iteration.started" ? [event.task?.title] : []));
    expect([run.outcomes, titles, await place.states()]).toEqual([
      ["unfinished", "verified", "verified"],
      ["Hard", "Hard", "Trivial"],
      { Hard: "done", Trivial: "done" },
    ]);
    expect(place.git("show", "HEAD:IMPLEMENTATION_PLAN.md")).toBe("- [x] Hard\n  - [x] Trivial");
  });
});
