import { resolve } from "node:path";

/** An environment in which every Node program has a clock that is wrong as soon as this file is there. */
export const clockBy = (file: string, byMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${resolve("test/torture/clock.mjs")}`,
  TORTURE_CLOCK: file,
  TORTURE_CLOCK_BY_MS: String(byMs),
});
