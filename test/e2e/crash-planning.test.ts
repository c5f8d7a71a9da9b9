import { beforeAll, expect, test } from "vitest";
import type { CrashStep } from "../crash-steps.ts";
import { copyOf, planningTemplate, type Template } from "../kill-template.ts";
import { runAgain, runAndDie } from "../killed-run.ts";
import { byLane } from "../lane.ts";
import { git } from "../temporary-folder.ts";

let template: Template;

beforeAll(async () => {
  template = await planningTemplate();
});

test.concurrent.each(
  byLane<readonly CrashStep[]>(
    ["plan: stray work to be put back", "plan: ref to be moved"],
    [
      "run: the session's first event",
      "interpret: session ended",
      "plan: tasks to be added",
      "plan: stray work to be kept",
      "plan: stray work to be put back",
      "plan: ref to be moved",
      "plan: ref moved",
    ],
  ),
)("P-04 P-41 killed at %s, a run plans again, and nothing of the planner's is taken for work", async (step) => {
  const folder = copyOf(template);
  expect(await runAndDie(folder, { step, whole: true })).toBe("SIGKILL");
  expect(await runAgain(template, folder)).toEqual(template.whole);
});

test.concurrent("P-04 P-41 to build after planning was killed, what is no plan is put aside first", async () => {
  const folder = copyOf(template);
  await runAndDie(folder, { step: "plan: tasks added" });
  expect(git(folder, "status", "--porcelain", "-uall")).toContain("stray.txt");
  const { code, differences, refs, states } = await runAgain(template, folder, "build");
  expect({ code, differences, refs, states }).toEqual({
    code: 0,
    // The specs are what planning is for; without a commit of the plan they wait for a person's.
    differences: "?? .ralph/specs/beta.md",
    refs: template.whole.refs,
    states: template.whole.states,
  });
});
