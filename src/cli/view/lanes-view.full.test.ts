import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { iterationFinished, iterationStarted, runStarted } from "../../../test/run-events.ts";
import { shown, type Shown } from "../../../test/shown-view.ts";
import type { IterationStarted, RunEvent } from "../../domain/run/event.ts";

const START = new Date(2026, 10, 16, 14, 5, 9).getTime();

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

const TITLES = ["Add a login page with a form", "Send mail", "Write the guide", "Fix prices", "Cache products"];
const task = (number: number) => ({ id: `t-0000000${number}`, title: TITLES[number - 1] ?? `Task ${number}` });
const left = { ready: 2, blocked: 3, waiting: 1, failed: 0, settled: 5 };

const starts = (lane: number): IterationStarted => ({
  ...iterationStarted,
  iteration: lane,
  lane,
  attempts: 0,
  harness: lane % 2 === 0 ? "codex" : "claude",
  task: task(lane),
  left: { ...left, blocked: lane + 2 },
});
const tool = (iteration: number, input: string): RunEvent => ({ type: "agent.tool", iteration, name: "Bash", input });
const says = (iteration: number, text: string): RunEvent => ({ type: "agent.text", iteration, text });
const claims = (iteration: number): readonly RunEvent[] => [
  { type: "agent.ended", iteration, outcome: { kind: "done" } },
  { type: "claim.made", iteration, claim: "done", channel: "message" },
];
const gate = (iteration: number, name: string): RunEvent => ({
  type: "gate.started",
  iteration,
  gate: name,
  kind: "workspace",
  command: name,
});
const passed = (iteration: number, name: string): RunEvent => ({
  type: "gate.finished",
  iteration,
  gate: name,
  passed: true,
  runs: 1,
  durationMs: 2000,
  end: { kind: "exit", code: 0 },
  output: "",
  file: "log",
});

/** Lane 1 has landed a task and works on the next, 2 is in the room, 3 waits for it, the others work. */
async function play(place: Shown, lanes: number): Promise<void> {
  const all = Array.from({ length: lanes }, (_, index) => index + 1);
  place.emit({ ...runStarted, lanes }, ...all.map(starts));
  await place.wait(60_000);
  place.emit({ ...iterationFinished, iteration: 1, task: task(1) });
  place.emit({ ...iterationStarted, iteration: 10, lane: 1, attempts: 0, task: task(10), left });
  if (lanes === 1) return;
  place.emit({ type: "agent.cost", iteration: 2, usd: 0.5 }, says(4, "I look at\nthe **prices** first"));
  place.emit(...claims(2), ...claims(3), gate(2, "lint"), passed(2, "lint"), gate(2, "test"), tool(10, "npm test"));
  await place.wait(12_000);
}

const OTHER = {
  next: [task(11), task(12)],
  ready: 2,
  waiting: [{ id: "t-q", title: "Ask for the port" }],
  asking: 1,
};

const block = async (place: Shown): Promise<string[]> => {
  const lines = (await place.seen()).split("\n");
  return lines.slice(lines.findLastIndex((line) => line.startsWith("── workspace")));
};

