import { expect, test } from "vitest";
import { ACTING_FILES } from "../domain/acting-files.ts";
import { matchesAny } from "../domain/glob.ts";
import { repositoryFiles } from "./repository-files.ts";
import * as harnesses from "./index.ts";

/** An application has such files, too, and changes them; an agent's scheduler writes its own. */
const THEIRS = /\.env$|package\.json$|scheduled_tasks\.json$/;

test("B-01 T-11 what a person is asked about before an agent obeys it, no session changes without a person's word", () => {
  const paths = Object.values(harnesses).flatMap((harness) => repositoryFiles(harness).map(({ path }) => path));
  const files = [...new Set(paths)].map((path) => path.replace(/\*\*$/, "a/b"));
  expect(files.length).toBeGreaterThan(25);
  expect(files.filter((path) => !THEIRS.test(path) && !matchesAny(ACTING_FILES, path))).toEqual([]);
});
