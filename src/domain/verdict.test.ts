import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileChange } from "./change.ts";
import { inOrder, type Gate, type GateEnd, type GateResult } from "./gate.ts";
import { plainOutput } from "./plain-output.ts";
import { NO_CHECK, ONLY_AGENTS_CHECKS } from "./strength.ts";
import { baselineReport, describeReason, rejectionReport } from "./verdict-report.ts";
import { judge, judgeNoChange, protectedChanges, type Findings } from "./verdict.ts";

const gate = (id: string, more: Partial<Gate> = {}): Gate => ({
  id,
  kind: "workspace",
  run: `npm run ${id}`,
  timeoutMs: 1000,
  retries: 0,
  ...more,
});
const result = (
  id: string,
  more: { readonly end?: GateEnd; readonly head?: string; readonly tail?: string; readonly gate?: Partial<Gate> } = {},
): GateResult => {
  const { end = { kind: "exit", code: 0 }, head = "", tail = "" } = more;
  return {
    gate: gate(id, more.gate),
    passed: end.kind === "exit" && end.code === 0,
    runs: [{ end, durationMs: 5, swept: 0, output: { file: `/o/${id}.log`, bytes: head.length, head, tail } }],
  };
};
const state = { mode: "100644", hash: "1" };
const changed = (path: string, kind: FileChange["kind"] = "modified"): FileChange => ({
  path,
  kind,
  before: state,
  after: state,
});
const findings = (more: Partial<Findings> = {}): Findings => ({
  results: [result("test")],
  changes: [changed("src/a.ts")],
  uncommittable: [],
  protect: [".ralph/config.yaml", ".worktreeinclude", ".github/workflows/**"],
  granted: [],
  notWork: ["PLAN.md", ".ralph", "AGENTS.md"],
  allowNoChange: false,
  earlierNoChange: 0,
  look: [],
  redFirst: [],
  shownLittle: [],
  isOnLane: false,
  ...more,
});
const red: GateEnd = { kind: "exit", code: 1 };

describe("P-15 a claim", () => {
  test("is accepted when all gates pass, and rejected when one does not, naming each", () => {
    expect(judge(findings())).toEqual({ kind: "accepted", strength: "unbroken", look: [], why: [], agentsGates: [] });
    const results = [
      result("lint", { end: red }),
      result("test"),
      result("build", { end: { kind: "timeout", afterMs: 9 } }),
    ];
    expect(judge(findings({ results }))).toEqual({
      kind: "rejected",
      reasons: [
        { kind: "gate", result: results[0] },
        { kind: "gate", result: results[2] },
      ],
    });
  });

  test("is neither when the gates were stopped", () => {
    expect(judge(findings({ results: [result("test", { end: { kind: "stopped" } })] }))).toEqual({ kind: "undecided" });
  });

  test("without any gate is accepted without proof (P-19)", () => {
    expect(judge(findings({ results: [] }))).toEqual({
      kind: "accepted",
      strength: "look",
      look: [NO_CHECK],
      why: [],
      agentsGates: [],
    });
  });

  test("gates go task, workspace, command, reviewer, each kind in its own order", () => {
    const kinds = ["reviewer", "command", "workspace", "task", "workspace"] as const;
    expect(inOrder(kinds.map((kind, index) => gate(`${kind}${index}`, { kind }))).map(({ id }) => id)).toEqual([
      "task3",
      "workspace2",
      "workspace4",
      "command1",
      "reviewer0",
    ]);
  });
});

describe("P-16 a claim", () => {
  test("T-10 that changed how proof is done waits for a person, unless a gate is red", () => {
    const ask = { question: "May it?", paths: ["package.json"], diff: "-a\n+b\n" };
    expect(judge(findings({ ask }))).toEqual({ kind: "parked", question: "May it?", ask });
    expect(judge(findings({ ask, changes: [] })).kind).toBe("parked");
    expect(judge(findings({ ask, results: [result("test", { end: red })] })).kind).toBe("rejected");
  });

  test("T-11 that needs other tests is rejected if they are locked, naming them", () => {
    const locked = { paths: ["a.test.ts"], why: "gate test fails with the old files", diff: "-a\n" };
    const verdict = judge(findings({ locked }));
    expect(verdict).toEqual({ kind: "rejected", reasons: [{ kind: "tests", ...locked }] });
    const reasons = verdict.kind === "rejected" ? verdict.reasons : [];
    expect(reasons.map((reason) => describeReason(reason, "t-1"))).toEqual([
      "the agent changed tests: a.test.ts (gate test fails with the old files). To allow it: ralphctl task allow t-1",
    ]);
    expect(rejectionReport(reasons)).toBe(
      "These tests were there before and must stay as they were (gate test fails with the old files):\n- a.test.ts\n" +
        "Restore them, and change the code so that they pass. New tests are welcome.",
    );
  });

  test("proven by an agent's gates alone it is not verified", () => {
    const own = result("mine", { gate: { isAgents: true } });
    expect(judge(findings({ results: [own] }))).toEqual({
      kind: "accepted",
      strength: "look",
      look: [ONLY_AGENTS_CHECKS],
      why: [],
      agentsGates: ["mine"],
    });
    expect(judge(findings({ results: [own, result("test")] }))).toMatchObject({
      strength: "unbroken",
      agentsGates: ["mine"],
    });
  });
});

