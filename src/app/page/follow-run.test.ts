import fc from "fast-check";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { arbitraryEvent } from "../../../test/arbitrary-event.ts";
import { byLane } from "../../../test/lane.ts";
import { iterationStarted, runStarted } from "../../../test/run-events.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { eventLine, readEventLine } from "../../domain/run/event-line.ts";
import { recordJson } from "../../domain/run/record-json.ts";
import { createRunRecorder } from "../../domain/run/run-record.ts";
import { streamEvents } from "../../ui/server/events.ts";
import type { Hub, HubListener } from "./hub.ts";
import { type FollowedRun, followRun } from "./follow-run.ts";

const RUN = "r-20261118-1";
const LONG = { timeout: 50_000, interval: 5 };
const lineOf = (event: RunEvent, at = 1000): string => eventLine(event, { at, run: RUN, redact: (text) => text });
const same = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A log that nobody writes any more; it is read to its end. */
function logOf(lines: readonly string[]) {
  const root = temporaryFolder();
  const file = join(root, ".ralph", "runs", RUN, "events.ndjson");
  mkdirSync(join(root, ".ralph", "runs", RUN), { recursive: true });
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return { run: RUN, root, file };
}

const hubOf = (run: FollowedRun): Hub => ({
  join: async (_, listener: HubListener) => {
    listener.onRun(run);
    return () => undefined;
  },
  checkRun: () => Promise.resolve(),
  readers: () => 1,
  close: () => undefined,
});

/** A reader that takes what it is sent, until it is cut off; `isSlow`: takes nothing. */
function reader(run: FollowedRun, last?: string) {
  let sent = "";
  let waiting = 0;
  let isSlow = false;
  let most = 0;
  const drains: (() => void)[] = [];
  const ends: (() => void)[] = [];
  streamEvents(
    {
      write: (text) => {
        sent += text;
        if (isSlow) waiting += text.length;
        most = Math.max(most, waiting);
      },
      waiting: () => waiting,
      onDrained: (taken) => void drains.push(taken),
      onClosed: (closed) => void ends.push(closed),
      end: () => undefined,
    },
    { hub: hubOf(run), run: undefined, last, redact: (text) => text },
  );
  return {
    frames: () =>
      sent
        .split("\n\n")
        .filter((frame) => frame.startsWith("id: "))
        .map((frame) => {
          const [, id = "", event = "", data = ""] = /^id: (.*?)\nevent: (.*?)\ndata: (.*)$/s.exec(frame) ?? [];
          return { id, seq: Number(id.split(":")[1]), event, data: JSON.parse(data) as Record<string, unknown> };
        }),
    slow: () => (isSlow = true),
    drain: () => {
      isSlow = false;
      waiting = 0;
      for (const each of drains) each();
    },
    most: () => most,
    cut: () => {
      for (const each of ends) each();
    },
  };
}

