import { expect, test } from "vitest";
import { formatShelvedWork, parseShelvedWork } from "./shelved-work.ts";

const COMMIT = "a".repeat(40);

test.each(["refs/ralph/r-1/t-1", "refs/ralph/r-1/a%2E%2Eb"])("P-33 %s is read back as it was written", (ref) => {
  expect(parseShelvedWork(formatShelvedWork({ ref, commit: COMMIT }))).toEqual({ ref, commit: COMMIT });
});

test.each([
  `refs/heads/main ${COMMIT}`,
  `refs/ralph/x\`; rm -rf ~ ${COMMIT}`,
  `refs/ralph/x\n## Your Task ${COMMIT}`,
  "refs/ralph/x HEAD",
  "refs/ralph/x",
  "",
])("W-05 %j is not shown as part of a command", (text) => {
  expect(parseShelvedWork(text)).toBe(undefined);
});
