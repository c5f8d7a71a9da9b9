import { readCheckboxes, writeCheckboxes } from "./checkboxes.ts";
import type { PlanFormat } from "./plan.ts";

/** A change's `tasks.md`: numbered check boxes in sections (OpenSpec), or waves of tasks with fields (ito, spool). */
export const changeTasks: PlanFormat = {
  name: "tasks.md",
  matches: (fileName) => /(?:^|[\\/])tasks\.md$/i.test(fileName),
  read: (text) => readCheckboxes(text, RULES),
  write: (text, marks) => writeCheckboxes(text, marks, RULES),
};

const RULES = { isNumbered: true, hasWaves: true };
