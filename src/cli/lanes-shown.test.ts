import { beforeAll, expect, test } from "vitest";
import { iterationFinished, iterationStarted, login, mail, runStarted } from "../../test/run-events.ts";
import type { WorkspaceStatus } from "../app/status.ts";
import type { EventOf, RunEvent } from "../domain/run/event.ts";
import { createRunRecorder } from "../domain/run/run-record.ts";
import { createTimeline, type Timeline } from "../domain/run/timeline.ts";
import { laneFacts } from "../format/lane-status.ts";
import { timelineText } from "../format/timeline-text.ts";
import { workspaceStatusJson } from "../format/workspace-status-json.ts";
import { workspaceStatusText } from "../format/workspace-status.ts";
import { h } from "preact";
import { render } from "preact-render-to-string";
import { TimeLine } from "../ui/parts/time-line.tsx";
import { timeText } from "../ui/report/time-text.ts";

// L-43: a run with three lanes, as its events tell it, and as each command shows it.

const pages = { id: "t-9c0d1e2f", title: "Page twice" };
const done = { kind: "done" } as const;
const ofGate = { gate: "test", runs: 1, end: { kind: "exit", code: 0 }, output: "", file: "" } as const;

const begin = (iteration: number, lane: number, task: typeof login): RunEvent => ({
  ...iterationStarted,
  iteration,
  lane,
  task,
  attempts: 0,
  left: { ready: 3, blocked: 1, waiting: 0, failed: 0, settled: 2 },
  chain: 2,
});

const claims = (iteration: number): RunEvent[] => [
  { type: "agent.ended", iteration, outcome: done },
  { type: "claim.made", iteration, claim: "done", channel: "message" },
];

const gate = (iteration: number): EventOf<"gate.started"> => ({
  type: "gate.started",
  iteration,
  gate: "test",
  kind: "workspace",
  command: "npm test",
});

const { strength: _, ...unproven } = iterationFinished;

/** Seconds after the start, and events. */
const EVENTS: readonly (readonly [at: number, ...events: readonly RunEvent[]])[] = [
  [0, { ...runStarted, lanes: 4 }, { type: "check.started", check: "baseline" }],
  [6, { type: "check.finished", check: "baseline", red: [] }, begin(1, 1, login)],
  [9, { type: "check.started", check: "own", lane: 2 }],
  [12, { type: "check.finished", check: "own", red: ["own"], lane: 2 }, begin(2, 2, mail)],
  [30, ...claims(1), gate(1)],
  [36, { type: "gate.finished", iteration: 1, ...ofGate, passed: false, durationMs: 6000 }],
  [36, { ...unproven, iteration: 1, task: login, outcome: "rejected", status: "pending" }],
  [40, { type: "verdict.reached", iteration: 2, verdict: "accepted", reasons: [] }],
  [40, { ...iterationFinished, iteration: 2, task: mail }, begin(3, 3, pages), begin(4, 2, login)],
  [50, ...claims(3), gate(3)],
  [54, ...claims(4), { type: "run.waiting", for: "limit", untilMs: 120_000 }],
  [60, { type: "run.notice", level: "info", text: "Somebody is there" }],
];

let timeline: Timeline;
let status: WorkspaceStatus;

beforeAll(() => {
  const { run, add } = createRunRecorder("open");
  const builder = createTimeline();
  for (const [at, ...events] of EVENTS) {
    for (const event of events) {
      add(event, at * 1000);
      builder.add({ atMs: at * 1000, run: runStarted.run, event });
    }
  }
  timeline = builder.timeline()!;
  status = {
    root: "/srv/shop",
    scope: undefined,
    isFleet: false,
    nowMs: 62_000,
    running: [
      {
        run: runStarted.run,
        scope: "workspace",
        pid: 4711,
        host: "here",
        root: "/srv/shop",
        glance: { ...run, startedAtMs: 0 },
      },
    ],
    isTreeTaken: true,
    last: undefined,
    counts: [],
    next: [],
    waiting: [],
    failed: [],
    leases: [],
    behind: [],
    found: [],
    context: [],
    spent: { costUsd: undefined, isCostPartial: false, isCostEstimated: false, tokens: 0, runs: 1 },
  };
});

const LANES = "4, in /home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d";

