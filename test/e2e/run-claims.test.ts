import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";

test("P-01 X-0 honest work is verified, committed and done", async () => {
  const place = await loopWorkspace({
    script: `
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes, await place.states(), place.commits()]).toEqual([
    0,
    ["verified"],
    { "Do it": "done" },
    ["Do it"],
  ]);
});

test("an agent that changes nothing and says done is never believed", async () => {
  const place = await loopWorkspace({ script: "- - say: <task-done>{task}</task-done>\n" });
  const run = await place.run();
  expect([run.code, run.outcomes, await place.states(), place.commits()]).toEqual([
    1,
    ["rejected", "rejected", "rejected"],
    { "Do it": "failed" },
    [],
  ]);
});
