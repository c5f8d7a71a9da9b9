import { expect, test } from "vitest";
import { filesLook } from "../../test/files-look.ts";
import { newRepository } from "../../test/git-place.ts";
import type { RunDeps } from "./run-deps.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { treeLook } from "../gate/gate.ts";
import { changedHelpers } from "./changed-helpers.ts";

const STATE = { mode: "100644", hash: "" };
/** More than is read of one file. */
const LONG = `${"1\n".repeat(2_200_000)}2\n`;

test.each<[string, string, string]>([
  ["is too long to be read", LONG, `${LONG}3\n`],
  ["is no text", "\0\n", "\0\n3\n"],
])("T-11 of data that %s, nobody can tell that it only got more lines", async (_, before, after) => {
  const files = { "data/rows.csv": before, "test/a.test.js": "read('../data/rows.csv');\n" };
  expect(await helpersOf(files, { "data/rows.csv": after })).toEqual([["data/rows.csv", "data"]]);
});

const USED = { "test/a.test.js": "import { same } from '../lib/same.js';\n" };
const CHECKS = "export const same = (a, b) => {\n  if (a !== b) throw new Error('no');\n};\n";

test("T-11 code that only tests use may be what judges for them if it fails in fewer cases than before", async () => {
  const files = { ...USED, "lib/same.js": CHECKS };
  expect(await helpersOf(files, { "lib/same.js": "export const same = () => {};\n" })).toEqual([
    ["lib/same.js", "data"],
  ]);
  expect(await helpersOf(files, { "lib/same.js": CHECKS.replace("'no'", "'not the same'") })).toEqual([]);
  const used = { ...files, "src/a.js": "import { same } from '../lib/same.js';\n" };
  expect(await helpersOf(used, { "lib/same.js": "export const same = () => {};\n" })).toEqual([]);
});

type Files = Readonly<Record<string, string>>;

async function helpersOf(files: Files, work: Files): Promise<readonly (readonly string[])[]> {
  const home = await newRepository(files);
  const base = treeLook(home, "HEAD");
  const found = await changedHelpers(
    { home, rules: { testFiles: DEFAULT_TEST_FILES } as unknown as RunDeps["rules"] },
    {
      changes: Object.keys(work).map((path) => ({ path, kind: "modified", before: STATE, after: STATE })),
      head: "HEAD",
      base,
      candidate: filesLook(work),
      gates: [{ id: "test" }],
    },
  );
  base.close();
  return found.map(({ path, kind }) => [path, kind]);
}
