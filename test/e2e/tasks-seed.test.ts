import { expect, test } from "vitest";
import { notes, seen } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { seedFiles } from "../seed-workspace.ts";

const PLAN = "IMPLEMENTATION_PLAN.md";

test("S001-R1 S001-R2 S001-R4 S001-R7 S001-R9 D-05 the seed's own list of tasks: assigned in order, claimed, failed, and not believed too early", async () => {
  const files = seedFiles("001-tasks");
  const place = await loopWorkspace({
    tasks: [],
    files,
    config: "specs: { dirs: [specs/api, specs/infra] }\ngates:\n  - { id: test, run: test ! -f broken.txt }\n",
    script: JSON.stringify([
      {
        when: { title: "*TaskInfo*" },
        steps: [{ say: "There is no such module.\n\n<task-failed>{task}</task-failed>" }],
      },
      {
        when: { iteration: 1 },
        steps: [
          { append: { path: "done.txt", text: "{task}\n" } },
          { say: "<task-done>{task}</task-done>\n\n<promise>COMPLETE</promise>" },
        ],
      },
      [{ append: { path: "done.txt", text: "{task}\n" } }, { say: "<task-done>{task}</task-done>" }],
    ]),
  });
  const run = await place.run("--max-attempts", "1");
  const titles = files[PLAN]!.match(/(?<=^- \[ \] \[R\d\] ).*$/gm)!;
  const [sigils, structs, ...others] = titles;
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["verified", "gave-up", "verified", "verified", "verified"],
    states: {
      "System Prompt Restructure": "failed",
      ...Object.fromEntries(titles.map((title) => [title, title === structs ? "failed" : "done"])),
    },
    commits: [sigils, ...others],
  });
  // The list has marks for what is proven, and is otherwise as it was.
  expect(place.read(PLAN)).toBe(
    files[PLAN]!.replaceAll(/^- \[ \] (\[R\d\] )(.*)$/gm, (line, id: string, title: string) =>
      title === structs ? line : `- [x] ${id}${title}`,
    ),
  );
  expect(notes(run)).toEqual(["You promised that everything is complete, but there are tasks left that are not done."]);
  const system = place.read(`.ralph/runs/${run.name}/1/system.md`);
  const sigil = [
    "<task-done>",
    "<task-failed>",
    "<promise>COMPLETE</promise>",
    "<promise>FAILURE</promise>",
    "<next-model>",
  ];
  expect(
    ["specs/api", "specs/infra", "ONE TASK PER LOOP", ...sigil].filter((words) => !system.includes(words)),
  ).toEqual([]);
  expect(system).not.toMatch(/progress/i);
  expect(run.prompt(1)).toContain(`**Title:** ${sigils}\n`);
  expect(run.prompt(1)).toContain("### Reference Specs\nRead all files in: specs/api, specs/infra");
});
