import { expect, test } from "vitest";
import { isNewer } from "./newer-version.ts";

test.each([
  ["1.2.4", "1.2.3", true],
  ["1.10.0", "1.9.9", true],
  ["1.2.3", "1.2.3", false],
  ["1.2.3", "2.0.0", false],
  ["1.0.0", "1.0.0-rc.1", true],
  ["1.0.0-rc.1", "1.0.0", false],
  ["1.0.0-rc.2", "1.0.0-rc.1", true],
  ["1.0.0+build", "1.0.0", false],
])("E-08 whether %s is newer than %s: %s", (one, other, answer) => {
  expect(isNewer(one, other)).toBe(answer);
});