describe("L-43 the block of several lanes", () => {
  test("F-04 of a fleet the lanes at work have a line each, and a digit chooses a row", async () => {
    const place = shown({ columns: 80, rows: 24 });
    const at = (lane: number, iteration: number) => ({ ...starts(iteration), lane });
    place.emit({ ...runStarted, lanes: 1, fleet: true }, at(101, 1), at(302, 2), tool(2, "npm test"));
    place.type("2");
    place.emit(says(2, "Lane 302 speaks.\n"), says(1, "Lane 101 does not.\n"));
    const seen = await place.seen();
    expect(seen).toMatch(/302│ +Lane 302 speaks\./);
    expect(seen).not.toMatch(/│.*101 does not/);
    expect(seen).toContain("── workspace · fleet · lane 302 · ");
    expect(seen).toContain("0 all lanes");
    const rows = seen.split("\n").filter((line) => /^\d{3}[▸ ]/.test(line));
    expect(rows.map((line) => line.slice(0, 17))).toEqual(["101 Add a login p", "302▸Send mail    "]);
  });

  test("at 80x24 four lanes have a line each; then come the room, what landed, progress and keys", async () => {
    const place = shown({ columns: 80, rows: 24 });
    await play(place, 4);
    expect(await block(place)).toEqual([
      "── workspace · 4 lanes · 10 of 32 iterations ────────────────────── 1m12s of 8h",
      "1 Task 10          claude  > Bash npm test                           12s",
      "2 Send mail        codex   is being proven                         1m12s  $0.50",
      "3 Write the guide  claude  waits for the room                      1m12s",
      "4 Fix prices       codex   the prices first                        1m12s",
      "Room, lane 2:  ✓ lint 2.0s  … test 12s                                  1 waits",
      "Landed: Add a login page with a form 12s ago",
      "█████░░░░░░░░ 5 of 12 done · 1 waits for you       $0.92 of $20.00 · 12k tokens",
      "p pause · s stop after these · 1-4 lane · c add context · v more · ? help",
    ]);
  });

  test.each([
    ["", ["Probably done in 5m to 11m (14:14 to 14:20), for $3.36 to $3.78 in all"]],
    ["s", []],
  ])("at 80x24 they say when the run will probably be done, unless it is to stop: %j", async (key, expected) => {
    const place = shown({ columns: 80, rows: 24 });
    const begin = (lane: number): RunEvent => ({ ...starts(lane), chain: 2 });
    const end = (lane: number): RunEvent => ({ ...iterationFinished, iteration: lane, task: task(lane) });
    place.emit({ ...runStarted, lanes: 4 }, begin(1), begin(2), begin(3), begin(4));
    await place.wait(240_000);
    place.emit(end(1), end(2), end(3));
    place.type(key);
    const lines = await block(place);
    expect(lines.slice(lines.findIndex((line) => line.startsWith("█")) + 1, -1)).toEqual(expected);
  });

  test("at 80x24 nine lanes are folded: those at work first, the rest as a number", async () => {
    const place = shown({ columns: 80, rows: 24 });
    await play(place, 9);
    place.emit({ ...iterationFinished, iteration: 4, task: task(4), status: "pending", outcome: "idle" });
    expect(await block(place)).toEqual([
      "── workspace · 9 lanes · 10 of 32 iterations ────────────────────── 1m12s of 8h",
      "1 Task 10          claude  > Bash npm test                           12s",
      "2 Send mail        codex   is being proven                         1m12s  $0.50",
      "3 Write the guide  claude  waits for the room                      1m12s",
      "5 Cache products   claude  starting                                1m12s",
      "6 Task 6           codex   starting                                1m12s",
      "7 Task 7           claude  starting                                1m12s",
      "and 3 more lanes: 2 at work, 1 idle",
      "Room, lane 2:  ✓ lint 2.0s  … test 12s                                  1 waits",
      "Landed: Add a login page with a form 12s ago",
      "████░░░░░░░░░ 5 of 17 done · 1 waits for you       $1.34 of $20.00 · 25k tokens",
      "p pause · s stop after these · 1-9 lane · c add context · v more · ? help",
    ]);
  });

  test("at 120x40 the tasks stand beside four lanes", async () => {
    const place = shown({ columns: 120, rows: 40 }, { tasks: OTHER });
    await play(place, 4);
    expect(await block(place)).toEqual([
      `── workspace · 4 lanes · 10 of 32 iterations · branch main ${"─".repeat(48)} 1m12s of 8h`,
      "1 Task 10          claude  > Bash npm test                         12s        │ Done 5     Add a login page with a form",
      "2 Send mail        codex   is being proven                       1m12s  $0.50 │ Doing 4    Task 10, Send mail, Write t…",
      "3 Write the guide  claude  waits for the room                    1m12s        │ Next 2     Task 11",
      "4 Fix prices       codex   the prices first                      1m12s        │            Task 12",
      "Room, lane 2:  ✓ lint 2.0s  … test 12s                                1 waits │ For you 1  Ask for the port",
      "Landed: Add a login page with a form 12s ago                                  │",
      "█████░░░░░░░ 5 of 12 done · 1 waits for you      $0.92 of $20.00 · 12k tokens │",
      "p pause · s stop after these · 1-4 lane · c add context · v more · ? help",
    ]);
  });

  test("at 120x40 nine lanes fit, and the tasks beside them", async () => {
    const place = shown({ columns: 120, rows: 40 }, { tasks: OTHER });
    await play(place, 9);
    expect(await block(place)).toEqual([
      `── workspace · 9 lanes · 10 of 32 iterations · branch main ${"─".repeat(48)} 1m12s of 8h`,
      "1 Task 10          claude  > Bash npm test                         12s        │ Done 5     Add a login page with a form",
      "2 Send mail        codex   is being proven                       1m12s  $0.50 │ Doing 9    Task 10, Send mail, Write t…",
      "3 Write the guide  claude  waits for the room                    1m12s        │ Next 2     Task 11",
      "4 Fix prices       codex   the prices first                      1m12s        │            Task 12",
      "5 Cache products   claude  starting                              1m12s        │ For you 1  Ask for the port",
      ...[6, 7, 8, 9].map((lane) => {
        const agent = lane % 2 === 0 ? "codex " : "claude";
        return `${lane} Task ${lane}           ${agent}  starting                              1m12s        │`;
      }),
      "Room, lane 2:  ✓ lint 2.0s  … test 12s                                1 waits │",
      "Landed: Add a login page with a form 12s ago                                  │",
      "████░░░░░░░░ 5 of 17 done · 1 waits for you      $0.92 of $20.00 · 12k tokens │",
      "p pause · s stop after these · 1-9 lane · c add context · v more · ? help",
    ]);
  });

  test("at 120x40 the tasks stand beside one lane, too", async () => {
    const place = shown({ columns: 120, rows: 40 }, { tasks: OTHER });
    await play(place, 1);
    await place.wait(1000);
    expect(await block(place)).toEqual([
      `── workspace · iteration 10 of 32 · branch main ${"─".repeat(60)} 1m1s of 8h`,
      "t-000000010 Task 10                            claude (opus) · attempt 1 of 3 │ Done 5     Add a login page with a form",
      "Working for 1s · silent for 1s                                                │ Doing 1    Task 10",
      "█████░░░░░░░ 5 of 12 done · 1 waits for you      $0.42 of $20.00 · 12k tokens │ Next 2     Task 11",
      "                                                                              │            Task 12",
      "                                                                              │ For you 1  Ask for the port",
      "p pause · s stop after this · c add context · v more · ? help",
    ]);
  });

  test("at 160x40 there is room for ids and models", async () => {
    const place = shown({ columns: 160, rows: 40 });
    await play(place, 4);
    expect((await block(place))[2]).toBe(
      `2 t-00000002 Send mail        codex (opus)   is being proven${" ".repeat(87)}1m12s  $0.50`,
    );
  });

  test.each([
    [[1], /^Room: free +pauses after the iterations under way$/],
    [[1, 2], /^Paused$/],
  ])("P-43 of two lanes %j have paused: the run is not before the last is", async (ended, expected) => {
    const place = shown({ columns: 80, rows: 24 });
    place.emit({ ...runStarted, lanes: 2 }, starts(1), starts(2));
    place.type("p");
    for (const lane of ended) place.emit({ ...iterationFinished, iteration: lane, task: task(lane) });
    place.emit({ type: "run.waiting", for: "pause" });
    expect((await block(place)).find((line) => /Room|Paused/.test(line))).toMatch(expected);
  });

  test.each([80, 120])(
    "L-43 at %i columns a wait for a usage limit is seen while another lane is in the room",
    async (columns) => {
      const place = shown({ columns, rows: 40 }, { env: { NO_COLOR: "1" }, tasks: OTHER });
      await play(place, 4);
      place.emit({ type: "run.waiting", for: "limit", untilMs: START + 132_000 });
      await place.wait(100);
      place.emit(
        { ...iterationFinished, iteration: 2, task: task(2) },
        { ...iterationFinished, iteration: 3, task: task(3) },
      );
      await place.wait(100);
      const drawn = place.writes().join("");
      expect(drawn).toMatch(/Room, lane 2: .*… test 12s +usage limit for 1m · 1 waits/);
      expect((await block(place)).slice(2, 6)).toEqual([
        expect.stringMatching(/^2 idle/),
        expect.stringMatching(/^3 idle/),
        expect.stringMatching(/^4 Fix prices/),
        expect.stringMatching(/^Waiting for the usage limit to end: 1m · until 14:07:21/),
      ]);
    },
  );

  const alone = { type: "lanes.held", why: "alone", task: task(2), lane: 2 } as const;
  const ended = { ...iterationFinished, iteration: 1, task: task(1) };

  test.each<readonly [string, readonly RunEvent[], readonly RegExp[]]>([
    ["nothing is ready", [], [/^2 idle$/, /^3 idle$/]],
    [
      "lane 2 is to work alone",
      [alone],
      [/^2 Send mail +waits until no other lane works$/, /^3 idle +lane 2 works alone$/],
    ],
    [
      "lane 2 works alone",
      [alone, ended, starts(2)],
      [/^2 Send mail +\w+ +starting +0s$/, /^3 idle +lane 2 works alone$/],
    ],
    ["it has ended", [alone, { type: "lanes.held" }], [/^2 idle$/, /^3 idle$/]],
    [
      "little of the budget is left",
      [{ type: "lanes.held", why: "budget" }],
      [/^2 idle +too little of the budget is left$/, /^3 idle +too little/],
    ],
  ])("L-25 an idle lane says why: %s", async (_, events, expected) => {
    const place = shown({ columns: 80, rows: 24 });
    place.emit({ ...runStarted, lanes: 3 }, starts(1), ...events);
    expect((await block(place)).slice(2, 4)).toEqual(expected.map((line) => expect.stringMatching(line) as string));
  });

  test("at 40x12 all lanes are only counted", async () => {
    const place = shown({ columns: 40, rows: 12 });
    await play(place, 4);
    expect((await block(place))[1]).toBe("4 lanes: 4 at work");
  });

  test("at 48x16 titles and words share the line, and lanes are folded", async () => {
    const place = shown({ columns: 48, rows: 16 });
    await play(place, 4);
    expect(await block(place)).toEqual([
      "── workspace · 4 lanes · 10 of 32…  1m12s of 8h",
      "1 Task 10    > Bash npm test                12s",
      "2 Send mail  is being proven              1m12s",
      "and 2 more lanes: 2 at work",
      "Room, lane 2:  ✓ lint 2.0s  … test 12s  1 waits",
      "Landed: Add a login page with a form 12s ago",
      "███░░░░ 5 of 12 done · 1 waits for you",
      "p pause · s stop after these · ? help",
    ]);
  });
});

