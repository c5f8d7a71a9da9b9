import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { iterationFinished, iterationStarted, runFinished, runStarted } from "../../../test/run-events.ts";
import type { Size } from "../../../test/screen.ts";
import { shown } from "../../../test/shown-view.ts";
import { RalphError } from "../../domain/error.ts";
import type { RunEvent } from "../../domain/run/event.ts";

const START = new Date(2026, 10, 16, 14, 5, 9).getTime();
const iteration = 3;
const left = { ready: 3, blocked: 4, waiting: 2, failed: 1, settled: 5 };
const begun: readonly RunEvent[] = [runStarted, { ...iterationStarted, left }];
const sized = (columns: number, rows: number): Size => ({ columns, rows });

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

const gate = (name: string, durationMs?: number, about: { iteration?: number } = { iteration }): RunEvent[] => [
  { type: "gate.started", ...about, gate: name, kind: "workspace", command: `npm run ${name}` },
  ...(durationMs === undefined
    ? []
    : [
        {
          type: "gate.finished" as const,
          ...about,
          gate: name,
          passed: name !== "test",
          runs: 1,
          durationMs,
          end: { kind: "exit" as const, code: name === "test" ? 1 : 0 },
          output: "",
          file: "log",
        },
      ]),
];

const words: readonly RunEvent[] = [
  { type: "agent.session", iteration, model: "opus-4" },
  {
    type: "agent.text",
    iteration,
    text: "## Plan\n\nI will **look** at `login.ts`.\n\n- 日本語 first\n\n```ts\nlet a = 1;\n```",
  },
  { type: "agent.tool", iteration, name: "Bash", input: "npm test" },
  { type: "agent.usage", iteration, input: 100_000, output: 5000, cacheRead: 0, cacheWrite: 0 },
  { type: "agent.cost", iteration, usd: 1.25 },
];

const KEYS = "p pause · s stop after this · c add context · v more · ? help";