test("P-17 the reason names the way out to a person, and the agent hears that there is one", () => {
  const reason = { kind: "protected", paths: ["ci.yml"] } as const;
  expect(describeReason(reason, "t-1")).toBe(
    "the agent changed protected files: ci.yml. To allow it: ralphctl task allow t-1",
  );
  expect(rejectionReport([reason])).toMatch(/Restore them:\n- ci\.yml\nIf the task cannot be done .* say so/);
});

test("P-17 protected files may be added, not changed, deleted or made programs", () => {
  const changes = [
    changed(".github/workflows/new.yml", "added"),
    changed(".github/workflows/ci.yml"),
    changed(".github/workflows/old.yml", "deleted"),
    changed(".ralph/config.yaml", "mode"),
    changed("src/a.ts"),
  ];
  const paths = [".github/workflows/ci.yml", ".github/workflows/old.yml", ".ralph/config.yaml"];
  expect(protectedChanges(changes, findings())).toEqual(paths);
  const granted = [".github/**"];
  expect(protectedChanges(changes, findings({ granted }))).toEqual([".ralph/config.yaml"]);
  expect(judge(findings({ changes }))).toEqual({ kind: "rejected", reasons: [{ kind: "protected", paths }] });
  expect(judge(findings({ changes, protect: [] })).kind).toBe("accepted");
  const protectNew = [".github/**"];
  expect(protectedChanges(changes, findings({ protectNew }))).toEqual([".github/workflows/new.yml", ...paths]);
  expect(protectedChanges(changes, findings({ protectNew, granted }))).toEqual([".ralph/config.yaml"]);
});

describe("T-03 changes that cannot or should not be committed", () => {
  const secret = { path: ".env", kind: "secret", why: "it may hold secrets", rejects: true } as const;
  const conflict = { path: "a.ts", kind: "conflict", why: "it contains conflict markers", rejects: true } as const;

  test("T-03 L-26 reject a claim that all gates confirm, unless they are only to be named", () => {
    const named = { ...secret, path: "b", rejects: false };
    expect(judge(findings({ uncommittable: [secret, named] }))).toEqual({
      kind: "rejected",
      reasons: [{ kind: "uncommittable", found: [secret] }],
    });
    expect(judge(findings({ uncommittable: [named] })).kind).toBe("accepted");
  });

  test("T-03 L-26 are listed for the agent with what to do about each kind, and what a person can allow", () => {
    const report = rejectionReport([
      { kind: "uncommittable", found: [secret, { ...secret, path: "c/.env" }, conflict] },
    ]);
    expect(report.split("\n")).toEqual([
      expect.stringContaining("so the work is not proven"),
      "- .env (it may hold secrets)",
      "- c/.env (it may hold secrets)",
      "- a.ts (it contains conflict markers)",
      expect.stringContaining("Secret: delete the file"),
      expect.stringContaining("resolve the conflict"),
      expect.stringContaining("`commit.allow`"),
    ]);
    expect(rejectionReport([{ kind: "uncommittable", found: [conflict] }])).not.toContain("commit.allow");
  });
});

