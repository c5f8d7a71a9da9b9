import { expect, test } from "vitest";
import { isInternalPath } from "./internal-paths.ts";

test.each([
  ".ralph/ralph.db",
  ".ralph/ralph.db-wal",
  "sub/.ralph/runs/r-1/events.ndjson",
  ".ralph/context/a.md",
  ".ralph/lock",
])("W-03 %s is ralphctl's own", (path) => expect(isInternalPath(path)).toBe(true));

test.each([
  ".ralph/config.yaml",
  ".ralph/specs/runs/a.md",
  "ralph.db",
  "x.ralph/ralph.db",
  ".ralph/runs",
  "runs/.ralph",
])("W-03 %s is not", (path) => expect(isInternalPath(path)).toBe(false));