test("L-43 status does not count the wait for the room as time in it", () => {
  const { run, add } = createRunRecorder("open");
  const events = [
    { ...runStarted, lanes: 2 },
    begin(1, 1, login),
    begin(2, 2, mail),
    ...claims(1),
    gate(1),
    ...claims(2),
  ];
  for (const event of events) add(event, 1000);
  const last = { ...iterationFinished, iteration: 1 };
  add(last, 60_000);
  const facts = laneFacts(run, (ms) => `${ms / 1000}s`);
  expect(facts[0]).toEqual(["Lane 2", [expect.stringContaining("Send mail"), expect.stringMatching(/, in the room$/)]]);
});

test("L-43 status says what each lane does and since when, and which have no task", () => {
  const text = workspaceStatusText(status).replace(/until \d\d:\d\d/, "until TIME");
  expect(text.split("\n").slice(1, 12)).toEqual([
    "  Running      for 1m2s, as process 4711",
    `  Lanes        ${LANES}`,
    `  Lane 2       ${login.id} Add login`,
    "               claude (opus), iteration 4 of 32, waiting for the room for 8s",
    `  Lane 3       ${pages.id} Page twice`,
    "               claude (opus), iteration 3 of 32, in the room for 12s, gate test",
    "  No task      lanes 1, 4",
    "  Waiting for  a usage limit to end, until TIME (in 58s)",
    "  Cost         $0.84 of at most $20.00 · 24,690 tokens",
    "",
    "Tasks",
  ]);
  expect(workspaceStatusJson(status)).toMatchObject({
    running: [
      {
        lanes: 4,
        iteration: { iteration: 4 },
        iterations: [
          { iteration: 3, lane: 3, task: pages, startedAt: "1970-01-01T00:00:40.000Z" },
          { iteration: 4, lane: 2, task: login },
        ],
        room: 3,
        estimate: null,
      },
    ],
  });
});

test("L-43 inspect has a column for the lane", () => {
  const lines = timelineText({ kind: "run", timeline, isRunning: true, sessions: [] }, timeline.lastAtMs).split("\n");
  expect(lines.map((line) => line.replaceAll(/\b\d\d:\d\d:(\d\d)\b/g, ":$1")).slice(4, 18)).toEqual([
    `  Lanes  ${LANES}`,
    "  Tasks  1 proven",
    "  Cost   $0.84 · 24,690 tokens",
    "",
    "             :00  gate check before work starts: passed",
    `  1  lane 1  :06  rejected     30s  $0.42  ${login.id} Add login`,
    "     lane 2  :09  gate check before the first session of a task: failed (own)",
    `  2  lane 2  :12  proven       28s  $0.42  ${mail.id} Send mail`,
    `  3  lane 3  :40  in progress              ${pages.id} Page twice`,
    `  4  lane 2  :40  in progress              ${login.id} Add login`,
    "             :54  waiting for a usage limit",
    "",
    `Details: ralphctl inspect ${runStarted.run}/4`,
    "",
  ]);
});

test("L-43 a report has a row for each lane, one for the room and one for waits", () => {
  const text = timeText(timeline).split("\n");
  expect(text.map((line) => line.replaceAll(/\d{4}-\d\d-\d\d |\b\d\d:\d\d:(?=\d)/g, ":"))).toEqual([
    "lane 1   ······▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓························",
    "lane 2   ············████████████████████████████░░░░░░░░░░░░░░░░░░░░",
    "lane 3   ········································░░░░░░░░░░░░░░░░░░░░",
    "room     ░░░░░░···░░░··················▓▓▓▓▓▓··············░░░░░░░░░░",
    "waiting  ······················································▒▒▒▒▒▒",
    "         ::00 to :00",
    "",
    "█ proven or unbroken",
    "▓ rejected or failed",
    "▒ waiting, or to look at",
    "░ checks, and unfinished work",
  ]);
  const html = render(h(TimeLine, { timeline }));
  expect(html.match(/<span>[^<]+<\/span><svg|<title>[^<]+/g)).toEqual([
    "<span>lane 1</span><svg",
    "<title>1: Add login: rejected · 30s",
    "<span>lane 2</span><svg",
    "<title>2: Send mail: proven · 28s",
    "<title>4: Add login: in progress · 20s",
    "<span>lane 3</span><svg",
    "<title>3: Page twice: in progress · 20s",
    "<span>room</span><svg",
    "<title>gate check before work starts: passed · 6.0s",
    "<title>lane 2: gate check before the first session of a task: failed (own) · 3.0s",
    "<title>lane 1, iteration 1: test: FAILED, exit code 0 · 6.0s",
    "<title>lane 3, iteration 3: test: did not finish",
    "<span>waiting</span><svg",
    "<title>Waiting: limit · 6.0s",
  ]);
});
