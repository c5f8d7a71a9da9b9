import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryEvent } from "../../test/arbitrary-event.ts";
import { iterationFinished, iterationStarted, login, runFinished, runStarted } from "../../test/run-events.ts";
import type { InspectedIteration } from "../app/inspect/inspect.ts";
import type { RunEvent } from "../domain/run/event.ts";
import type { IterationRecord } from "../domain/run/iteration-record.ts";
import { createTimeline, endedTimeline, iterationsOf, type Timeline } from "../domain/run/timeline.ts";
import { iterationPage } from "../format/iteration-page.ts";
import { costWords, resultWord, whySentence } from "../format/iteration-text.ts";
import { createLogText } from "./commands/logs.ts";
import { wrapped } from "../format/run-text.ts";
import { timelineText } from "../format/timeline-text.ts";

const timelineOf = (...events: readonly RunEvent[]): Timeline | undefined => {
  const builder = createTimeline();
  events.forEach((event, at) => builder.add({ atMs: at * 1000, run: runStarted.run, event }));
  return builder.timeline();
};

/** Iteration 3 as these events tell it. */
const recordOf = (...events: readonly RunEvent[]): IterationRecord =>
  iterationsOf(timelineOf(runStarted, iterationStarted, ...events)!)[0]!;

/** The same when its run was killed meanwhile. */
const cutOff = (): IterationRecord => iterationsOf(endedTimeline(timelineOf(runStarted, iterationStarted)!))[0]!;

const claim = (channel: "message" | "person" = "message"): RunEvent => ({
  type: "claim.made",
  iteration: 3,
  claim: "done",
  channel,
});

const verdict = (
  kind: "accepted" | "rejected" | "parked" | "undecided" | "deferred",
  ...reasons: readonly string[]
): RunEvent => ({ type: "verdict.reached", iteration: 3, verdict: kind, reasons });

describe("why an iteration came out as it did", () => {
  test.each<[string | undefined, readonly RunEvent[]]>([
    [
      "The agent claimed it was done, but gate test failed: exit code 1",
      [verdict("rejected", "gate test: exit code 1")],
    ],
    [
      "You claimed it was done, but gate lint failed: timed out after 5 s",
      [claim("person"), verdict("rejected", "gate lint: timed out after 5 s")],
    ],
    [
      "The agent claimed it was done, but gate a failed: exit code 1, and gate b failed: killed by SIGKILL",
      [verdict("rejected", "gate a: exit code 1", "gate b: killed by SIGKILL")],
    ],
    [
      "The agent claimed it was done, but gate a failed: exit code 1; the agent changed protected files: ci.yml; and the gates pass, but the agent changed nothing",
      [
        verdict(
          "rejected",
          "gate a: exit code 1",
          "the agent changed protected files: ci.yml",
          "the gates pass, but the agent changed nothing",
        ),
      ],
    ],
    [
      "There is no gate, and the agent changed nothing",
      [claim(), verdict("rejected", "there is no gate, and the agent changed nothing")],
    ],
    [
      "The gates pass, but the agent changed nothing",
      [claim(), verdict("rejected", "the gates pass, but the agent changed nothing")],
    ],
    ["The agent claimed it was done, but the gates do not agree", [verdict("rejected")]],
    ["Accepted: proven by the gates", [verdict("accepted", "proven by the gates")]],
    ["A person must decide: already done?", [verdict("parked", "already done?")]],
    ["The claim came too early to end the run", [verdict("deferred")]],
    ["Undecided: the gates were stopped", [verdict("undecided")]],
    [
      "Undecided: the reviewer gave no answer: Come back later",
      [verdict("undecided", "The reviewer gave no answer: Come back later")],
    ],
    ["It asks: Which colour?", [{ ...iterationFinished, outcome: "parked", question: "Which\ncolour?" }]],
    ["It was silent", [{ type: "session.stopped", iteration: 3, why: "It was silent" }]],
    [
      "The agent ended with exit code 2",
      [
        {
          type: "agent.ended",
          iteration: 3,
          outcome: { kind: "crashed", code: 2, signal: null, detail: "ended with exit code 2" },
        },
      ],
    ],
    [
      "No claim, and nothing was changed",
      [{ ...iterationFinished, outcome: "idle", reason: "No claim, and nothing was changed." }],
    ],
    [
      "The agent claims: it cannot be done (in its final message)",
      [{ type: "claim.made", iteration: 3, claim: "failed", channel: "message" }],
    ],
    [undefined, [claim()]],
    [undefined, []],
  ])("is said as %j", (sentence, events) => {
    expect(whySentence(recordOf(...events))).toBe(sentence);
  });

  test("P-19 done without a gate is not called verified; what has not ended has no outcome", () => {
    expect([
      resultWord(recordOf(iterationFinished)),
      resultWord(recordOf({ ...iterationFinished, strength: "look" })),
      resultWord(recordOf()),
      resultWord(cutOff()),
    ]).toEqual(["proven", "done, but look at it first", "in progress", "cut off"]);
    expect(whySentence(cutOff())).toBe(
      "ralphctl crashed or was killed during the iteration; the next run continues from there",
    );
  });

  test("P-44 a cost that is a guess, or that nobody reported, is called so", () => {
    expect([
      costWords(recordOf(iterationFinished)),
      costWords(recordOf({ ...iterationFinished, isEstimated: true, tokens: 0 })),
      costWords(recordOf({ ...iterationFinished, isCostPartial: true })),
      costWords(recordOf({ ...iterationFinished, costUsd: undefined, tokens: 0 })),
      costWords(recordOf()),
      costWords(cutOff()),
    ]).toEqual([
      "$0.42 · 12,345 tokens",
      "about $0.42",
      "at least $0.42 · 12,345 tokens",
      "not reported",
      "not known yet",
      "unknown",
    ]);
  });
});

