import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../domain/agent-event.ts";
import { session } from "./harness.contract.ts";
import type { Harness } from "./harness.ts";
import * as catalogue from "./index.ts";
import { outcome, read, recordedExit, recordedHarnesses, recordedLines, recordingsOf } from "./recordings.contract.ts";
import { countRefusals } from "./line-reader.ts";

const retry = (status: number, reason = "x"): AgentEvent => ({ type: "agent.retry", status, reason });
const text = (words: string): AgentEvent => ({ type: "agent.text", text: words });

/** After which of the events it is refused. */
function refusedAfter(events: readonly AgentEvent[]): number[] {
  const refusals = countRefusals();
  return events.flatMap((event, at) => {
    refusals.note([event]);
    return refusals.isRefused() ? [at] : [];
  });
}

describe("a login that is refused", () => {
  test("P-44 twice in a row is refused for good; an answer in between makes it good again", () => {
    const events = [retry(401), text("x"), retry(403), retry(529), retry(401), retry(403), text("x"), retry(401)];
    expect(refusedAfter(events)).toEqual([5]);
  });

  test("P-44 is not made good by what a CLI says of itself", () => {
    const notice: AgentEvent = { type: "agent.notice", text: "x" };
    const begins: AgentEvent = { type: "agent.session", sessionId: "s" };
    const nothing: AgentEvent = { type: "agent.cost", usd: 0 };
    expect(refusedAfter([retry(401), notice, begins, retry(401), nothing])).toEqual([3, 4]);
  });

  test("P-43 is known by a status, never by what an agent or a tool says", () => {
    const words = "401 Unauthorized: invalid_api_key, please run /login";
    const output: AgentEvent = { type: "agent.tool-result", ok: false, output: words };
    const unknown: AgentEvent = { type: "agent.retry", reason: words };
    expect(refusedAfter([text(words), text(words), output, output, unknown, unknown])).toEqual([]);
  });

  test("P-44 is like an unpaid bill and a region that is not served: no waiting helps, and each is told as what it is", () => {
    const outcomeOf = (event: AgentEvent) => {
      const refusals = countRefusals();
      refusals.note([event, event]);
      return refusals.isRefused() ? refusals.outcome() : undefined;
    };
    expect(outcomeOf(retry(402, "Insufficient credits"))).toEqual({
      kind: "limit",
      limit: "billing",
      message: "402 Insufficient credits",
    });
    expect(outcomeOf(retry(403, "Country, region, or territory not supported"))).toMatchObject({ why: "region" });
    expect(outcomeOf(retry(429, "You exceeded your current quota, please check your plan and billing details"))).toBe(
      undefined,
    );
  });

  test("P-43 is none where the status tells of a limit", () => {
    expect(refusedAfter([retry(403, "usage limit reached"), retry(403, "usage limit reached")])).toEqual([]);
  });
});

const ALL: Readonly<Record<string, Harness>> = catalogue;

/** In the recordings of every CLI: the line after which no more waiting can help, and what the session comes to then. */
const stopped = recordedHarnesses.flatMap((of) =>
  recordingsOf(of).flatMap((name) => {
    const lines = recordedLines(of, name);
    const reader = ALL[of]!.reader(session);
    const at = lines.findIndex((line) => {
      reader.line(line);
      return reader.isRefused?.() === true;
    });
    if (at < 0) return [];
    const cut = read(ALL[of]!, lines.slice(0, at + 1), { code: 0, stoppedBy: "refused" });
    const whole = read(ALL[of]!, lines, recordedExit(of, name));
    return [{ recording: `${of}/${name}`, line: at + 1, of: lines.length, cut: outcome(cut), whole: outcome(whole) }];
  }),
);

test("P-44 X-77 recorded CLIs that go on asking are stopped, and come to what they would have come to", () => {
  expect(stopped.map(({ recording, line, of }) => `${recording}: ${line} of ${of}`)).toEqual([
    "claude/err-401: 3 of 8",
    "claude/stopped-401: 3 of 5",
    "codex/err-401: 5 of 10",
    "codex/err-403: 5 of 10",
    "codex/stopped-401: 5 of 5",
    "copilot/err-401: 14 of 23",
  ]);
  expect(new Set(stopped.map(({ cut }) => cut?.kind))).toEqual(new Set(["login"]));
  const same = stopped.filter(({ recording }) => !recording.startsWith("copilot"));
  expect(same.map(({ cut }) => cut)).toEqual(same.map(({ whole }) => whole));
});