describe("the block", () => {
  test("at 80x24 has scope, iteration, task, agent, times, progress and budget in five lines below what scrolls", async () => {
    const { emit, wait, seen } = shown(sized(80, 24));
    emit(...begun);
    await wait(60_000);
    emit(...words);
    await wait(12_000);
    expect(await seen()).toBe(`  (/home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d/1)
Scope workspace · branch main · build mode · claude · 4 open tasks
At most 32 iterations · 8h · $20.00
These commands will check what the agent claims:
  lint  npm run lint
  test  npm test

Iteration 3 of 32 · t-1a2b3c4d "Add login" · claude (opus, recommended by the
  agent) · attempt 2 of 3
  Plan

  I will look at login.ts.

  • 日本語 first

  │ ts
  │ let a = 1;
  > Bash npm test

── workspace · iteration 3 of 32 ────────────────────────────────── 1m12s of 8h
t-1a2b3c4d Add login                             claude (opus) · attempt 2 of 3
Working for 1m12s · silent for 12s
████░░░░░░░░░ 5 of 16 done · 1 failed · 2 wait for you          $1.25 of $20.00
${KEYS}`);
  });

  test("L-43 with several lanes each has a line, a digit chooses the lane whose words are shown", async () => {
    const place = shown(sized(80, 24));
    const other = { ...iterationStarted, iteration: 4, lane: 2, task: { id: "t-2", title: "Send mail" }, left };
    place.emit({ ...runStarted, lanes: 2 }, { ...iterationStarted, left }, other, ...words);
    place.emit({ type: "agent.text", iteration: 4, text: "Of lane 2" });
    place.type("2");
    const lines = (await place.seen()).split("\n");
    expect(lines.slice(-9)).toEqual([
      "Showing lane 2",
      "2│   Of lane 2",
      "",
      "── workspace · lane 2 of 2 · 4 of 32 iterations ────────────────────── 0s of 8h",
      "1 Add login  claude  > Bash npm test                                  0s  $1.25",
      "2▸Send mail  claude  Of lane 2                                        0s",
      "Room: free",
      "████░░░░░░░░░ 5 of 16 done · 1 failed · 2 wait for you          $1.25 of $20.00",
      "p pause · s stop after these · 0 all lanes · c add context · v more · ? help",
    ]);
  });

  test("at 200x60 there is room for the branch and for longer bars", async () => {
    const { emit, seen } = shown(sized(200, 60));
    emit(...begun, ...words);
    const lines = (await seen()).split("\n").slice(-5);
    expect(lines).toEqual([
      `── workspace · iteration 3 of 32 · branch main ${"─".repeat(143)} 0s of 8h`,
      `t-1a2b3c4d Add login${" ".repeat(149)}claude (opus) · attempt 2 of 3`,
      "Working for 0s · silent for 0s",
      `${"█".repeat(10)}${"░".repeat(23)} 5 of 16 done · 1 failed · 2 wait for you${" ".repeat(96)}$1.25 of $20.00 · 105k tokens`,
      KEYS,
    ]);
  });

  test("at 40x12 it is cut, and the line about keys is left out", async () => {
    const { emit, seen } = shown(sized(40, 12));
    emit(...begun, ...words);
    expect((await seen()).split("\n").slice(-6)).toEqual([
      "  > Bash npm test",
      "",
      "── workspace · iteration 3 o…  0s of 8h",
      "t-1a2b3c4d Add login      claude (opus)",
      "Working for 0s · silent for 0s",
      "5 of 16 done · 1 failed · 2 wait for y…",
    ]);
  });

  test.each([
    [80, 7],
    [19, 24],
  ])("at %ix%i there is no room for it, and lines go on", async (columns, rows) => {
    const { emit, seen } = shown(sized(columns, rows));
    emit(...begun, { type: "run.notice", level: "warning", text: "Here" });
    const text = await seen();
    expect([text.endsWith("Warning: Here"), text.includes("──")]).toEqual([true, false]);
  });

  test("a title is cut by the columns that it takes, not by its letters", async () => {
    const { emit, seen } = shown(sized(60, 24));
    const title = "日本語のとても長いタイトルがここに入ります e\u0301e\u0301e\u0301";
    emit(runStarted, { ...iterationStarted, task: { id: "t-1", title }, left });
    const line = (await seen()).split("\n").at(-4)!;
    expect(line).toBe("t-1 日本語のとても長いタイトルがここに入り…   claude (opus)");
  });

  test("P-43 a wait has a countdown, and a pause says so", async () => {
    const { emit, wait, seen } = shown(sized(80, 24));
    emit(...begun, iterationFinished, { type: "run.waiting", for: "limit", untilMs: START + 3_720_000 });
    await wait(59_500);
    expect((await seen()).split("\n").slice(-4)).toEqual([
      "── workspace ──────────────────────────────────────────────────────── 59s of 8h",
      "Waiting for the usage limit to end: 1h1m1s · until 15:07:09",
      "█████░░░░░░░░ 6 of 16 done · 1 failed · 2 wait for you          $0.42 of $20.00",
      "p continue · s stop · c add context · v more · ? help",
    ]);
  });

  test("gates have ticks and times while they run, and those to come are named", async () => {
    const { emit, wait, seen } = shown(sized(80, 24));
    emit(...begun, { type: "agent.ended", iteration, outcome: { kind: "done" } });
    emit({ type: "claim.made", iteration, claim: "done", channel: "message" });
    emit(...gate("typecheck", 840), ...gate("test", 12_000), ...gate("lint"));
    await wait(3000);
    expect((await seen()).split("\n").at(-3)).toBe("Verifying:  ✓ typecheck 0.8s  ✗ test 12s  … lint 3s");
  });

  test("a diff in a text is shown by its numbers, also when its end is missing; v shows it whole", async () => {
    const place = shown(sized(80, 40));
    const diff: RunEvent = { type: "agent.text", iteration, text: "```diff\n-a\n+b\n+c" };
    place.emit(...begun, diff, diff, { type: "agent.tool", iteration, name: "Read", input: "x" });
    place.type("v");
    place.emit(diff);
    const lines = (await place.seen()).split("\n");
    expect(lines.slice(-13, -6)).toEqual([
      "  │ diff: 2 lines added, 1 removed",
      "  │ diff: 2 lines added, 1 removed",
      "  > Read x",
      "  │ diff",
      "  │ -a",
      "  │ +b",
      "  │ +c",
    ]);
  });

  test("the baseline names its gates as well", async () => {
    const { emit, seen } = shown(sized(80, 24));
    emit(runStarted, { type: "check.started", check: "baseline" }, ...gate("lint", 2000, {}));
    expect((await seen()).split("\n").slice(-4)).toEqual([
      "── workspace ───────────────────────────────────────────────────────── 0s of 8h",
      "Checking before work starts:  ✓ lint 2.0s  test",
      "4 open tasks                                                    $0.00 of $20.00",
      KEYS,
    ]);
  });
});

