import { expect, test } from "vitest";
import { playDraws } from "./claims/drawn-run.ts";

// RALPH_SLOW=1 npx vitest run test/torture/drawn-claims.slow.test.ts
// RALPH_SEED and RALPH_DRAWS choose the draws: RALPH_SEED=1234 RALPH_DRAWS=1 plays one again.

const FIRST = Number(process.env["RALPH_SEED"] ?? 1);
const DRAWS = Number(process.env["RALPH_DRAWS"] ?? 2000);
const IN_ONE_RUN = 50;

const batches = Array.from({ length: Math.ceil(DRAWS / IN_ONE_RUN) }, (_, at) => FIRST + at * IN_ONE_RUN);

test.each(batches)(
  "T-10 T-11 T-20 drawn cheats and honest edits from seed %i end as they must",
  async (first) => {
    const count = Math.min(IN_ONE_RUN, FIRST + DRAWS - first);
    expect(await playDraws(Array.from({ length: count }, (_, at) => first + at))).toEqual([]);
  },
  1_800_000,
);