test("waits, checks and what goes on have lines of their own", () => {
  const timeline = timelineOf(
    runStarted,
    { type: "check.started", check: "baseline" },
    { type: "check.finished", check: "baseline", red: [] },
    { type: "run.waiting", for: "limit", untilMs: 99 },
    { type: "run.resumed" },
    { ...iterationStarted, iteration: 12 },
    { type: "run.waiting", for: "pause" },
  )!;
  const text = timelineText({ kind: "run", timeline, isRunning: true, sessions: [] }, timeline.startedAtMs + 90_000);
  expect(text.replaceAll(/\d\d:\d\d:\d\d/g, "CLOCK").split("\n")).toEqual([
    `Run ${runStarted.run} of the workspace`,
    "",
    "  State  running, as process 4711",
    expect.stringMatching(/^ {2}Time {3}\S+ CLOCK, 1m30s so far$/),
    `  Lane   1, ${runStarted.lane.folder}`,
    "  Cost   not reported",
    "",
    "      CLOCK  gate check before work starts: passed",
    "      CLOCK  waited 1.0s for a usage limit",
    `  12  CLOCK  in progress  ${login.id} Add login`,
    "      CLOCK  waiting for a person",
    "",
    `Details: ralphctl inspect ${runStarted.run}/12`,
    "",
  ]);
});

test("a run that ended without a word is said to have done so", () => {
  const timeline = timelineOf(runStarted)!;
  const text = timelineText({ kind: "run", timeline, isRunning: false, sessions: [] }, timeline.lastAtMs);
  expect(text).toContain("\n  Ended  crashed or was killed\n");
});

test("texts are wrapped between words; one that is too long stays whole", () => {
  expect([wrapped("one two three", 8), wrapped("one-two-three four", 8), wrapped("  ", 8)]).toEqual([
    ["one two", "three"],
    ["one-two-three", "four"],
    [],
  ]);
});

test("a damaged log may say words that every object knows", () => {
  const word = "valueOf" as never;
  const events: readonly RunEvent[] = [
    { type: "run.waiting", for: word },
    { ...iterationFinished, outcome: word, strength: word },
    { ...runFinished, ending: word },
  ];
  const timeline = timelineOf(runStarted, iterationStarted, ...events)!;
  const text = timelineText({ kind: "run", timeline, isRunning: false, sessions: [] }, timeline.lastAtMs);
  expect(text).toMatch(/\n {2}3 {2}\S+ {2}valueOf {2}/);
  const log = createLogText({
    verbose: false,
    quiet: false,
    width: 80,
    clock: () => "2026-11-16 01:02:03",
    redact: (each) => each,
    wishes: { types: ["run.finished"] },
  });
  expect(events.flatMap((event) => log(event, 0)).slice(0, 2)).toEqual(["", "valueOf: every task is settled"]);
});

describe("W-04 whatever the events are", () => {
  // oxlint-disable-next-line no-control-regex
  const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  const events = fc.array(arbitraryEvent(), { maxLength: 30 });
  const about = (record: IterationRecord): InspectedIteration => ({
    record,
    folder: "/srv/shop/.ralph",
    promptFile: undefined,
    transcriptFile: undefined,
    patch: { file: "x", files: [{ path: "\u001b[31ma\u202e", added: 1, removed: 0, isBinary: false }] },
    reopen: ["claude", "\u0007"],
  });

  test("pages about runs and iterations have no control character, and none makes them throw", () => {
    fc.assert(
      fc.property(events, (some) => {
        const timeline = timelineOf(runStarted, iterationStarted, ...some)!;
        const pages = iterationsOf(timeline).map((record) => iterationPage(about(record), "/srv/shop"));
        const text = [
          timelineText({ kind: "run", timeline, isRunning: false, sessions: [] }, timeline.lastAtMs),
          ...pages,
        ].join("");
        expect(text).not.toMatch(CONTROL);
      }),
      { numRuns: 200 },
    );
  });

  test("lines of a log have none either, and every text of an agent comes out whole when only texts are wanted", () => {
    fc.assert(
      fc.property(events, (some) => {
        const options = { verbose: false, quiet: false, width: 80, clock: String, redact: (text: string) => text };
        const all = createLogText({ ...options, wishes: {} });
        const texts = createLogText({ ...options, wishes: { types: ["agent.text"] } });
        const lines = some.flatMap((event, at) => [...all(event, at), ...texts(event, at)]);
        expect(lines.join("\n")).not.toMatch(CONTROL);
      }),
      { numRuns: 200 },
    );
    const log = createLogText({
      verbose: false,
      quiet: false,
      width: 80,
      clock: () => "2026-11-16 01:02:03",
      redact: (text) => text,
      wishes: { types: ["agent.text"] },
    });
    const parts: readonly RunEvent[] = [
      iterationStarted,
      { type: "agent.text", iteration: 3, text: "one\ntw", block: "b" },
      { type: "agent.text", iteration: 3, text: "o", block: "b" },
      { type: "agent.ended", iteration: 3, outcome: { kind: "done" } },
      { ...iterationStarted, iteration: 4 },
      { type: "agent.text", iteration: 4, text: "three" },
      runFinished,
    ];
    expect(parts.flatMap((event) => log(event, 0))).toEqual([
      "2026-11-16",
      "01:02:03    one",
      "01:02:03    two",
      "01:02:03    three",
    ]);
  });
});