describe("U-07 readers of a run", () => {
  test("U-07 whoever is cut off anywhere and comes back has everything once, and knows what the log says", async () => {
    const read = arbitraryEvent().map((event) => same(event) as RunEvent);
    await fc.assert(
      fc.asyncProperty(fc.array(read, { maxLength: 30 }), fc.infiniteStream(fc.nat(12)), async (more, chance) => {
        const lines = [runStarted, iterationStarted, ...more].map((event) => lineOf(event));
        const log = logOf(lines);
        const followed = followRun(log);
        await followed.caughtUp;
        // It has seen the first line, and was cut off.
        const recorder = createRunRecorder("open");
        const hear = (line: string): void => {
          const read = readEventLine(line);
          if (read !== undefined) recorder.add(read.event, read.atMs, read.run);
        };
        hear(lines[0]!);
        const seen: number[] = [1];
        while (seen.length < lines.length) {
          const one = reader(followed, `${RUN}:${seen.at(-1)}`);
          await vi.waitUntil(() => one.frames().length > 0, LONG);
          one.cut();
          // Cut off after any of them: what came behind it was lost on the way.
          for (const { seq, data } of one.frames().slice(0, 1 + chance.next().value!)) {
            seen.push(seq);
            hear(JSON.stringify(data));
          }
        }
        followed.stop();
        expect(seen).toEqual(lines.map((_, at) => at + 1));
        expect(followed.seq()).toBe(lines.length);
        expect(same(recordJson(recorder.run))).toEqual(same(recordJson(followed.record)));
      }),
      { numRuns: byLane(15, 200) },
    );
  });

  test("U-07 lines that are not kept any more, or of another run, are told as a snapshot", async () => {
    const long = { type: "agent.text", iteration: 1, text: "x".repeat(60_000) } as RunEvent;
    const log = logOf(
      [runStarted, iterationStarted, ...Array.from({ length: 100 }, () => long)].map((event) => lineOf(event)),
    );
    const followed = followRun(log);
    await followed.caughtUp;
    for (const last of [`${RUN}:1`, "r-other:101", `${RUN}:999`, `${RUN}:x`, "", ":", `${RUN}:-1`]) {
      const one = reader(followed, last);
      await vi.waitUntil(() => one.frames().length > 0, LONG);
      expect(one.frames().map(({ id, event }) => `${event} ${id}`)).toEqual([`snapshot ${RUN}:102`]);
      one.cut();
    }
    const near = reader(followed, `${RUN}:100`);
    await vi.waitUntil(() => near.frames().length === 2, LONG);
    expect(near.frames().map(({ id }) => id)).toEqual([`${RUN}:101`, `${RUN}:102`]);
    followed.stop();
  });

  test("U-07 the last lines of a long log are kept, whatever letters it has", async () => {
    const long = { type: "agent.text", iteration: 1, text: "漢".repeat(20_000) } as RunEvent;
    const lines = [runStarted, ...Array.from({ length: 200 }, () => long), iterationStarted].map((each) =>
      lineOf(each),
    );
    const run = followRun(logOf(lines));
    await run.caughtUp;
    await vi.waitUntil(() => !run.isRunning(), LONG);
    expect([run.seq(), run.since(0), run.since(201), run.since(190)?.length]).toEqual([
      202,
      undefined,
      [{ seq: 202, text: lines[201] }],
      12,
    ]);
  });

  test("U-07 a reader that takes nothing gets a megabyte at most, then a snapshot", async () => {
    const followed = followRun(logOf([lineOf(runStarted), lineOf(iterationStarted)]));
    await followed.caughtUp;
    const listeners = new Set<Parameters<FollowedRun["listen"]>[0]>();
    const one = reader({ ...followed, listen: (listener) => (listeners.add(listener), () => undefined) });
    await vi.waitUntil(() => listeners.size > 0, LONG);
    one.slow();
    const text = lineOf({ type: "agent.text", iteration: 1, text: "x".repeat(20_000) });
    for (let seq = 3; seq < 1000; seq += 1) for (const { onLines } of listeners) onLines([{ seq, text }]);
    expect(one.most()).toBeLessThan(1.2 * 1024 * 1024);
    const before = one.frames().length;
    one.drain();
    expect(
      one
        .frames()
        .slice(before)
        .map(({ event }) => event),
    ).toEqual(["snapshot"]);
    followed.stop();
  });

  test("U-07 100,000 events are caught up with by one snapshot", async () => {
    const log = logOf([lineOf(runStarted), lineOf(iterationStarted)]);
    const text = `${lineOf({ type: "agent.text", iteration: 1, text: "A sentence of an agent that works." })}\n`;
    appendFileSync(log.file, text.repeat(100_000));
    const followed = followRun(log);
    const one = reader(followed, `${RUN}:2`);
    await vi.waitUntil(() => one.frames().length > 0, LONG);
    expect(one.frames().map(({ id, event }) => `${event} ${id}`)).toEqual([`snapshot ${RUN}:100002`]);
    followed.stop();
  });
});
