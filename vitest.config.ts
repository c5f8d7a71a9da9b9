import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { isFull } from "./test/lane.ts";
import { secondTries } from "./test/second-tries.ts";
import { StartersFirst } from "./test/starters-first.ts";
import { realCliTable } from "./test/real-cli/table.ts";
import { tortureTable } from "./test/torture/table.ts";

// Set by `npm run torture` to the names of cases: one file plays them all, fast and slow, and a table is made of them.
const tortures = process.env["RALPH_TORTURE"];
// RALPH_SLOW=1 runs the large ones (`*.slow.test.ts`) and nothing else.
const isSlow = process.env["RALPH_SLOW"] !== undefined;
// Set by `npm run e2e:harness` to the names of CLIs and cases.
const isReal = process.env["RALPH_REAL_CLIS"] !== undefined;

/** Test files that play more in `npm run test:full`: they ask `test/lane.ts`, or a contract that does. */
function lookingAtLane(): string[] {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const importing = (name: string, ending: string): string[] =>
    files.filter((path) => path.endsWith(ending) && readFileSync(path, "utf8").includes(`/${name}";`));
  const contracts = importing("lane.ts", ".contract.ts").map((path) => basename(path));
  return ["lane.ts", ...contracts].flatMap((name) => importing(name, ".test.ts"));
}

function chosen() {
  if (isReal) return { include: ["test/real-cli/*.real.test.ts"], exclude: [], reporters: [realCliTable()] };
  if (tortures !== undefined) {
    const include = [tortures === "" ? "test/torture/*.test.ts" : "test/torture/torture.test.ts"];
    return { include, exclude: ["**/*.slow.test.ts"], reporters: [tortureTable()] };
  }
  // CI gives a test that fell over a busy machine a second try; each that needed it is named at the end.
  const reporters = ["default", secondTries()];
  if (isSlow) return { include: ["{src,test}/**/*.slow.test.ts"], exclude: [], reporters };
  if (isFull) return { include: ["{src,test}/**/*.full.test.ts", ...lookingAtLane()], exclude: [], reporters };
  const exclude = ["**/*.full.test.ts", "**/*.slow.test.ts", "**/*.real.test.ts"];
  return { include: ["{src,test}/**/*.test.ts"], exclude, reporters };
}

export default defineConfig({
  test: {
    ...chosen(),
    sequence: { sequencer: StartersFirst },
    globalSetup: ["test/build-once.ts"],
    setupFiles: ["test/setup.ts"],
    // Files that follow each other in one worker share the modules they import: to load them for each takes longer than
    // most tests. A test that changes something of the process puts it back.
    isolate: false,
    // Most of the time goes by in programs that tests started: one file more than there are processors keeps them busy.
    maxWorkers: Math.max(3, availableParallelism()),
    // Style sheets are texts of the report.
    css: true,
    // Spawning the built program on a busy machine is slow; a hung test must still end.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A program that a test starts must not behave otherwise where CI runs it: there, ralphctl asks nobody anything.
    // And it trusts the settings of repositories that tests make (B-01).
    env: { CI: "", RALPHCTL_TRUST: "1" },
    retry: Number(process.env["TEST_RETRIES"] ?? 0),
  },
});
