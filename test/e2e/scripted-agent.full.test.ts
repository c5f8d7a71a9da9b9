import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finalMessage } from "../final-message.ts";
import { readScript, STEPS } from "../../src/domain/read-script.ts";
import { usageOf } from "../../src/domain/usage.ts";
import { readYaml } from "../../src/system/yaml-text.ts";
import { alive, printed } from "../agent-session.ts";
import { ralphctl } from "../built-program.ts";
import { startScripted } from "../scripted-session.ts";
import { git, temporaryFolder, temporaryRepository } from "../temporary-folder.ts";

const limits = { inactivityMs: 30_000, wallMs: 30_000, graceMs: 30_000, patienceMs: 30_000 };

describe("a scripted session", () => {
  test("works as a real agent does: says, thinks, edits, runs, commits and reports", async () => {
    const cwd = temporaryRepository({ "old.txt": "old\n", "log.txt": "1\n" });
    const session = startScripted(
      `sessions:
  - steps:
      - think: How?
      - say: I begin.
      - tool: { name: Read, input: old.txt }
      - toolResult: { output: old }
      - write: { path: "src/{task}.txt", text: "for {task}\\n" }
      - append: { path: log.txt, text: "2\\n" }
      - delete: old.txt
      - run: cat log.txt; exit 3
      - commit: Work on {task}
      - usage: { input: 10, output: 5 }
      - cost: 0.5
      - say: |
          Done in iteration {iteration}.

          <task-done>{task}</task-done>
`,
      { cwd, env: { RALPHCTL_TASK: "t-1", RALPHCTL_ITERATION: "4" } },
    );
    const result = await session.result;
    expect(result).toMatchObject({ code: 0, outcome: { kind: "done" }, stderr: "" });
    expect(session.events.map((event) => JSON.stringify(event))).toEqual(
      [
        { type: "agent.thinking", text: "How?" },
        { type: "agent.text", text: "I begin." },
        { type: "agent.tool", name: "Read", input: "old.txt" },
        { type: "agent.tool-result", ok: true, output: "old" },
        { type: "agent.tool", name: "write", input: "src/t-1.txt" },
        { type: "agent.tool-result", ok: true, output: "" },
        { type: "agent.tool", name: "append", input: "log.txt" },
        { type: "agent.tool-result", ok: true, output: "" },
        { type: "agent.tool", name: "delete", input: "old.txt" },
        { type: "agent.tool-result", ok: true, output: "" },
        { type: "agent.tool", name: "run", input: "cat log.txt; exit 3" },
        { type: "agent.tool-result", ok: false, output: "1\n2\n" },
        { type: "agent.tool", name: "commit", input: "Work on t-1" },
        { type: "agent.tool-result", ok: true, output: "" },
        { type: "agent.usage", input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
        { type: "agent.cost", usd: 0.5 },
        { type: "agent.text", text: "Done in iteration 4.\n\n<task-done>t-1</task-done>\n" },
        { type: "agent.ended", outcome: { kind: "done" } },
      ].map((event) => JSON.stringify(event)),
    );
    expect(readFileSync(join(cwd, "src/t-1.txt"), "utf8")).toBe("for t-1\n");
    expect(existsSync(join(cwd, "old.txt"))).toBe(false);
    expect(git(cwd, "log", "-1", "--format=%s")).toBe("Work on t-1");
    expect(git(cwd, "status", "--porcelain")).toBe("");
    expect(finalMessage(session.events)).toBe("Done in iteration 4.\n\n<task-done>t-1</task-done>\n");
    expect(usageOf(session.events)).toMatchObject({ input: 10, output: 5, costUsd: 0.5 });
  });

  test("P-10 can repeat its whole prompt", async () => {
    const prompt = "Line one\n\n$& $1 {task}\n";
    const session = startScripted("- - say: '{prompt}'", { prompt });
    await session.result;
    expect(finalMessage(session.events)).toBe(`You are careful.\n\n---\n\n${prompt}`);
  });

  test.each([
    [
      "exits with a code and no result",
      "[{ say: x }, { exit: 3 }]",
      { code: 3, outcome: { kind: "crashed", code: 3 } },
    ],
    ["gives a result and a bad exit", "[{ end: done }, { exit: 1 }]", { code: 1, outcome: { kind: "crashed" } }],
    ["ends quietly without a result", "[{ exit: 0 }]", { code: 0, outcome: { kind: "crashed", code: 0 } }],
    [
      "ends by a signal",
      "[{ signal: SIGKILL }]",
      { signal: "SIGKILL", outcome: { kind: "crashed", signal: "SIGKILL" } },
    ],
    ["refuses", "[{ end: refused }]", { outcome: { kind: "refused", message: "scripted" } }],
    [
      "fails by the server",
      "[{ end: { kind: api-error, status: 529, error: overloaded, message: Busy } }]",
      { outcome: { kind: "api-error", status: 529, error: "overloaded", message: "Busy", retryable: true } },
    ],
  ])("%s", async (_, steps, expected) => {
    expect(await startScripted(`- ${steps}`).result).toMatchObject(expected);
  });

  test("P-43 meets a limit that resets a while after it was met", async () => {
    const before = Date.now();
    const { outcome } = await startScripted("- [{ end: { kind: limit, limit: five_hour, resetsInMs: 60000 } }]").result;
    expect(outcome).toEqual({
      kind: "limit",
      limit: "five_hour",
      resetsAtMs: expect.any(Number) as number,
      message: "scripted",
    });
    const resetsAtMs = outcome.kind === "limit" ? (outcome.resetsAtMs ?? 0) : 0;
    expect(resetsAtMs).toBeGreaterThanOrEqual(before + 60_000);
    expect(resetsAtMs).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  test("prints bytes as they are, and half a line", async () => {
    const session = startScripted(`- [{ raw: { base64: "/wAK" } }, { raw: '{"say":' }, { exit: 0 }]`);
    await session.result;
    expect([...session.transcript()]).toEqual([0xff, 0x00, 0x0a, ...Buffer.from('{"say":')]);
    expect(session.events.at(-2)).toEqual({ type: "agent.unknown", lines: 2, of: 2, example: "\ufffd\u0000" });
  });

  test("P-14 gives its result and hangs: it holds", async () => {
    const session = startScripted("- [{ say: <task-done>t-1</task-done> }, { end: done }, { hang: true }]", {
      limits: { ...limits, graceMs: 100 },
    });
    expect(await session.result).toMatchObject({ stoppedBy: "grace", outcome: { kind: "done" } });
  });

  test("is silent, ignores signals, and is killed all the same, with what it left running", async () => {
    const session = startScripted(
      "- [{ ignore: [SIGINT, SIGTERM] }, { run: setsid sleep 60 & }, { say: up }, { hang: true }]",
      {
        stopOrder: [
          { signal: "SIGINT", waitMs: 50 },
          { signal: "SIGTERM", waitMs: 50 },
        ],
      },
    );
    await printed(session, "up");
    session.abort();
    const result = await session.result;
    expect(result).toMatchObject({ signal: "SIGKILL", outcome: { kind: "aborted" } });
    expect(result.swept).toHaveLength(1);
    expect(alive(session)).toEqual([]);
  });

  test("is slow where it is told to, and complains on standard error", async () => {
    const session = startScripted("- [{ delayMs: 300 }, { stderr: slow }]");
    const { durationMs, stderr } = await session.result;
    expect(durationMs).toBeGreaterThanOrEqual(300);
    expect(stderr).toBe("slow");
  });
});

describe("which session is played", () => {
  const script = `
- when: { task: "fix-*", prompt: Validation }
  steps: [{ say: fix again }]
- when: { task: "fix-*" }
  steps: [{ say: fix }]
- when: { title: "Write*docs" }
  steps: [{ say: docs }]
- when: { iteration: 7 }
  steps: [{ say: seven }]
- - say: first
- - say: second
`;
  test.each([
    ["by order", { RALPHCTL_ITERATION: "1" }, "", "first"],
    ["by order, the second", { RALPHCTL_ITERATION: "2", RALPHCTL_TASK: "x" }, "", "second"],
    ["the last one again and again", { RALPHCTL_ITERATION: "30" }, "", "second"],
    ["the first without a number", {}, "", "first"],
    ["by number", { RALPHCTL_ITERATION: "7" }, "", "seven"],
    ["by task", { RALPHCTL_TASK: "fix-login" }, "", "fix"],
    ["by task and prompt", { RALPHCTL_TASK: "fix-login" }, "# Validation failure", "fix again"],
    ["by title", {}, "## Assigned Task\n\n**ID:** a\n**Title:** Write the docs\n", "docs"],
  ])("%s", async (_, env, prompt, expected) => {
    const session = startScripted(script, { env, prompt });
    await session.result;
    expect(session.lines()).toEqual([expected]);
  });
});

test("the guide's scripts can be played, and its table names every step", () => {
  const guide = readFileSync("docs/guides/scripted-agent.md", "utf8");
  const scripts = Array.from(guide.matchAll(/^```yaml\n(# script\n.*?)^```$/gms), ([, text = ""]) => readYaml(text));
  const read = scripts.map((yaml) => (yaml.kind === "read" ? readScript(yaml.data) : yaml));
  expect(read).toEqual([expect.objectContaining({ sessions: expect.any(Array) as unknown[] })]);
  const named = Array.from(guide.matchAll(/^\| `(\w+):/gm), ([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(STEPS).sort());
});

describe("a script that cannot be played", () => {
  test.each([
    ["sessions: 1", "script.yaml:1: A script must be a list of sessions, or have one under `sessions`"],
    [
      "- steps:\n    - say: x\n      exit: 1",
      "script.yaml:2: A step must be a mapping with exactly one key, such as `say: Hello`",
    ],
    ["- - shout: x", "script.yaml:1: Unknown key `shout`; known: say, think"],
    ["- - say: x\n  - exit: no", "script.yaml:2: `exit` must be a whole number"],
    ["- - write: { path: a }", "script.yaml:1: `write` needs `text`"],
    ["- when: { task: x }\n  steps: []", 'script.yaml has no session for iteration 1 and task ""'],
    ["- [", "script.yaml:"],
  ])("%j says where and why", async (text, message) => {
    const cwd = temporaryFolder({ "script.yaml": text });
    const { code, stderr } = await ralphctl(["scripted-agent", "script.yaml"], { cwd });
    expect(stderr).toContain(`error: ${message}`);
    expect(code).toBe(65);
  });

  test("is named when it does not exist", async () => {
    const { code, stderr } = await ralphctl(["scripted-agent", "none.yaml"], { cwd: temporaryFolder() });
    expect([code, stderr.split("\n")[0]]).toEqual([65, "error: The script none.yaml does not exist"]);
  });
});
