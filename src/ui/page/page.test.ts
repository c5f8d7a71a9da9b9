import fc from "fast-check";
import { h } from "preact";
import { render } from "preact-render-to-string";
import { beforeEach, describe, expect, test } from "vitest";
import { recordJson } from "../../domain/run/record-json.ts";
import { createRunRecorder, openIterations } from "../../domain/run/run-record.ts";
import { eventLine } from "../../domain/run/event-line.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { iterationStarted, runFinished, runStarted } from "../../../test/run-events.ts";
import type { NeedData } from "./data.ts";
import { waitBefore } from "./back-off.ts";
import { nowMs } from "./clock.ts";
import { changes, createFold, live, onEvent, stepBetween } from "./live.ts";
import { newNeeds, titleOf } from "./notify.tsx";
import { NowPlace } from "./now-place.tsx";
import { hrefOf, routeOf } from "./route.ts";
import { costPerTask } from "./run-costs.ts";
import { createSseReader, type SentEvent } from "./sse.ts";
import { Lasted } from "./time.tsx";
import { arrival } from "./token.ts";

describe("U-03 the token", () => {
  test("U-03 comes in the fragment once, and stays neither in the address nor in the place", () => {
    expect(arrival("#token=a1_-b", null)).toEqual({ token: "a1_-b", hash: "#/" });
    expect(arrival("#token=a1/task/t-1", "old")).toEqual({ token: "a1", hash: "#/task/t-1" });
    expect(arrival("#/needs", "kept")).toEqual({ token: "kept", hash: undefined });
    expect(arrival("", null)).toEqual({ token: "", hash: undefined });
  });
});

test("places are told from each other, whatever ids they have; anything else is the beginning", () => {
  for (const [place, id] of [
    ["now", ""],
    ["task", "t-1a2b"],
    ["runs", "a/b %"],
  ] as const) {
    expect(routeOf(hrefOf(place, id))).toEqual({ place, id });
  }
  for (const hash of ["", "#", "#/", "#/nothing", "#main", "#/%"]) {
    expect(routeOf(hash)).toEqual({ place: "now", id: "" });
  }
  expect(routeOf("#/task/%zz")).toEqual({ place: "task", id: "%zz" });
});

describe("U-07 the stream", () => {
  const read = (pieces: readonly string[]): SentEvent[] => {
    const all: SentEvent[] = [];
    const take = createSseReader((sent) => all.push(sent));
    for (const piece of pieces) take(piece);
    return all;
  };
  const text = `: alive\n\nevent: event\nid: r:1\ndata: {"a":\ndata: 1}\n\ndata:x\r\n\r\nid: lost\n\nevent: workspace\ndata: {}\n\ndata: half`;

  test("U-07 messages are read whole, in whichever pieces they come", () => {
    const whole = [
      { event: "event", data: '{"a":\n1}', id: "r:1" },
      { event: "message", data: "x", id: "" },
      { event: "workspace", data: "{}", id: "" },
    ];
    expect(read([text])).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((one, other) => one - other), text.length];
        expect(read(at.map((from, index) => text.slice(from, at[index + 1] ?? text.length)))).toEqual(whole);
      }),
    );
  });

  test("U-07 tries come later and later, but at least every 15 seconds", () => {
    const waits = Array.from({ length: 12 }, (_, tries) => waitBefore(tries, 1));
    expect(waits.slice(0, 6)).toEqual([500, 1000, 2000, 4000, 8000, 15_000]);
    expect(Math.max(...waits, waitBefore(1e6, 1))).toBe(15_000);
    expect(waitBefore(0, 0)).toBeGreaterThan(0);
  });

  test.each([
    ["", "r:1", "next"],
    ["", "r:7", "gap"],
    ["r:6", "r:7", "next"],
    ["r:7", "r:7", "known"],
    ["r:7", "r:3", "known"],
    ["r:7", "r:9", "gap"],
    ["r:7", "s:1", "next"],
    ["r:7", "s:2", "gap"],
  ] as const)("U-07 after %j, %j is %s", (last, id, step) => {
    expect(stepBetween(last, id)).toBe(step);
  });
});

