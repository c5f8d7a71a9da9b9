import { beforeAll, expect, test } from "vitest";
import { copyOf, failingTemplate, killTemplate, type Template } from "../kill-template.ts";
import { POINTS, runAgain, runAndDie, STEPS } from "../killed-run.ts";

let template: Template;
let failing: Template;

beforeAll(async () => {
  failing = await failingTemplate();
  template = await killTemplate("alpha", "beta");
});

const { VERDICT, COMMITTED, SETTLED } = POINTS;
const REJECTED = "ended node then UPDATE attempt SET ended_at";

test.concurrent.each(STEPS)(
  "P-41 W-03 killed in the step %s, a run is taken up by the next and nothing is lost or done twice",
  async (_, from) => {
    const folder = copyOf(template);
    expect(await runAndDie(folder, { from, at: 1 })).toBe("SIGKILL");
    expect(await runAgain(template, folder)).toEqual(template.whole);
  },
);

test.concurrent.each([
  ["before the plan file has its mark", "ended node then rename .ralphctl-"],
  ["before the verdict is in the database", `${VERDICT} then sql COMMIT`],
  ["before the commit is written", `${VERDICT} then start git commit-tree`],
  ["before the branch has the commit", `${VERDICT} then start git update-ref`],
  ["when the branch has the commit", COMMITTED],
  ["before the claim is closed", SETTLED],
  ["before the user's index knows", `${COMMITTED} then start git update-index`],
  ["while the user's index is written", `${COMMITTED} then ended git update-index`],
  ["before the record of the tree is there", `${SETTLED} then rename .ralphctl-`],
  ["before the result is written", `${SETTLED} then mkdir 1 then writeFile`],
])("P-41 killed %s, with its git, a run is taken up by the next", async (_, from) => {
  const folder = copyOf(template);
  expect(await runAndDie(folder, { from, at: 1, whole: true })).toBe("SIGKILL");
  expect(await runAgain(template, folder)).toEqual(template.whole);
});

test.concurrent.each([
  ["before its work is kept", `${REJECTED} then start git update-ref`],
  ["before its files are taken back", `${REJECTED} then start git checkout-index`],
  ["before its commits are", `${REJECTED} then ended git checkout-index then start git update-ref`],
  ["when all of it is, but nobody knows", `${REJECTED} then ended git checkout-index then ended git update-index`],
])("P-33 P-41 killed when a task has failed for good, %s, the next run puts it aside", async (_, from) => {
  const folder = copyOf(failing);
  expect(await runAndDie(folder, { from, at: 1, whole: true })).toBe("SIGKILL");
  expect(await runAgain(failing, folder)).toEqual(failing.whole);
});

// Where a run is at that moment is another place on each machine: that is what they are for.
test.concurrent.each(Array.from({ length: 4 }, () => Math.round(250 + Math.random() * 1500)))(
  "P-41 killed after %i ms, a run is taken up by the next",
  async (afterMs) => {
    const folder = copyOf(template);
    await runAndDie(folder, { afterMs, whole: afterMs % 2 === 0 });
    expect(await runAgain(template, folder)).toEqual(template.whole);
  },
);
