import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSigils } from "../sigil/read-sigils.ts";
import { type ClaimReading, readClaim } from "./claim.ts";

const read = (message: string, taskId: string | undefined = "t-1"): ClaimReading =>
  readClaim(readSigils(message), { taskId, completionPromise: "COMPLETE" });

const claim = (kind: ClaimReading["claim"], more: Partial<ClaimReading> = {}): ClaimReading => ({
  claim: kind,
  promisesAll: false,
  notes: [],
  ...more,
});

describe("a claim", () => {
  test.each<[string, string, ClaimReading]>([
    ["nothing said", "I worked.", claim("none")],
    ["P-13 done, for the assigned task", "<task-done>t-1</task-done>", claim("done")],
    ["failed, for the assigned task", "<task-failed>t-1</task-failed>", claim("failed")],
    [
      "D-05 done, for another task: changes nothing and is told",
      "<task-done>t-2</task-done>",
      claim("none", {
        others: ["t-2"],
        notes: ["Ignored `<task-done>t-2</task-done>`: it is not the assigned task, t-1."],
      }),
    ],
    [
      "D-06 done and failed: done is the claim",
      "<task-failed>t-1</task-failed>\n<task-done>t-1</task-done>",
      claim("done"),
    ],
    [
      "P-12 a promise alone is the claim for the task",
      "<promise>COMPLETE</promise>",
      claim("done", { promised: true }),
    ],
    [
      "P-12 with a sigil, the sigil is the claim and the promise is checked against the DAG",
      "<task-done>t-1</task-done>\n<promise>COMPLETE</promise>",
      claim("done", { promisesAll: true, promised: true }),
    ],
    [
      "P-12 a promise does not stand in for a sigil that names another task",
      "<task-done>t-2</task-done>\n<promise>COMPLETE</promise>",
      claim("none", {
        promisesAll: true,
        promised: true,
        others: ["t-2"],
        notes: ["Ignored `<task-done>t-2</task-done>`: it is not the assigned task, t-1."],
      }),
    ],
    [
      "T-23 D-05 several: its own is the claim, wherever it stands, and the others are told",
      "<task-done>t-2</task-done>\n<task-done>t-1</task-done>\n<task-done>t-3</task-done>",
      claim("done", {
        others: ["t-2", "t-3"],
        notes: ["t-2", "t-3"].map(
          (id) => `Ignored \`<task-done>${id}</task-done>\`: it is not the assigned task, t-1.`,
        ),
      }),
    ],
    ["D-09 FAILURE before everything else", "<task-done>t-1</task-done>\n<promise>FAILURE</promise>", claim("failure")],
    [
      "another word",
      "<promise>DONE</promise>",
      claim("none", {
        notes: ["Ignored `<promise>DONE</promise>`: the promise is `<promise>COMPLETE</promise>`."],
      }),
    ],
    ["model-R1 a hint", "<next-model>opus</next-model>", claim("none", { nextModel: "opus" })],
    [
      "P-11 what did not count is told",
      "I will say `<task-done>t-1</task-done>` later.",
      claim("none", {
        notes: [
          "Ignored `<task-done>t-1</task-done>`: a sigil must be on a line of its own, outside code and quotes, and not copied from the prompt.",
        ],
      }),
    ],
  ])("%s", (_name, message, expected) => {
    expect(read(message)).toEqual(expected);
  });

  test("P-04 in plan mode only a promise is one", () => {
    const plan = (message: string): ClaimReading => readClaim(readSigils(message), { completionPromise: "COMPLETE" });
    expect(plan("<promise>COMPLETE</promise>")).toEqual(claim("done", { promised: true }));
    expect(plan("<task-done>t-1</task-done>")).toEqual(
      claim("none", { others: ["t-1"], notes: ["Ignored `<task-done>t-1</task-done>`: no task was assigned."] }),
    );
  });

  test("P-13 is never made by any text that does not name the task or the promise", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes("t-1") && !text.includes("COMPLETE") && !text.includes("FAILURE"));
        expect(read(`<task-done>${text}</task-done>\n<promise>${text}</promise>`).claim).toBe("none");
      }),
    );
  });

  test("a million quoted sigils are told in one line", () => {
    const { notes } = read(Array.from({ length: 1000 }, (_, n) => `x <task-done>t-${n}</task-done> y`).join("\n"));
    expect(notes).toHaveLength(1);
    expect(notes[0]!.length).toBeLessThan(500);
  });
});
