import type { TortureCase } from "./case.ts";
import { killCases } from "./kill-cases.ts";
import { laneCases } from "./lane-cases.ts";
import { machineCases } from "./machine-cases.ts";
import { outputCases } from "./output-cases.ts";
import { processCases } from "./process-cases.ts";

/** Every case, in the order of the table, by what it is about. */
export const GROUPS: Readonly<Record<string, readonly TortureCase[]>> = {
  "Agents that do not end properly": processCases,
  "Hostile output, and attacks on the run folder": outputCases,
  "Failing machines": machineCases,
  "Signals to ralphctl": killCases,
  "Several lanes at once": laneCases,
};

export const CASES: readonly TortureCase[] = Object.values(GROUPS).flat();
