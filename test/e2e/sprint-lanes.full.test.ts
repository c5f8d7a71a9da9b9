import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const steps = ["Write it", "Paint it", "Show it"].map(
  (prompt, at) => `  - { id: step-${at}, prompt: ${prompt}, status: pending, added-at: "2026-01-18T10:00:00Z" }\n`,
);

test("S003-03 L-01 steps of a sprint that do not need each other run at once, with hooks around each, and then its goal", async () => {
  const [folder, marks] = [temporaryFolder(), temporaryFolder()];
  const hook = (on: string): string =>
    `  - { id: ${on}, on: ${on}, run: "echo ${on} $RALPHCTL_TASK >> ${marks}/log" }\n`;
  const place = await loopWorkspace({
    tasks: [],
    config: `gates:\n  - { id: test, run: test ! -f broken.txt }\nhooks:\n${hook("iteration-start")}${hook("iteration-end")}`,
    files: {
      "sprints/s/SPRINT.yaml": "workflow: ralph\ngoal: A greeting is there\n",
      "sprints/s/PROGRESS.yaml": `sprint-id: s\ngoal: A greeting is there\ndynamic-steps:\n${steps.join("")}`,
    },
    script: `
- when: { prompt: "Execute this step" }
  steps:
    - run: touch ${folder}/$RALPHCTL_TASK; until [ $(ls ${folder} | wc -l) -ge 3 ]; do sleep 0.02; done
    - run: echo x > $RALPHCTL_TASK.txt
    - say: Done. <task-done>{task}</task-done>
- when: { prompt: "Analyse the goal" }
  steps:
    - say: "RALPH_COMPLETE: It greets"
`,
  });
  const run = await place.run("--sprint", "sprints/s", "--lanes", "3");
  expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified", "verified", "verified"]]);
  const started = eventsOf(run, "iteration.started");
  expect(
    started
      .slice(0, 3)
      .map(({ lane }) => lane)
      .toSorted(),
  ).toEqual([1, 2, 3]);
  expect(Object.values(await place.states())).toEqual(["done", "done", "done", "done"]);
  expect(place.read("sprints/s/PROGRESS.yaml").match(/completed/g)?.length).toBeGreaterThanOrEqual(3);
  // Each hook ran once for each iteration, the first before the second.
  const log = readFileSync(join(marks, "log"), "utf8").trim().split("\n");
  for (const { task } of started) {
    expect(log.filter((line) => line.endsWith(task!.id))).toEqual([
      `iteration-start ${task!.id}`,
      `iteration-end ${task!.id}`,
    ]);
  }
  expect(place.git("status", "--porcelain")).toBe("");
});
