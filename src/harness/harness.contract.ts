import { expect, test } from "vitest";
import type { AgentExit } from "../domain/agent-event.ts";
import { type Harness, type HarnessSettings, reopenCommand, type Session } from "./harness.ts";

export const settings: HarnessSettings = {
  bin: null,
  args: [],
  env: {},
  userSettings: "all",
  run: null,
  permissions: "allow",
  promptBy: "stdin",
  output: "text",
  script: null,
  recording: null,
};

export const session: Session = {
  prompt: "Do it.",
  systemPrompt: "You are careful.",
  cwd: "/workspace",
  folder: "/workspace/.ralph/runs/1/1",
  settings,
  isRoot: false,
  self: ["/usr/bin/node", "/opt/ralphctl/dist/bin.js"],
};

export const exit: AgentExit = { code: 0, signal: null, atMs: Date.UTC(2026, 10, 15, 20), stderr: "", files: {} };

/** Lines that no agent of today prints. */
const STRANGE = [
  "",
  "   ",
  "plain words",
  "{",
  "[]",
  "null",
  "42",
  '"text"',
  '{"type":',
  '{"type":"from-the-future"}',
  '{"type":{"type":"deep"}}',
  '{"type":"constructor"}',
  '{"type":"__proto__","__proto__":{"type":"x"}}',
  '{"type":"assistant"}',
  '{"type":"assistant","message":null}',
  '{"type":"assistant","message":{"content":"text"}}',
  '{"type":"assistant","message":{"content":[null,1,{"type":"text"},{"type":"tool_use"}]}}',
  '{"type":"user","message":{"content":[{"type":"tool_result"}]}}',
  '{"type":"system"}',
  '{"type":"system","subtype":"constructor"}',
  '{"type":"rate_limit_event"}',
  '{"type":"stream_event","event":[]}',
  '{"type":"item.completed","item":[]}',
  '{"type":"item.completed","item":{"type":"file_change","changes":[null,{"path":1}]}}',
  '{"type":"item.started","item":{"type":"constructor","text":"x"}}',
  '{"type":"thread.started","thread_id":7}',
  '{"type":"step_start","part":"x","sessionID":{}}',
  '{"type":"text","part":{"text":["x"]}}',
  '{"type":"tool_use","part":{"state":{"status":1,"input":null,"metadata":[]}}}',
  '{"type":"tool_result","status":[],"output":{}}',
  '{"type":"message","role":"assistant","content":{}}',
  '{"type":"message_end","message":{"role":"assistant","content":{"type":"text"},"usage":{"totalTokens":"x"}}}',
  '{"type":"tool_execution_end","result":{"content":7}}',
  '{"type":"auto_retry_start","errorMessage":9}',
  '{"type":"assistant.message","data":"x"}',
  '{"type":"tool.execution_complete","data":{"result":[]}}',
  '{"type":"model.call_failure","data":null}',
  '{"say":1}',
  '{"tool":null}',
  '{"end":"nonsense"}',
  '{"end":{"kind":"crashed"}}',
  '{"usage":"many"}',
  "\ufffd\ufffd\u0000\u0001\ufffd",
  "\u001b[31mred\u001b[0m",
  "x".repeat(9_000_000),
  `{"a":${"[".repeat(20_000)}`,
];