describe("the terminal", () => {
  test("is redrawn when its size changes, with nothing of the old block left", async () => {
    const { emit, wait, resize, screen } = shown(sized(80, 24));
    emit(...begun, ...words);
    await wait(200);
    resize(sized(40, 16));
    await wait(200);
    resize(sized(100, 20));
    await wait(200);
    vi.useRealTimers();
    const { text, shown: rows } = await screen();
    expect(text.split("──").length - 1 > 0 && text.split("iteration 3 of 32").length - 1).toBe(1);
    expect(rows.split("\n").slice(-7)).toEqual([
      "  > Bash npm test",
      "",
      `── workspace · iteration 3 of 32 ${"─".repeat(57)} 0s of 8h`,
      `t-1a2b3c4d Add login${" ".repeat(49)}claude (opus) · attempt 2 of 3`,
      "Working for 0s · silent for 0s",
      `█████░░░░░░░░░░░ 5 of 16 done · 1 failed · 2 wait for you${" ".repeat(13)}$1.25 of $20.00 · 105k tokens`,
      KEYS,
    ]);
  });

  test("has nothing of the block at the end, all lines, its cursor, and long lines that wrap", async () => {
    const { emit, view, screen, writes, calls } = shown(sized(80, 24));
    emit(...begun, ...words, iterationFinished, runFinished);
    view.close();
    view.close();
    vi.useRealTimers();
    const { text, wraps, cursor } = await screen();
    expect([text.includes("──"), text.includes("silent"), text.split("\n").at(-1), wraps, cursor.x]).toEqual([
      false,
      false,
      "  Outcome: proven · 2m10s · $0.42 · 12,345 tokens",
      true,
      0,
    ]);
    const all = writes().join("");
    expect([all.lastIndexOf("\u001b[?25h") > all.lastIndexOf("\u001b[?25l"), calls()]).toEqual([
      true,
      ["close", "close"],
    ]);
  });

  test("gets no frame for what changes nothing that is seen", async () => {
    const { emit, wait, writes } = shown(sized(80, 24));
    emit(...begun);
    await wait(110);
    const before = writes().length;
    for (let index = 0; index < 3; index += 1) {
      emit({ type: "agent.notice", iteration, text: "Only shown with more" });
      await wait(110);
    }
    expect(writes().length).toBe(before);
  });

  test("gets ten frames a second at most, and one a second for the clock", async () => {
    const { emit, wait, writes } = shown(sized(80, 24));
    emit(...begun);
    await wait(200);
    const before = writes().length;
    for (let index = 0; index < 500; index += 1) {
      emit({ type: "agent.text", iteration, text: `Line ${index}` });
      await wait(2);
    }
    const during = writes().length - before;
    await wait(5000);
    expect([during <= 11, during >= 9, writes().length - before - during]).toEqual([true, true, 5]);
  });

  test("gets what an agent floods it with at once, and loses nothing of it", async () => {
    const { emit, wait, writes, screen } = shown(sized(80, 24));
    emit(...begun);
    await wait(200);
    const before = writes().length;
    emit({
      type: "agent.text",
      iteration,
      text: Array.from({ length: 4000 }, (_, n) => `flood number ${n}`).join("\n"),
    });
    expect(writes().length - before).toBe(2);
    await wait(200);
    vi.useRealTimers();
    const { text } = await screen();
    expect(text.match(/flood number \d+/g)?.map((line) => Number(line.slice(13)))).toEqual(
      Array.from({ length: 4000 }, (_, n) => n),
    );
  });

  test("shows no looks with NO_COLOR, and keeps the marks that tell code from words", async () => {
    const plain = shown(sized(80, 24), { env: { NO_COLOR: "1", FORCE_COLOR: "1" } });
    plain.emit(...begun, ...words);
    const looks = shown(sized(80, 24));
    looks.emit(...begun, ...words);
    await plain.wait(100);
    vi.useRealTimers();
    const screens = [await plain.screen(), await looks.screen()];
    expect(screens.map(({ hasLooks }) => hasLooks)).toEqual([false, true]);
    expect(screens[0]!.text).toContain("  I will **look** at `login.ts`.\n");
  });

  test("P-44 a cost that is a guess has a sign", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun, { ...iterationFinished, isEstimated: true }, { ...iterationStarted, left });
    expect((await place.seen()).split("\n").at(-2)).toBe(
      "████░░░░░░░░░ 5 of 16 done · 1 failed · 2 wait for you         ~$0.42 of $20.00",
    );
  });

  test("P-44 a cost that is not all of it has a sign", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun, { ...iterationFinished, isCostPartial: true }, { ...iterationStarted, left });
    expect((await place.seen()).split("\n").at(-2)).toMatch(/ ≥\$0\.42 of \$20\.00$/);
  });
});

