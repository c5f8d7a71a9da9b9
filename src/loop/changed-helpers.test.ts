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
  const home = await newRepository({ "data/rows.csv": before, "test/a.test.js": "read('../data/rows.csv');\n" });
  const base = treeLook(home, "HEAD");
  const found = await changedHelpers(
    { home, rules: { testFiles: DEFAULT_TEST_FILES } as unknown as RunDeps["rules"] },
    {
      changes: [{ path: "data/rows.csv", kind: "modified", before: STATE, after: STATE }],
      head: "HEAD",
      base,
      candidate: filesLook({ "data/rows.csv": after }),
      gates: [{ id: "test" }],
    },
  );
  base.close();
  expect(found.map(({ path, kind }) => [path, kind])).toEqual([["data/rows.csv", "data"]]);
});
