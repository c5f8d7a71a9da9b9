import type { TortureCase } from "./case.ts";
import { killCases } from "./kill-cases.ts";
import { machineCases } from "./machine-cases.ts";
import { outputCases } from "./output-cases.ts";
import { processCases } from "./process-cases.ts";

/** Every case, in the order of the table, by what it is about. */
export const GROUPS: Readonly<Record<string, readonly TortureCase[]>> = {
  "Agents that do not end as they should": processCases,
  "Output, and writing where we do": outputCases,
  "Machines on which things go wrong": machineCases,
  "Signals to ralphctl itself": killCases,
};

export const CASES: readonly TortureCase[] = Object.values(GROUPS).flat();
