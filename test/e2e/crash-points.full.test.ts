import { beforeAll, expect, test } from "vitest";
import { type CrashStep, ITERATION_STEPS } from "../crash-steps.ts";
import { copyOf, failingTemplate, killTemplate, type Template } from "../kill-template.ts";
import { runAgain, runAndDie } from "../killed-run.ts";
import { byLane } from "../lane.ts";

let template: Template;
let failing: Template;

beforeAll(async () => {
  failing = await failingTemplate();
  template = await killTemplate("alpha", "beta");
});

test.concurrent.each(
  byLane<readonly CrashStep[]>(["claim: task claimed", "verify: gate started", "commit: ref moves"], ITERATION_STEPS),
)(
  "P-41 L-22 L-23 W-03 killed in the step %s, a run is taken up by the next and nothing is lost or done twice",
  async (step) => {
    const folder = copyOf(template);
    expect(await runAndDie(folder, { step })).toBe("SIGKILL");
    expect(await runAgain(template, folder)).toEqual(template.whole);
  },
);

test.concurrent.each(
  byLane<readonly CrashStep[]>(
    ["commit: ref moved", "settle: claim to be closed", "follow: branch moves"],
    [
      "verify: plan file to be marked",
      "settle: verdict to be recorded",
      "commit: commit to be written",
      "commit: ref to be moved",
      "commit: ref moved",
      "settle: claim to be closed",
      "begin: session to be remembered",
      "follow: session to be forgotten",
      "follow: branch to be moved",
      "follow: branch moves",
      "follow: branch moved",
      "follow: branch to be remembered",
      "after: result to be written",
    ],
  ),
)("P-41 L-23 killed at %s, with its git, a run is taken up by the next", async (step) => {
  const folder = copyOf(template);
  expect(await runAndDie(folder, { step, whole: true })).toBe("SIGKILL");
  expect(await runAgain(template, folder)).toEqual(template.whole);
});

test.concurrent.each(
  byLane<readonly CrashStep[]>(
    ["fail: work to be shelved"],
    [
      "fail: work to be kept",
      "fail: work kept",
      "fail: claim to be closed",
      "fail: work to be shelved",
      "fail: work shelved",
    ],
  ),
)(
  "P-33 P-41 L-41 killed when a task has failed for good, at %s, its work is under a ref after the next run",
  async (step) => {
    const folder = copyOf(failing);
    expect(await runAndDie(folder, { step, whole: true })).toBe("SIGKILL");
    expect(await runAgain(failing, folder)).toEqual(failing.whole);
  },
);

// Where a run is at that moment is another place on each machine: that is what they are for.
test.concurrent.each(
  byLane<number[]>(
    [],
    Array.from({ length: 4 }, () => Math.round(250 + Math.random() * 1500)),
  ),
)("P-41 killed after %i ms, a run is taken up by the next", async (most) => {
  for (let afterMs = most; ; afterMs /= 2) {
    const folder = copyOf(template);
    const ended = await runAndDie(folder, { afterMs, whole: most % 2 === 0 });
    expect(await runAgain(template, folder)).toEqual(template.whole);
    // A run that was through before its time came proves nothing: once more, and earlier.
    if (ended === "SIGKILL") break;
  }
});