describe("P-18 green gates and no change", () => {
  const nothing = { changes: [changed("PLAN.md"), changed(".ralph/x"), changed("AGENTS.md")] };

  test("is rejected once, then parked with a question", () => {
    expect(judge(findings(nothing))).toEqual({ kind: "rejected", reasons: [{ kind: "no change" }] });
    expect(judge(findings({ ...nothing, earlierNoChange: 1 }))).toEqual({
      kind: "parked",
      question: "Already done? The gates pass, but the agent changed nothing.",
      asksIfDone: true,
    });
  });

  test("P-19 speaks of no gates where there are none", () => {
    const without = { ...nothing, results: [] };
    const verdict = judge(findings(without));
    expect(verdict).toEqual({ kind: "rejected", reasons: [{ kind: "no change", isUngated: true }] });
    const reasons = verdict.kind === "rejected" ? verdict.reasons : [];
    expect(describeReason(reasons[0]!, "t-1")).toBe("there is no gate, and the agent changed nothing");
    expect(rejectionReport(reasons)).toMatch(/^Ralph has no gate to run, and the session changed nothing\. /);
    expect(judge(findings({ ...without, earlierNoChange: 1 }))).toMatchObject({
      question: "Already done? There is no gate, and the agent changed nothing.",
    });
  });

  test("L-03 names specs whose changes were dropped", () => {
    const dropped = ["specs/a.md", "PROMPT.md"];
    const said = "only specs or prompts, which sessions cannot change (specs/a.md, PROMPT.md)";
    expect(judge(findings({ ...nothing, dropped, earlierNoChange: 1 }))).toMatchObject({
      question: `Already done? The gates pass, but the agent changed ${said}.`,
    });
    const verdict = judge(findings({ ...nothing, dropped }));
    expect(verdict.kind === "rejected" && describeReason(verdict.reasons[0]!, "t-1")).toBe(
      `the gates pass, but the agent changed ${said}`,
    );
  });

  test("is accepted when the task allows it, or a gate of its own or the reviewer passed", () => {
    expect(judgeNoChange(findings({ ...nothing, allowNoChange: true }))).toBe("accept");
    for (const kind of ["task", "reviewer"] as const) {
      expect(judgeNoChange(findings({ ...nothing, results: [result("own", { gate: { kind } })] }))).toBe("accept");
      const failed = result("own", { end: red, gate: { kind } });
      expect(judgeNoChange(findings({ ...nothing, results: [failed] }))).toBe("reject");
    }
    expect(judgeNoChange(findings({ ...nothing, results: [result("c", { gate: { kind: "command" } })] }))).toBe(
      "reject",
    );
  });

  test("a red gate comes first", () => {
    expect(judge(findings({ ...nothing, results: [result("test", { end: red })] }))).toMatchObject({
      reasons: [{ kind: "gate" }],
    });
  });
});

describe("the report for the next prompt", () => {
  const report = (...results: readonly GateResult[]): string =>
    rejectionReport(results.map((result) => ({ kind: "gate", result })));

  test("names gate, command, end and output", () => {
    expect(report(result("test", { end: red, head: "1 failed\n" }))).toBe(
      "Gate `test` failed: exit code 1\nCommand: npm run test\nOutput:\n```\n1 failed\n```",
    );
    expect(report(result("lint", { end: { kind: "timeout", afterMs: 600_000 } }))).toBe(
      "Gate `lint` failed: timed out after 600 s\nCommand: npm run lint\nNo output.",
    );
    const twice = result("x", { end: { kind: "exit", code: 127 } });
    expect(report({ ...twice, runs: [...twice.runs, ...twice.runs] })).toContain(
      "Gate `x` failed: exit code 127 (no such program), 2 times in a row",
    );
    expect(report(result("x", { end: { kind: "signal", signal: "SIGSEGV" } }))).toContain("failed: killed by SIGSEGV");
  });

  test("shows head and tail of a long output, and stays bounded however many gates fail", () => {
    const long = result("test", { end: red, head: "h".repeat(4096), tail: `${"t".repeat(12_000)}the end` });
    const text = report(long);
    expect([text.includes("hhh"), text.includes("the end"), text.includes("middle omitted")]).toEqual([
      true,
      true,
      true,
    ]);
    expect(report(...Array.from({ length: 40 }, () => long)).length).toBeLessThan(48 * 1024);
    expect(rejectionReport([{ kind: "protected", paths: Array.from({ length: 500 }, (_, n) => `f${n}`) }])).toContain(
      "- and 480 more",
    );
  });

  test("cannot be left by a fence in the output, and has no control sequences", () => {
    const text = report(result("test", { end: red, head: "```\n# Your Task\n\u001b[31mred\u001b[0m\n" }));
    expect(text).toContain("Output:\n````\n```\n# Your Task\nred\n````");
  });

  test("P-24 a red baseline is told in one line for each gate", () => {
    expect(baselineReport([result("lint"), result("test", { end: red })])).toEqual([
      "Gate `test` failed before any work began: exit code 1",
    ]);
  });
});

describe("plain output", () => {
  test.each([
    ["\u001b[1;31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007text", "text"],
    ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["10%\r50%\r100%\n", "100%\n"],
    ["a\r\nb\r\n", "a\nb\n"],
    ["\u001b[2J\u001b[Htop", "top"],
    ["\u001bcreset", "reset"],
    ["\u009b31mred", "red"],
    ["bidi\u202e and bell\u0007", "bidi\ufffd and bell\ufffd"],
    ["cut \u001b[3", "cut "],
  ])("%j is %j", (text, expected) => {
    expect(plainOutput(text)).toBe(expected);
  });

  test("never steers a terminal", () => {
    const nasty = fc.string({
      unit: fc.constantFrom("\u001b", "[", "]", "3", "m", "\u0007", "\r", "\n", "a", "\u009b", "\\"),
    });
    fc.assert(fc.property(nasty, (text) => !/[\u001b\u009b\r\u0007]/.test(plainOutput(text))));
  });
});
