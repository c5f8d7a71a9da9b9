import { expect, test } from "vitest";
import { type AttemptRecord, readAttemptRecord } from "./attempt-record.ts";

const whole: AttemptRecord = {
  v: 1,
  report: "red",
  harnessFailure: "killed",
  notes: ["one", "two"],
  noChange: true,
  folder: ".ralph/runs/r-1/1",
  harness: "claude",
  model: "opus",
};

test("P-41 what was recorded is read back, whole", () => {
  expect(readAttemptRecord(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  expect(readAttemptRecord({ v: 1, folder: "f", harness: "h" })).toEqual({ v: 1, folder: "f", harness: "h" });
});

test.each([undefined, null, 1, "text", [], {}, { v: 2, report: "later" }, { unreadable: "cycle" }])(
  "W-02 %j is no record",
  (details) => {
    expect(readAttemptRecord(details)).toBe(undefined);
  },
);

test("W-02 a part that is not what it should be is left out, the others stay", () => {
  const notes = ["one", 2, null];
  const bad = { v: 1, report: 1, harnessFailure: {}, notes, noChange: 1, folder: [], harness: null, model: false };
  expect(readAttemptRecord(bad)).toEqual({ v: 1, notes: ["one"], folder: "", harness: "" });
});
