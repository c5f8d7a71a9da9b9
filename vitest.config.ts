import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { secondTries } from "./test/second-tries.ts";

// RALPH_SLOW=1 runs the large ones (`*.slow.test.ts`) and nothing else.
const isSlow = process.env["RALPH_SLOW"] !== undefined;

export default defineConfig({
  test: {
    include: isSlow ? ["{src,test}/**/*.slow.test.ts"] : ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: isSlow ? [] : ["**/*.slow.test.ts"],
    globalSetup: ["test/build-once.ts"],
    // Most of the time goes by in programs that tests started: one file more than there are processors keeps them busy.
    maxWorkers: Math.max(3, availableParallelism()),
    // Spawning the built program on a busy machine is slow; a hung test must still end.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // CI gives a test that fell over a busy machine a second try; each that needed it is named at the end.
    reporters: ["default", secondTries()],
    retry: Number(process.env["TEST_RETRIES"] ?? 0),
  },
});