describe("U-07 the fold of the page", () => {
  let news = { changed: 0, lost: 0 };
  beforeEach(() => {
    news = { changed: 0, lost: 0 };
  });
  const fold = () => createFold({ changed: () => (news.changed += 1), lost: () => (news.lost += 1) });
  const sent = (event: RunEvent, at: number): SentEvent => ({
    event: "event",
    id: `${runStarted.run}:${at}`,
    data: eventLine(event, { at: at * 1000, run: runStarted.run, redact: (text) => text }),
  });
  const snapshot = (...events: readonly RunEvent[]): SentEvent => {
    const { run, add } = createRunRecorder("open");
    events.forEach((event, at) => add(event, (at + 1) * 1000, runStarted.run));
    const data = { run: runStarted.run, isRunning: true, record: recordJson(run) };
    return { event: "snapshot", id: `${runStarted.run}:${events.length}`, data: JSON.stringify(data) };
  };

  test("U-07 goes on after a snapshot; nothing counts twice, and a gap is noticed", () => {
    const { take, run, lastId } = fold();
    const heard: string[] = [];
    const leave = onEvent(({ event }) => heard.push(event.type));
    take(snapshot(runStarted, iterationStarted));
    take(sent(iterationStarted, 2));
    const tool = { type: "agent.tool", iteration: iterationStarted.iteration, name: "Read", input: "a.ts" } as const;
    take(sent(tool, 3));
    take(sent(tool, 3));
    expect(openIterations(run()!.record).map(({ tools, doing }) => [tools, doing?.text])).toEqual([[1, "Read a.ts"]]);
    expect([news, lastId()]).toEqual([{ changed: 2, lost: 0 }, `${runStarted.run}:3`]);
    leave();
    take(sent(tool, 5));
    expect(heard).toEqual(["agent.tool"]);
    expect([news.lost, lastId()]).toEqual([1, `${runStarted.run}:3`]);
  });

  test("U-01 the page survives the run, and shows the next", () => {
    const { take, run } = fold();
    take(snapshot(runStarted));
    take(sent(runFinished, 2));
    expect(run()).toMatchObject({ run: runStarted.run, isRunning: false });
    const data = eventLine({ ...runStarted, run: "r-next" }, { at: 9000, run: "r-next", redact: (text) => text });
    take({ event: "event", id: "r-next:1", data });
    expect(run()).toMatchObject({ run: "r-next", isRunning: true });
    take({ event: "snapshot", id: "", data: "null" });
    expect(run()).toBeUndefined();
  });

  test("U-07 news of the workspace only say that something changed; what nobody knows is passed over", () => {
    const { take, lastId } = fold();
    const before = changes.value;
    take({ event: "workspace", id: "", data: "{}" });
    take({ event: "of a later version", id: "", data: "{}" });
    take({ event: "event", id: "r:1", data: "no JSON" });
    expect([changes.value - before, news, lastId()]).toEqual([1, { changed: 0, lost: 0 }, "r:1"]);
  });
});

describe("U-11 what needs a person", () => {
  const need = (task: string, kind: NeedData["kind"] = "question"): NeedData => ({
    kind,
    task,
    scope: "workspace",
    title: "T",
    text: "?",
    evidence: null,
    verbs: [],
    type: null,
    sinceMs: null,
  });

  test("U-11 is told once, and not what was there when the page was opened", () => {
    expect(newNeeds(undefined, [need("t-1")])).toEqual([]);
    expect(newNeeds([need("t-1")], [need("t-1"), need("t-2"), need("t-1", "failed")])).toEqual([
      need("t-2"),
      need("t-1", "failed"),
    ]);
  });

  test("U-11 is counted in the title of the tab", () => {
    expect([titleOf(2, "shop"), titleOf(0, "shop"), titleOf(0, "")]).toEqual([
      "(2) shop · ralphctl",
      "shop · ralphctl",
      "ralphctl",
    ]);
  });
});

test("U-08 a run that goes on has lasted until now, whenever it said its last word", () => {
  const run = {
    startedAt: new Date(nowMs.value - 90_000).toISOString(),
    lastAt: new Date(nowMs.value - 82_000).toISOString(),
  };
  const words = (state: string): string => render(h(Lasted, { run: { ...run, state } })).replaceAll(/<[^>]+>/g, "");
  expect([words("running"), words("finished")]).toEqual(["1m30s", "8s"]);
});

test("U-08 a run that was killed waits for nothing, and no end of it is estimated", () => {
  const told = (isRunning: boolean): string => {
    const recorder = createRunRecorder("open");
    const waiting = { type: "run.waiting" as const, for: "limit" as const, untilMs: nowMs.value + 3_600_000 };
    [runStarted, waiting].forEach((event) => recorder.add(event, nowMs.value, runStarted.run));
    live.value = { run: runStarted.run, isRunning, record: recorder.run };
    return render(h(NowPlace, {})).replaceAll(/<[^>]+>/g, "");
  };
  expect(told(true)).toContain("Waiting for the usage limit to end: 1h");
  expect(told(false)).toContain("The last run crashed or was killed");
  expect(told(false)).not.toContain("usage limit to end");
  live.value = undefined;
});

test("the cost of a verified task is known of runs that have both, oldest first", () => {
  const run = (name: string, costUsd: number | null, proven: number) => ({
    run: name,
    startedAt: `2026-11-${name}T00:00:00Z`,
    isCostPartial: name === "02",
    costUsd,
    tasks: { proven, unbroken: 1, look: 5, failed: 0, waiting: 0, dropped: 0, blocked: 0 },
  });
  const none = { ...run("04", 1, 0), tasks: { ...run("04", 1, 0).tasks, unbroken: 0 } };
  expect(costPerTask([run("03", 3, 2), run("02", 1, 1), run("01", null, 2), none])).toEqual([
    { run: "02", usd: 0.5, isPartial: true },
    { run: "03", usd: 1, isPartial: false },
  ]);
});
