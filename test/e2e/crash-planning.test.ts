import { beforeAll, expect, test } from "vitest";
import { copyOf, planningTemplate, type Template } from "../kill-template.ts";
import { runAgain, runAndDie } from "../killed-run.ts";
import { git } from "../temporary-folder.ts";

let template: Template;

beforeAll(async () => {
  template = await planningTemplate();
});

test.concurrent.each([
  ["while the planner works", "started node then file write "],
  ["when it has ended", "ended node"],
  ["before its tasks are in the database", "ended node then INSERT INTO task then sql COMMIT"],
  ["before what is no plan was put aside", "ended node then start git update-ref"],
  ["before that was taken out of the tree", "ended node then start git checkout-index"],
  ["before the plan is committed", "ended node then ended git checkout-index then start git update-ref"],
  ["when the plan is committed", "ended node then ended git checkout-index then ended git update-ref"],
])("P-04 P-41 killed %s, a run plans again, and nothing of the planner's is taken for work", async (_, from) => {
  const folder = copyOf(template);
  expect(await runAndDie(folder, { from, at: 1, whole: true })).toBe("SIGKILL");
  expect(await runAgain(template, folder)).toEqual(template.whole);
});

test.concurrent("P-04 P-41 to build after planning was killed, what is no plan is put aside first", async () => {
  const folder = copyOf(template);
  await runAndDie(folder, { from: "ended node then INSERT INTO task then file write ", at: 1 });
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
