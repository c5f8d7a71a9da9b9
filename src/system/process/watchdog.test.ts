import { expect, test } from "vitest";
import { plainReader, startSession } from "../../../test/agent-session.ts";
import { agentEnding } from "../../domain/agent-ending.ts";
import type { AgentReader } from "../../domain/agent-event.ts";

const limits = { inactivityMs: 100_000, wallMs: 100_000, graceMs: 100_000, patienceMs: 100_000 };

const LIMIT = { kind: "limit", limit: "rate_limit", message: "429" } as const;
/** Says on either stream for how many milliseconds it waits for a limit; any other line is an answer. */
const limitedReader = (): AgentReader => {
  let waitMs: number | undefined;
  const note = (text: string): [] => {
    waitMs = text.startsWith("limited ") ? Number(text.slice(8)) : undefined;
    return [];
  };
  const end: AgentReader["end"] = (exit) => [{ type: "agent.ended", outcome: agentEnding(LIMIT, exit) }];
  return { ...plainReader(), line: note, errorLine: note, limited: () => waitMs, end };
};

test("P-43 one that waits for a limit longer than it may, and does not say for how long, is stopped, and that is what it came to", async () => {
  const session = startSession("echo limited 0; exec sleep 60", {
    limits: { ...limits, patienceMs: 100 },
    reader: limitedReader(),
  });
  expect(await session.result).toMatchObject({ stoppedBy: "limited", outcome: LIMIT });
});

test("P-43 one that says it waits longer than it may is stopped at once, whichever stream it says so on", async () => {
  const own = { limits: { ...limits, patienceMs: 60_000 } };
  const said = ["echo limited 60001", "echo limited 7200000 >&2"];
  const sessions = said.map((line) => startSession(`${line}; exec sleep 60`, { ...own, reader: limitedReader() }));
  for (const { result } of sessions) expect(await result).toMatchObject({ stoppedBy: "limited", outcome: LIMIT });
});

test("P-43 one that goes on after a limit is not stopped for it", async () => {
  const session = startSession("echo limited 10; echo on; sleep 0.5; echo bye", {
    limits: { ...limits, patienceMs: 200 },
    reader: limitedReader(),
  });
  expect(await session.result).toMatchObject({ code: 0 });
  expect(await session.result).not.toHaveProperty("stoppedBy");
});

test("P-43 one that names a wait that it may take is not stopped for its silence after it", async () => {
  const session = startSession("echo limited 10; sleep 1; echo bye", {
    limits: { ...limits, patienceMs: 50 },
    reader: limitedReader(),
  });
  expect(await session.result).toMatchObject({ code: 0 });
  expect(await session.result).not.toHaveProperty("stoppedBy");
});

test("P-44 one that meets the same error again and again is stopped", async () => {
  let times = 0;
  const line = (): [] => {
    times += 1;
    return [];
  };
  const reader: AgentReader = { ...plainReader(), line, isStuck: () => times >= 3 };
  const session = startSession("while :; do echo again; sleep 0.01; done", { reader });
  expect(await session.result).toMatchObject({ stoppedBy: "repeats" });
});
