import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { Hook } from "../domain/hook.ts";
import { runParkedHooks } from "./hooks.ts";
import { laneIn, startScope } from "./open-lane.ts";

test("S003-03 a hook about a parked task has the scope of that task, whichever lane runs it", async () => {
  const file = join(temporaryFolder(), "scopes");
  const hook: Hook = {
    id: "tell",
    on: ["needs-human"],
    parallel: false,
    timeoutMs: 60_000,
    work: { kind: "command", run: `echo $RALPHCTL_SCOPE >> ${file}` },
  };
  const hooks = { hooks: [hook], redact: (text: string) => text, tell: async () => undefined };
  const { lane } = await startTestRun(await newRepository({ "a.txt": "a\n" }), { hooks });
  const { plans, prompt, rules } = lane.run.deps;
  const deps = { scope: "change/b", plans, prompt, rules } as const;
  const there = laneIn(lane, startScope(lane.run, { deps, only: undefined, size: 1, notices: [] }));
  const tasks = [await addTask(lane, { title: "Here" }), await addTask(there, { title: "There" })];
  for (const { id, title } of tasks)
    lane.deps.emit({ type: "tasks.changed", change: "parked", tasks: [{ id, title }] });
  await lane.seat.sit(async () => await runParkedHooks(lane));
  expect(readFileSync(file, "utf8")).toBe("workspace\nchange/b\n");
});
