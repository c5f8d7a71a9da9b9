import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/build-once.ts"],
    // Spawning the built program on a busy machine is slow; a hung test must still end.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
