import { expect, test } from "vitest";
import type { FileChange } from "../domain/change.ts";
import { areSameTests } from "./moved-files.ts";

test("T-11 a test that is no longer executable is another test", async () => {
  const look = { text: async () => "exit 1\n" };
  const about = { lane: { deps: { rules: { testFiles: ["tests/**"] } } }, base: look, candidate: look } as never;
  const path = "tests/a.sh";
  const tests = { changes: [{ path, gates: ["test"], why: "", kind: "test" as const }], renames: new Map() };
  const same = async (mode: "100644" | "100755"): Promise<boolean> => {
    const change: FileChange = {
      path,
      kind: "mode",
      before: { mode: "100755", hash: "a" },
      after: { mode, hash: "a" },
    };
    return await areSameTests(about, tests, new Map([[path, change]]));
  };
  expect([await same("100755"), await same("100644")]).toEqual([true, false]);
});
