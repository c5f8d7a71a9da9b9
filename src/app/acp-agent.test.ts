import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { AgentEvent, AgentOutcome } from "../domain/agent-event.ts";
import { createFinalMessage } from "../domain/final-message.ts";
import { exit, session } from "../harness/harness.contract.ts";
import { acp } from "../harness/index.ts";
import { type AcpOrder, talkToAgent } from "./acp-agent.ts";

const AGENT = resolve("test/acp-agent.mjs");
const LONGEST_MS = 60_000;

const never = (): AbortSignal => new AbortController().signal;

interface Talked {
  readonly code: number;
  readonly cwd: string;
  readonly events: readonly AgentEvent[];
  readonly outcome: AgentOutcome;
  readonly message: string;
}

/** A conversation with the agent for tests, as the harness reads it. */
async function talk(play: readonly string[], more: Partial<AcpOrder> = {}): Promise<Talked> {
  const cwd = more.cwd ?? temporaryFolder();
  const lines: string[] = [];
  const code = await talkToAgent({
    command: [process.execPath, AGENT, ...play],
    prompt: "Do it.",
    model: undefined,
    permissions: "allow",
    cwd,
    env: { PATH: process.env["PATH"] },
    print: (line) => void lines.push(line),
    printOther: () => undefined,
    stop: never(),
    kill: never(),
    ...more,
  });
  const reader = acp.reader(session);
  const events = [...lines.flatMap(reader.line), ...reader.end({ ...exit, code })];
  const last = events.at(-1);
  const message = createFinalMessage();
  events.forEach(message.add);
  if (last?.type !== "agent.ended") throw new Error("no end");
  return { code, cwd, events, outcome: last.outcome, message: message.text() };
}

const notices = ({ events }: Talked): string[] =>
  events.flatMap((event) => (event.type === "agent.notice" ? [event.text] : []));

const fileIn = ({ cwd }: Talked, name: string): string => readFileSync(join(cwd, name), "utf8");

describe("a session with an agent that speaks ACP", () => {
  test("P-01 P-13 it works, asks for permission, claims and ends its turn", async () => {
    const talked = await talk(["honest"]);
    expect(talked.events.map(({ type }) => type)).toEqual([
      "agent.session",
      "agent.thinking",
      "agent.tool",
      "agent.notice",
      "agent.tool-result",
      "agent.text",
      "agent.cost",
      "agent.text",
      "agent.usage",
      "agent.ended",
    ]);
    expect(talked.events[0]).toEqual({ type: "agent.session", sessionId: "s-1", version: "1.2.3" });
    expect(talked.events).toContainEqual({ type: "agent.tool", id: "c-1", name: "edit", input: "done.txt" });
    expect(talked.events).toContainEqual({ type: "agent.cost", usd: 0.25 });
    const usage = { type: "agent.usage", input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };
    expect(talked.events).toContainEqual(usage);
    expect([talked.code, talked.outcome, talked.message]).toEqual([
      0,
      { kind: "done" },
      "All finished.\n\n<task-done>t-1</task-done>",
    ]);
    expect(fileIn(talked, "done.txt")).toBe("yes");
  });

  test("it is offered neither files nor terminals nor servers, in the folder where it works", async () => {
    const talked = await talk(["honest"]);
    expect(JSON.parse(fileIn(talked, "new-session.json"))).toMatchObject({ cwd: talked.cwd, mcpServers: [] });
  });

  test("D-03 a prompt of a million characters arrives whole", async () => {
    const prompt = `${"Ünd weiter.\n".repeat(90_000)}Ende`;
    const talked = await talk(["prompt"], { prompt });
    expect(fileIn(talked, "prompt.txt")).toBe(prompt);
    expect(talked.outcome).toEqual({ kind: "done" });
  });

  test("requests that it may not make are refused, and what is not known is counted", async () => {
    const talked = await talk(["asks"]);
    expect([talked.message, talked.outcome]).toEqual(["-32601,-32601", { kind: "done" }]);
    expect(talked.events.find(({ type }) => type === "agent.unknown")).toMatchObject({ lines: 2 });
  });

  test.each(["noise", "long-line"])("lines that are no messages do no harm: %s", async (play) => {
    const talked = await talk([play]);
    expect([talked.outcome, talked.message]).toEqual([{ kind: "done" }, "All finished.\n\n<task-done>t-1</task-done>"]);
  });

  test("P-41 an agent that stays after its answer is ended, and its answer counts", async () => {
    const talked = await talk(["stays-after"]);
    expect([talked.code, talked.outcome]).toEqual([0, { kind: "done" }]);
  });
});

