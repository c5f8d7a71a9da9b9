import { readCheckboxes, writeCheckboxes } from "./checkboxes.ts";
import type { PlanFormat } from "./plan.ts";

/** `IMPLEMENTATION_PLAN.md`, and any other Markdown file with check boxes that is not a change's `tasks.md`. */
export const implementationPlan: PlanFormat = {
  name: "IMPLEMENTATION_PLAN.md",
  matches: (fileName) => /\.(?:md|markdown)$/i.test(fileName) && !/(?:^|[\\/])tasks\.md$/i.test(fileName),
  read: (text) => readCheckboxes(text, RULES),
  write: (text, marks) => writeCheckboxes(text, marks, RULES),
};

const RULES = { isNumbered: false, hasWaves: false };
