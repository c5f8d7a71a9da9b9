import { CASES } from "./cases.ts";

const NAMES = new Set([
  "result-then-deaf",
  "double-fork",
  "segfault-after-result",
  "half-a-line",
  "run-folder-is-a-link",
  "read-only-state",
]);

/** One of each kind, for `npm test`. */
export const TORTURES_OF_FAST_LANE = CASES.filter(({ name }) => NAMES.has(name));
