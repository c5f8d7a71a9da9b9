import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { secondTries } from "./test/second-tries.ts";
import { tortureTable } from "./test/torture/table.ts";

// RALPH_SLOW=1 runs the large ones (`*.slow.test.ts`) and nothing else.
const isSlow = process.env["RALPH_SLOW"] !== undefined;
// Set by `npm run torture` to the names of cases: one file plays them all, fast and slow, and a table is made of them.
const named = process.env["RALPH_TORTURE"];
const isTorture = named !== undefined;
const include = isTorture
  ? [named === "" ? "test/torture/*.test.ts" : "test/torture/torture.test.ts"]
  : isSlow
    ? ["{src,test}/**/*.slow.test.ts"]
    : ["src/**/*.test.ts", "test/**/*.test.ts"];

export default defineConfig({
  test: {
    include,
    exclude: isTorture ? ["**/torture.slow.test.ts"] : isSlow ? [] : ["**/*.slow.test.ts"],
    globalSetup: ["test/build-once.ts"],
    // Most of the time goes by in programs that tests started: one file more than there are processors keeps them busy.
    maxWorkers: Math.max(3, availableParallelism()),
    // Spawning the built program on a busy machine is slow; a hung test must still end.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // CI gives a test that fell over a busy machine a second try; each that needed it is named at the end.
    reporters: isTorture ? [tortureTable()] : ["default", secondTries()],
    retry: Number(process.env["TEST_RETRIES"] ?? 0),
  },
});