test("of more gates than fit, those are named that failed or run", async () => {
  const place = shown(sized(80, 24));
  const names = ["typecheck-everything", "lint-with-all-rules", "test", "integration-tests", "build", "size"];
  const gates = names.map((name) => ({ gate: name, kind: "workspace" as const, command: name }));
  place.emit({ ...runStarted, gates }, { ...iterationStarted, left });
  place.emit({ type: "agent.ended", iteration, outcome: { kind: "done" } });
  place.emit(...names.slice(0, 3).flatMap((name) => gate(name, 700)), ...gate("integration-tests"));
  expect((await place.seen()).split("\n").at(-3)).toBe(
    "Verifying:  ✓ 2  ✗ test 0.7s  … integration-tests 0s  2 to come",
  );
});

describe("keys", () => {
  test("p asks for a pause, says so until it is there, and p again goes on", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    place.type("p");
    await place.wait(200);
    place.emit(iterationFinished, { type: "run.waiting", for: "pause" });
    place.type("p");
    await place.wait(200);
    place.emit({ type: "run.resumed" }, { ...iterationStarted, left });
    place.type("pp");
    expect(place.asked).toEqual(["pause", "resume", "pause", "resume"]);
    place.type("p");
    expect((await place.seen()).split("\n").slice(-3)).toEqual([
      "Working for 0s · silent for 0s                      pauses after this iteration",
      "████░░░░░░░░░ 5 of 16 done · 1 failed · 2 wait for you          $0.42 of $20.00",
      "Pausing after this iteration; press p again to cancel",
    ]);
  });

  test("s stops after the iteration, once; while it waits it ends the wait too", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    place.type("s");
    await place.wait(10);
    place.type("s");
    await place.wait(10);
    place.emit(iterationFinished, { type: "run.waiting", for: "outage", untilMs: START + 60_000 });
    place.type("s");
    await place.wait(10);
    expect(place.asked).toEqual(["stop after", "resume"]);
    expect((await place.seen()).split("\n").slice(-3)[0]).toBe(
      "Waiting for the model's server: 1m · until 14:06:09                   stops now",
    );
  });

  test.each<readonly [string, string, string]>([
    ["p is taken back by p", "pp", "Pause cancelled"],
    ["s leaves nothing to pause", "sp", "Stopping after this iteration; Ctrl-C stops now"],
  ])("%s, which is what is said", async (_, keys, note) => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    for (const key of keys) {
      place.type(key);
      await place.wait(10);
    }
    expect(place.asked).toEqual(keys === "pp" ? ["pause", "resume"] : ["stop after"]);
    expect((await place.seen()).split("\n").at(-1)).toBe(note);
  });

  test("what was said of a wait is gone when the next one begins", async () => {
    const place = shown(sized(80, 24));
    const waiting: RunEvent = { type: "run.waiting", for: "outage", untilMs: START + 60_000 };
    place.emit(...begun, iterationFinished, waiting);
    place.type("p");
    await place.wait(200);
    place.emit({ type: "run.resumed" }, waiting);
    expect(place.asked).toEqual(["resume"]);
    expect((await place.seen()).split("\n").at(-1)).toBe("p continue · s stop · c add context · v more · ? help");
  });

  test("who stops already can be asked for nothing more, and is not said to be", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    place.stop.abort();
    place.type("p");
    await place.wait(5000);
    place.type("s");
    await place.wait(5000);
    expect(place.asked).toEqual([]);
    expect((await place.seen()).split("\n").at(-1)).toBe("v more · ? help");
  });

  test("c takes a line while others go on, Enter adds it, Esc cancels", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    place.type("c");
    place.type("Use 日本");
    place.type("\u007f\u001b[D\u001b[DX");
    place.emit({ type: "agent.tool", iteration, name: "Read", input: "a.ts" });
    await place.wait(200);
    place.type("\r");
    place.type("c");
    place.type("never");
    place.type("\u001b");
    place.type("c");
    place.type("  \r");
    await place.wait(10);
    place.type("c");
    place.type("pause, stop?");
    expect(place.asked).toEqual(["UseX 日"]);
    const lines = (await place.seen()).split("\n");
    expect([lines.at(-1), lines.at(-7)]).toEqual(["Tell the next iteration: pause, stop?", "  > Read a.ts"]);
  });

  test("several lines that are pasted are one text, and none of them a command", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    place.type("c");
    place.type("one\r\ns\rp\n\ntwo\r");
    await place.wait(10);
    expect(place.asked).toEqual(["one s p two"]);
  });

  test("v shows more, then less, then the usual again", async () => {
    const place = shown(sized(80, 40));
    place.emit(...begun);
    const thought = (text: string): RunEvent => ({ type: "agent.thinking", iteration, text });
    const said = (text: string): RunEvent => ({ type: "agent.text", iteration, text });
    place.emit(thought("not shown"), said("One."));
    place.type("v");
    place.emit(thought("shown"), said("Two."));
    place.type("v");
    place.emit(said("not shown"), ...gate("test", 100));
    place.type("v");
    place.emit(thought("not shown"), said("Three."));
    const lines = (await place.seen()).split("\n");
    expect(lines.slice(lines.indexOf("  One."), -6)).toEqual([
      "  One.",
      "  ~ shown",
      "  Two.",
      'Iteration 3 · t-1a2b3c4d "Add login": Gate test: FAILED, exit code 1 · 0.1s',
      "  Three.",
    ]);
    expect(lines.at(-1)).toBe("Showing the normal output");
  });

  test("? explains the keys", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    place.type("?");
    expect((await place.seen()).split("\n").slice(-6)).toEqual([
      "p       pause after this iteration, or continue; also ends a wait",
      "s       stop after this iteration",
      "c       add a note for the next iteration",
      "v       show more: thinking, results, notices",
      "Ctrl-C  stop; a proof under way is finished; press again to stop at once",
      "?       hide this",
    ]);
  });

  test.each(["?", "\u001b"])("the keys are no longer explained after %j", async (key) => {
    const place = shown(sized(80, 24));
    place.emit(...begun);
    place.type("?");
    await place.wait(150);
    place.type(key);
    const lines = (await place.seen()).split("\n");
    expect([lines.at(-1), place.writes().join("").includes("hide this"), lines.join().includes("hide this")]).toEqual([
      KEYS,
      true,
      false,
    ]);
  });

  test("Ctrl-C, Ctrl-Z and Ctrl-\\ go where the terminal would send them, also while somebody types", async () => {
    const place = shown(sized(80, 24));
    place.type("\u0003");
    place.type("c");
    place.type("ab\u0003\u001a\u001c");
    expect(place.calls()).toEqual(["interrupt", "interrupt", "suspend", "quit"]);
    place.emit(...begun);
    place.stop.abort();
    expect((await place.seen()).split("\n").at(-3)).toBe(
      "Working for 0s · silent for 0s           stopping; Ctrl-C again kills the agent",
    );
  });

  test("L-40 a run that finishes a proof before it stops says so", async () => {
    const place = shown(sized(80, 24));
    place.emit(...begun, { type: "claim.made", iteration, claim: "done", channel: "message" });
    place.stop.abort();
    expect((await place.seen()).split("\n").at(-3)).toMatch(/stops after the proof; Ctrl-C stops now$/);
  });

  test("what was pasted by mistake is no command, and what cannot be done is said", async () => {
    const trouble = new RalphError("busy", "The run has ended", { hint: "Start another" });
    const place = shown(sized(80, 24), { trouble });
    place.emit(...begun);
    place.type("stop, please");
    expect(place.asked).toEqual([]);
    place.type("p");
    await place.wait(10);
    expect((await place.seen()).split("\n").slice(-3)).toEqual([
      "Working for 0s · silent for 0s",
      "████░░░░░░░░░ 5 of 16 done · 1 failed · 2 wait for you          $0.00 of $20.00",
      "The run has ended",
    ]);
  });
});