describe("permission", () => {
  test("W-05 is given for this once, by the option that the agent offers for it", async () => {
    expect(notices(await talk(["honest"]))).toEqual(["Allowed once: Write done.txt (Just now)"]);
  });

  test("W-05 is refused for this once if the configuration says so", async () => {
    const talked = await talk(["honest"], { permissions: "reject" });
    expect(notices(talked)).toEqual(["Not allowed: Write done.txt (No)"]);
    expect(existsSync(join(talked.cwd, "done.txt"))).toBe(false);
    expect(talked.events).toContainEqual({ type: "agent.tool-result", id: "c-1", ok: false, output: "refused" });
  });

  test("W-05 is never given for longer: without an option for this once nobody chose", async () => {
    const talked = await talk(["only-always"]);
    expect(talked.message).toBe("cancelled");
    expect(notices(talked)).toEqual(["Not allowed: Write done.txt (no option for this once was offered)"]);
  });
});

describe("how a session ends", () => {
  test.each([
    ["end_turn", { kind: "done" }],
    ["max_tokens", { kind: "turn-limit", isOutput: true }],
    ["max_turn_requests", { kind: "turn-limit" }],
    ["refusal", { kind: "refused", message: "The agent refused to go on" }],
    ["cancelled", { kind: "aborted" }],
  ])("P-14 the reason %s", async (reason, outcome) => {
    expect((await talk(["reason", reason])).outcome).toEqual(outcome);
  });

  test("P-14 a reason that is not known is no end that could carry a claim", async () => {
    expect((await talk(["reason", "from_the_future"])).outcome).toMatchObject({
      kind: "crashed",
      detail: 'ended its turn for a reason that is not known: "from_the_future"',
    });
  });

  test("P-44 X-77 a login that is required is a refused login, with the ways that the agent offers", async () => {
    expect((await talk(["login"])).outcome).toEqual({
      kind: "login",
      message: "Authentication required; it offers: Log in with a browser",
    });
  });

  test.each([
    [{ code: -32603, message: "Internal error", data: { details: "429 Too many requests" } }, "limit"],
    [{ code: 429, message: "slow down" }, "limit"],
    [{ code: -32000, message: "You have hit your usage limit" }, "limit"],
    [{ code: -32603, message: "Internal error: Prompt is too long" }, "context-too-long"],
    [{ code: -32603, message: "Internal error", data: "401 invalid x-api-key" }, "login"],
    [{ code: -32603, message: "Internal error", data: { details: "529 Overloaded" } }, "api-error"],
    [{ code: -32603, message: "Something broke" }, "api-error"],
  ])("P-43 P-44 the error %j is classified by what it says", async (error, kind) => {
    expect((await talk(["error", JSON.stringify(error)])).outcome.kind).toBe(kind);
  });

  test("P-14 one that dies in its turn has crashed, with its own exit code", async () => {
    const talked = await talk(["dies", "3"]);
    expect([talked.code, talked.outcome]).toMatchObject([
      3,
      { kind: "crashed", code: 3, detail: "ended with exit code 3 and no result" },
    ]);
  });

  test("P-14 one that dies with 0 in its turn is not done", async () => {
    expect((await talk(["dies", "0"])).outcome).toMatchObject({ kind: "crashed", code: 0 });
  });

  test("P-14 one that closes its output says nothing more, and is ended", async () => {
    expect((await talk(["closes-output"])).outcome).toMatchObject({ kind: "crashed" });
  });
});

