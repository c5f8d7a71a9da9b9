import { beforeAll, expect, test } from "vitest";
import { copyOf, killTemplate, POINTS, runAgain, runAndDie, STEPS, type Template } from "../killed-run.ts";

let template: Template;

beforeAll(async () => {
  template = await killTemplate("small");
});

const { VERDICT, COMMITTED, SETTLED } = POINTS;

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

// Where a run is at that moment is another place on each machine: that is what they are for.
test.concurrent.each(Array.from({ length: 4 }, () => Math.round(250 + Math.random() * 1500)))(
  "P-41 killed after %i ms, a run is taken up by the next",
  async (afterMs) => {
    const folder = copyOf(template);
    await runAndDie(folder, { afterMs, whole: afterMs % 2 === 0 });
    expect(await runAgain(template, folder)).toEqual(template.whole);
  },
);