describe("L-43 the lines of several lanes", () => {
  test("tell how far the tasks are; a digit shows the words of a lane from before and from now on, and 0 all", async () => {
    const place = shown({ columns: 80, rows: 40 });
    place.emit({ ...runStarted, lanes: 2, gates: [] }, starts(1), starts(2), says(1, "One."), says(2, "Two."));
    place.type("2");
    place.emit(says(1, "Not seen."), says(2, "More."), { type: "run.notice", level: "warning", text: "Seen", lane: 1 });
    place.emit({ ...iterationFinished, iteration: 1, task: task(1) });
    place.type("0");
    place.emit(says(2, "Not seen."), tool(2, "not seen"), ...claims(2));
    place.type("7");
    const lines = (await place.seen()).split("\n");
    const first = lines.findIndex((line) => line.startsWith("2│ Iteration"));
    expect(lines.slice(first + 2, -8)).toEqual([
      "Showing lane 2",
      "2│   Two.",
      "2│   More.",
      "1│ Warning: Seen",
      "Showing all lanes",
      "2│   The agent claims: done (in its final message)",
    ]);
    expect(lines.at(-1)).toBe("There are 2 lanes");
  });

  test("with more detail, all words are shown; the same digit goes back to all", async () => {
    const place = shown({ columns: 80, rows: 40 }, { verbose: true });
    place.emit({ ...runStarted, lanes: 2, gates: [] }, starts(1), starts(2), says(1, "One."));
    place.type("2");
    place.type("2");
    place.emit(says(1, "Two."));
    const lines = (await place.seen()).split("\n").filter((line) => /│ {3}(?:One|Two)|^Showing/.test(line));
    expect(lines).toEqual(["1│   One.", "Showing lane 2", "Showing all lanes", "1│   Two."]);
  });

  test("with one lane a digit is no key", async () => {
    const place = shown({ columns: 80, rows: 40 });
    place.emit(runStarted, iterationStarted, says(3, "One."));
    place.type("1");
    expect((await place.seen()).split("\n").at(-1)).toBe(
      "p pause · s stop after this · c add context · v more · ? help",
    );
  });
});

describe("a view of a run in another terminal", () => {
  test("shows the last lines of what was, and has keys to quit and to stop now", async () => {
    const place = shown({ columns: 80, rows: 24 }, { isWatching: true });
    const text = Array.from({ length: 60 }, (_, line) => `Line ${line}`).join("\n");
    for (const event of [runStarted, iterationStarted, says(3, text)]) place.view.recall(event, START);
    place.view.caughtUp();
    place.emit(says(3, "Now."));
    await place.wait(100);
    place.type("q");
    place.type("\u0003");
    place.type("S");
    await place.wait(10);
    expect([place.asked, place.calls()]).toEqual([["leave", "leave", "stop now"], []]);
    place.type("?");
    const lines = (await place.seen()).split("\n");
    expect(lines.slice(-4)).toEqual([
      "v       show more: thinking, results, notices",
      "S       stop the run now; a proof under way is finished; again: at once",
      "q       quit this view, also with Ctrl-C; the run goes on",
      "?       hide this",
    ]);
    expect(place.writes().join("")).not.toContain("Line 35\r");
  });
});