describe("a program that does not speak ACP as ralphctl does", () => {
  test("another version of the protocol is refused by name", async () => {
    expect((await talk(["version"])).outcome).toMatchObject({
      kind: "crashed",
      detail: "speaks version 2 of ACP, and ralphctl version 1",
    });
  });

  test.each([
    ["never", "did not answer initialize within 1s"],
    ["silent-session", "did not answer session/new within 1s"],
  ])("one that never answers is not waited for: %s", async (play, detail) => {
    expect((await talk([play], { startMs: 1000 })).outcome).toMatchObject({ kind: "crashed", detail });
  });

  test("one that only repeats what it hears is told apart", async () => {
    expect((await talk([], { command: ["cat"] })).outcome).toMatchObject({
      kind: "crashed",
      detail: expect.stringContaining("answered initialize with an error") as string,
    });
  });

  test("one that ends at once has crashed", async () => {
    expect((await talk([], { command: ["true"] })).outcome).toMatchObject({
      kind: "crashed",
      detail: "ended with exit code 0 and no result",
    });
  });

  test("X-69 one that is not there is named", async () => {
    await expect(talk([], { command: ["no-such-agent"] })).rejects.toThrow("Cannot start no-such-agent");
  });
});

describe("the model", () => {
  test.each([
    ["config", "large", "m=large\n"],
    ["config", "Large", "m=large\n"],
    ["list", "large", "large\n"],
  ])("is chosen in the way that the agent offers: %s %s", async (offer, model, chosen) => {
    const talked = await talk(["honest", offer], { model });
    expect([fileIn(talked, "chosen.txt"), talked.outcome]).toEqual([chosen, { kind: "done" }]);
  });

  test("is left alone if it is chosen already", async () => {
    const talked = await talk(["honest", "config"], { model: "small" });
    expect([existsSync(join(talked.cwd, "chosen.txt")), talked.outcome]).toEqual([false, { kind: "done" }]);
  });

  test.each([
    ["list", 'The agent has no model "huge"; it offers: small, large'],
    ["", 'The agent does not let its client choose a model, so ralphctl cannot set "huge"'],
  ])("that the agent does not offer is refused before it works: %s", async (offer, message) => {
    const talked = await talk(["honest", offer], { model: "huge" });
    expect(talked.outcome).toMatchObject({ message });
    expect(talked.outcome.kind).not.toBe("done");
    expect(existsSync(join(talked.cwd, "done.txt"))).toBe(false);
  });
});

describe("stopping", () => {
  const stopAt = async (play: string): Promise<Talked> => {
    const stop = new AbortController();
    const cwd = temporaryFolder();
    const talked = talk([play], { cwd, stop: stop.signal });
    await vi.waitUntil(() => existsSync(join(cwd, "started.txt")), { timeout: LONGEST_MS });
    stop.abort();
    return await talked;
  };

  test("P-40 the agent is told to cancel its turn, and what it used is known", async () => {
    const talked = await stopAt("hang");
    expect([talked.code, talked.outcome, fileIn(talked, "cancelled.txt")]).toEqual([130, { kind: "aborted" }, "s-1"]);
    expect(talked.events.map(({ type }) => type)).toContain("agent.usage");
  });

  test("P-40 one that ignores words and signals is killed", async () => {
    const talked = await stopAt("stubborn");
    expect([talked.code, talked.outcome.kind, fileIn(talked, "cancelled.txt")]).toEqual([130, "crashed", "s-1"]);
  });

  test("P-40 before it has a session it is only ended", async () => {
    const stop = new AbortController();
    const talked = talk(["never"], { stop: stop.signal });
    stop.abort();
    expect((await talked).code).toBe(130);
  });
});
