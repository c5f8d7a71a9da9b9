import { expect, test } from "vitest";
import type { TortureCase } from "./case.ts";
import { IN_SANDBOX } from "./trial.ts";

/** What the table shows of a case that was played. */
export interface CaseRow {
  readonly name: string;
  readonly required: string;
  readonly codes?: readonly number[];
  readonly processes?: number;
}

declare module "vitest" {
  interface TaskMeta {
    torture?: CaseRow;
  }
}

const LONGEST_MS = { fast: 240_000, slow: 3_600_000 };

/** In these the agent or a gate fills the person's disk, or deletes their branch. */
const FROM_INSIDE = /^(?:person-branch-deleted|disk-full-of-files)/;

/** One test for each case: slow ones one after the other, for they need the whole machine. */
export function playAll(cases: readonly TortureCase[]): void {
  for (const one of cases) {
    const { name, proves, required, slow } = one;
    const options = { concurrent: slow === undefined, timeout: LONGEST_MS[slow === undefined ? "fast" : "slow"] };
    test(`${proves} ${name}: ${one.about} ${required}`, options, async ({ task, skip }) => {
      task.meta.torture = { name, required };
      const missing = one.needs?.missing();
      if (missing !== undefined) skip(missing);
      if (IN_SANDBOX && FROM_INSIDE.test(name)) skip("the sandbox keeps its agent from doing that");
      const seen = await one.play();
      task.meta.torture = { name, required, codes: seen.codes, processes: seen.processes.length };
      expect(seen).toEqual(one.expected);
    });
  }
}