/** Every harness passes these. `ready`: settings with which it can start. */
export function harnessContract(harness: Harness, ready: Partial<HarnessSettings>): void {
  const own: Session = { ...session, settings: { ...settings, ...ready } };

  test("names a program to start", () => {
    expect(harness.start(own).file).toMatch(/\S/);
  });

  test("passes its settings on: arguments at the end, environment", () => {
    const start = harness.start({ ...own, settings: { ...own.settings, args: ["--extra", "1"], env: { A: "b" } } });
    expect(start.args.slice(-2)).toEqual(["--extra", "1"]);
    expect(start.env).toMatchObject({ A: "b" });
  });

  test("D-03 sends the whole prompt on standard input, and the system prompt too", () => {
    const { stdin = "", args } = harness.start(own);
    expect(stdin).toContain("Do it.");
    expect([stdin, ...args].join("\n")).toContain("You are careful.");
  });

  test("never puts more on the command line than the system takes", () => {
    const long = "x".repeat(300_000);
    const start = harness.start({ ...own, prompt: long, systemPrompt: long });
    expect(start.args.filter((arg) => arg.length > 102_400)).toEqual([]);
    expect([start.stdin, ...start.files.map(({ text }) => text)].join("").length).toBeGreaterThanOrEqual(600_000);
  });

  test("is a function of the session alone", () => {
    expect(harness.start(own)).toEqual(harness.start(own));
    expect(harness.attended?.(own)).toEqual(harness.attended?.(own));
  });

  test.runIf(harness.attended)("attended, it has the terminal: both prompts reach it by argument or file", () => {
    const long = "x".repeat(300_000);
    for (const [prompt, systemPrompt] of [
      ["Do it.", "You are careful."],
      [long, long],
    ] as const) {
      const start = harness.attended!({ ...own, prompt, systemPrompt });
      const given = [...start.args, ...start.files.map(({ text }) => text)].join("\n");
      expect([given.includes(prompt), given.includes(systemPrompt), "stdin" in start]).toEqual([true, true, false]);
      expect(start.args.filter((arg) => arg.length > 102_400)).toEqual([]);
      // A file that nothing names is read by nobody.
      const named = [...start.args, ...Object.values(start.env)];
      const paths = start.files.map(({ path }) => path);
      expect(paths.filter((path) => !named.some((text) => text?.includes(path)))).toEqual([]);
    }
  });

  test.runIf(harness.attended)("attended, it gets its settings too: arguments and environment", () => {
    const start = harness.attended!({ ...own, settings: { ...own.settings, args: ["--extra"], env: { A: "b" } } });
    expect([start.args.includes("--extra"), start.env["A"]]).toEqual([true, "b"]);
  });

  test("survives lines that it does not know, and none of them is an end", () => {
    const reader = harness.reader(own);
    const events = STRANGE.flatMap((line) => reader.line(line));
    expect(events.filter(({ type }) => type === "agent.ended")).toEqual([]);
    expect(reader.hasResult()).toBe(false);
  });

  test.each([
    ["a good exit", exit],
    ["a bad exit", { ...exit, code: 3, stderr: "no" }],
    ["a signal", { ...exit, code: null, signal: "SIGKILL" }],
    ["a stop for silence", { ...exit, code: 143, stoppedBy: "inactivity" as const }],
    ["a stop by the user", { ...exit, code: 0, stoppedBy: "abort" as const }],
  ])("P-14 ends exactly once, last, after %s", (_, how: AgentExit) => {
    const reader = harness.reader(own);
    STRANGE.forEach((line) => reader.line(line));
    const events = reader.end(how);
    expect(events.map(({ type }) => type).filter((type) => type === "agent.ended")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("agent.ended");
  });

  // A CLI whose model has not answered did nothing wrong (P-20); of other programs that is not known.
  const silent = harness.reader(own).limited === undefined ? "timed-out" : "api-error";
  test.each([
    ["a bad exit", { ...exit, code: 1 }, "crashed"],
    ["a signal", { ...exit, code: null, signal: "SIGSEGV" }, "crashed"],
    ["silence", { ...exit, stoppedBy: "inactivity" as const }, silent],
    ["too long a time", { ...exit, stoppedBy: "wall" as const }, silent],
    ["a stop by the user", { ...exit, stoppedBy: "abort" as const }, "aborted"],
  ])("P-14 without a result, %s is no end that could carry a claim", (_, how: AgentExit, kind) => {
    expect(harness.reader(own).end(how).at(-1)).toMatchObject({ type: "agent.ended", outcome: { kind } });
  });

  test("two readers know nothing of each other", () => {
    const [one, other] = [harness.reader(own), harness.reader(own)];
    STRANGE.forEach((line) => one.line(line));
    expect(other.end(exit)).toEqual(harness.reader(own).end(exit));
  });

  test("stops by signals that a program can handle; SIGKILL comes by itself", () => {
    const signals = harness.facts.stopOrder.map(({ signal }) => signal);
    expect([...new Set(signals)]).toEqual(signals);
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.filter((signal) => signal !== "SIGINT" && signal !== "SIGTERM")).toEqual([]);
  });

  test.runIf(harness.facts.program)(
    "a CLI says how to reopen a session, which version was tested, how to log in",
    () => {
      const { program, reopen, login, minimumVersion, testedVersion } = harness.facts;
      expect(reopen?.("id-1").join(" ")).toContain("id-1");
      expect(reopenCommand(harness, { bin: "/opt/agent" }, "id-1")).toEqual(["/opt/agent", ...reopen!("id-1")]);
      expect(reopenCommand(harness, { bin: null }, "id-1")?.[0]).toBe(program);
      expect([minimumVersion, testedVersion].every((version) => /^\d+\.\d+\.\d+$/.test(version ?? ""))).toBe(true);
      expect(login).toMatch(/^(?:Run|Set) /);
    },
  );
}
