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
    ["plan: stray work to be kept", "plan: ref to be moved"],
    [
      "run: the session's first event",
      "interpret: session ended",
      "plan: tasks to be added",
      "plan: stray work to be kept",
      "plan: ref to be moved",
      "plan: ref moved",
      "plan: branch to be moved",
      "plan: branch moved",
    ],
  ),
)("P-04 P-41 killed at %s, a run plans again, and nothing of the planner's is taken for work", async (step) => {
  const folder = copyOf(template);
  expect(await runAndDie(folder, { step, whole: true })).toBe("SIGKILL");
  expect(await runAgain(template, folder)).toEqual(template.whole);
});

test.concurrent("P-04 P-41 L-41 to build after planning was killed, the plan is built and the rest is under a ref", async () => {
  const folder = copyOf(template);
  await runAndDie(folder, { step: "plan: tasks added" });
  expect(git(folder, "status", "--porcelain", "-uall")).toBe("?? IMPLEMENTATION_PLAN.md");
  const seen = await runAgain(template, folder, "build");
  expect(seen).toEqual({ ...template.whole, commits: ["Write alpha"], files: withoutSpec(template.whole.files) });
  const kept = git(folder, "for-each-ref", "--format=%(refname)")
    .split("\n")
    .find((ref) => ref.endsWith("/plan"))!;
  expect(git(folder, "show", `${kept}:stray.txt`)).toBe("stray");
  expect(git(folder, "show", `${kept}:${SPEC}`)).toBe("# Beta");
});

const SPEC = ".ralph/specs/beta.md";

const withoutSpec = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path !== SPEC));
