import { expect, test } from "vitest";
import type { AgentOutcome } from "../domain/agent-event.ts";
import { newRepository } from "../../test/git-place.ts";
import { startTestRun } from "../../test/running.ts";
import { afterSession } from "./after.ts";

const SOON_MS = 1300;

const limit = (): AgentOutcome => ({
  kind: "limit",
  limit: "five_hour",
  resetsAtMs: Date.now() + SOON_MS,
  message: "Come back later",
});

test("P-43 the longest wait is that of all waits together, until a session works again", async () => {
  const { lane } = await startTestRun(await newRepository({ "a.txt": "a\n" }), {
    rules: { longestWaitMs: SOON_MS + 100 },
  });
  const [agent] = lane.deps.agents;
  const limited = () =>
    afterSession(lane, {
      agent,
      outcome: "limited",
      session: { outcome: limit(), sessionId: undefined },
      iteration: 1,
      startedMs: performance.now(),
    });
  const worked = () =>
    afterSession(lane, {
      agent,
      outcome: "verified",
      session: { outcome: { kind: "done" }, sessionId: undefined },
      iteration: 1,
      startedMs: performance.now(),
    });
  expect([await limited(), await worked(), await limited()]).toEqual([undefined, undefined, undefined]);
  expect(await limited()).toEqual({
    limit: "wait",
    reason: "The usage limit resets later than the run may wait: Come back later",
  });
});
