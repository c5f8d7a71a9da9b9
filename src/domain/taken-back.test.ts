import { describe, expect, test } from "vitest";
import { changesOf, type Files } from "../../test/files-look.ts";
import { asksToTakeBack, type LandedWork, takenBack, withWork } from "./taken-back.ts";

/** The tasks whose work the last state of files takes back; the states before it are landed by tasks a, b, … */
function taken(...states: readonly Files[]): string[] {
  const steps = states.slice(1).map((after, at) => changesOf(states[at]!, after));
  const landed = steps.slice(0, -1).reduce<LandedWork[]>((all, changes, at) => withWork(all, "abc"[at]!, changes), []);
  return takenBack(steps.at(-1)!, landed).map(({ task, paths }) => `${task}: ${paths.join(", ")}`);
}

const START = { x: "1", y: "1" };

describe("T-20 work that takes back what another task landed", () => {
  test.each<[string, Files[], string[]]>([
    ["a file as it was before", [START, { x: "2", y: "1" }, { x: "1", y: "1", z: "new" }], ["a: x"]],
    ["two tasks at once", [START, { ...START, x: "2" }, { ...START, x: "3" }, START], ["b: x", "a: x"]],
    ["only the last of two", [START, { ...START, x: "2" }, { ...START, x: "3" }, { ...START, x: "2" }], ["b: x"]],
    ["a file that the task made", [START, { ...START, z: "1" }, { ...START, note: "text" }], ["a: z"]],
  ])("T-20 %s", (_, states, expected) => {
    expect(taken(...states)).toEqual(expected);
  });

  test.each<[string, Files[]]>([
    ["further work on it", [START, { ...START, x: "2" }, { ...START, x: "3" }]],
    ["work that is done again after it was taken back", [START, { ...START, x: "2" }, START, { ...START, x: "2" }]],
    [
      "a move that is done again after it was taken back",
      [{ "n.md": "1" }, { "n.txt": "1" }, { "n.md": "1" }, { "n.txt": "1" }],
    ],
    ["a file that moved", [START, { ...START, "z.js": "1" }, { ...START, "lib/other.js": "1" }]],
    ["a file that became another", [START, { ...START, "z.js": "1" }, { ...START, "z.ts": "2" }]],
    ["one of the files that the task made", [START, { ...START, z: "1", w: "1" }, { ...START, w: "1" }]],
    ["a lock file", [START, { ...START, "a.lock": "1" }, { ...START, "a.lock": "2" }, { ...START, "a.lock": "1" }]],
  ])("T-20 honest: %s", (_, states) => {
    expect(taken(...states)).toEqual([]);
  });

  test("T-20 honest: a file that somebody else changed since", () => {
    const landed = withWork([], "a", changesOf({ x: "1" }, { x: "2" }));
    expect(takenBack(changesOf({ x: "3" }, { x: "1" }), landed)).toEqual([]);
  });

  test("a task may ask for it", () => {
    expect(["Revert the greeting", "Remove the old parser", "Add a greeting"].map(asksToTakeBack)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
