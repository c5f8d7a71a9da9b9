import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { evidenceOf, type Gate } from "../domain/gate.ts";
import { runGate, runGates, type GatePlace } from "./gate.ts";

const gate = (run: string, more: Partial<Gate> = {}): Gate => ({
  id: "check",
  kind: "workspace",
  run,
  timeoutMs: 30_000,
  retries: 0,
  ...more,
});

let count = 0;
function placeFor(signal: AbortSignal = new AbortController().signal): GatePlace {
  count += 1;
  const folder = temporaryFolder();
  return {
    folder,
    env: { PATH: process.env["PATH"], TASK_TITLE: "$(touch hacked); `touch hacked`" },
    marker: { name: "RALPHCTL_TEST_MARKER", value: `${process.pid}-${count}` },
    outputFolder: join(folder, "gates"),
    signal,
  };
}

/** Processes that still carry a marker. */
const alive = ({ marker }: GatePlace): string[] => {
  const script = `grep -lsF '${marker.name}=${marker.value}' /proc/[0-9]*/environ || true`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");
};

describe("P-15 a gate", () => {
  test("passes with exit code 0, with its whole output in a file", async () => {
    const place = placeFor();
    const result = await runGate(gate("echo out; echo err >&2"), place);
    expect(result).toEqual({
      gate: gate("echo out; echo err >&2"),
      passed: true,
      runs: [
        {
          end: { kind: "exit", code: 0 },
          durationMs: expect.any(Number) as number,
          swept: 0,
          output: { file: join(place.outputFolder, "check.log"), bytes: 8, head: "out\nerr\n", tail: "" },
        },
      ],
    });
    expect(readFileSync(result.runs[0]!.output.file, "utf8")).toBe("out\nerr\n");
    expect(statSync(result.runs[0]!.output.file).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["exit 3", { kind: "exit", code: 3 }],
    ["no-such-program-here", { kind: "exit", code: 127 }],
    ["kill -9 $$", { kind: "signal", signal: "SIGKILL" }],
    ["kill -SEGV $$", { kind: "signal", signal: "SIGSEGV" }],
    ["read line || exit 4", { kind: "exit", code: 4 }],
  ])("fails with %s", async (run, end) => {
    const { passed, runs } = await runGate(gate(run), placeFor());
    expect([passed, runs[0]!.end]).toEqual([false, end]);
  });

  test("that takes too long is stopped, also if it does not listen", async () => {
    const place = placeFor();
    const { passed, runs } = await runGate(
      gate("trap '' TERM; echo begun; sleep 60 & wait; sleep 60", { timeoutMs: 1500 }),
      place,
    );
    expect([passed, runs[0]!.end, runs[0]!.output.head]).toEqual([
      false,
      { kind: "timeout", afterMs: 1500 },
      "begun\n",
    ]);
    expect(alive(place)).toEqual([]);
  });

  test("that may take longer than a timer of Node can last is not stopped at once", async () => {
    const month = 31 * 24 * 60 * 60 * 1000;
    const check = async () => await new Promise<true>((resolve) => setTimeout(resolve, 50, true));
    const results = await Promise.all([
      runGate(gate("sleep 0.05", { timeoutMs: month }), placeFor()),
      runGate(gate("a function", { timeoutMs: month, check }), placeFor()),
    ]);
    expect(results.map(({ passed }) => passed)).toEqual([true, true]);
  });

  test("leaves no process behind, wherever it went, and does not wait for it", async () => {
    const place = placeFor();
    const run =
      "sleep 60 & setsid sleep 60 & (setsid sh -c 'trap \"\" TERM; sleep 60; sleep 60' &) ; sleep 0.2; echo done";
    const { passed, runs } = await runGate(gate(run), place);
    expect([passed, runs[0]!.output.head]).toEqual([true, "done\n"]);
    expect(runs[0]!.swept).toBeGreaterThanOrEqual(2);
    expect(runs[0]!.durationMs).toBeLessThan(10_000);
    expect(alive(place)).toEqual([]);
  });

  test("may write 50 MB: memory stays flat, the report has beginning and end", async () => {
    const place = placeFor();
    const before = process.memoryUsage().rss;
    const { runs } = await runGate(
      gate("echo first; head -c 52428800 /dev/zero | tr '\\0' x; echo last; exit 1"),
      place,
    );
    const { output } = runs[0]!;
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1024 * 1024);
    expect([output.bytes, output.head.length, output.tail.length]).toEqual([52_428_811, 4096, 12_288]);
    expect([output.head.slice(0, 6), output.tail.slice(-5)]).toEqual(["first\n", "last\n"]);
    expect(statSync(output.file).size).toBe(52_428_811);
  });

  test("is run again as often as it declares; every run is recorded, the last decides", async () => {
    const place = placeFor();
    const flaky = gate("echo x >> tries; test $(wc -l < tries) -ge 3", { retries: 5 });
    const result = await runGate(flaky, place);
    expect([result.passed, result.runs.map(({ end }) => end)]).toEqual([
      true,
      [
        { kind: "exit", code: 1 },
        { kind: "exit", code: 1 },
        { kind: "exit", code: 0 },
      ],
    ]);
    expect(result.runs.map(({ output }) => output.file.slice(place.outputFolder.length + 1))).toEqual([
      "check.log",
      "check.2.log",
      "check.3.log",
    ]);
    expect((await runGate(gate("exit 1", { retries: 2 }), place)).runs).toHaveLength(3);
    expect(evidenceOf(result, { tree: "t", commit: "c", root: "/elsewhere" })).toMatchObject({
      gate: "check",
      command: flaky.run,
      tree: "t",
      commit: "c",
      passed: true,
      runs: [{}, {}, { end: { code: 0 } }],
    });
  });

  test("stops at once when the run is stopped, and is not tried again", async () => {
    const controller = new AbortController();
    const place = placeFor(controller.signal);
    const running = runGates([gate("sleep 60", { retries: 3 }), gate("echo never", { id: "second" })], place);
    await wait(200);
    controller.abort();
    const results = await running;
    expect(results.map(({ runs }) => runs.map(({ end }) => end))).toEqual([[{ kind: "stopped" }]]);
    expect(alive(place)).toEqual([]);
    expect((await runGate(gate("touch begun"), place)).runs[0]!.end).toEqual({ kind: "stopped" });
    expect(existsSync(join(place.folder, "begun"))).toBe(false);
  });

  test("P-40 that does not listen is killed at once when it is asked for twice", async () => {
    const [stop, kill] = [new AbortController(), new AbortController()];
    const place = { ...placeFor(stop.signal), kill: kill.signal };
    const running = runGate(gate("trap '' TERM; touch begun; while :; do sleep 0.02; done"), place);
    await vi.waitUntil(() => existsSync(join(place.folder, "begun")), { timeout: 50_000, interval: 5 });
    const sent = vi.spyOn(process, "kill");
    onTestFinished(() => sent.mockRestore());
    stop.abort();
    kill.abort();
    // Without waiting for anything in between.
    expect(sent.mock.calls.map(([, signal]) => signal)).toEqual(["SIGTERM", "SIGKILL"]);
    expect((await running).runs.map(({ end }) => end)).toEqual([{ kind: "stopped" }]);
    expect(alive(place)).toEqual([]);
  });

  test("in a folder that is gone is an error with a hint", async () => {
    const place = placeFor();
    const folder = join(place.folder, "gone");
    await expect(runGate(gate("true"), { ...place, folder })).rejects.toMatchObject({
      kind: "unavailable",
      hint: `Check that sh is on the PATH and that ${folder} exists`,
    });
  });
});

test("P-15 gates run in their order, all of them, also after a failure", async () => {
  const place = placeFor();
  const gates = [
    gate("echo command >> order", { id: "c", kind: "command" }),
    gate("echo workspace >> order; exit 1", { id: "w1" }),
    gate("echo workspace-2 >> order", { id: "w2" }),
    gate("echo task >> order", { id: "t", kind: "task" }),
  ];
  const seen: string[] = [];
  const results = await runGates(gates, place, ({ gate }) => seen.push(gate.id));
  expect(results.map(({ gate, passed }) => [gate.id, passed])).toEqual([
    ["t", true],
    ["w1", false],
    ["w2", true],
    ["c", true],
  ]);
  expect([seen, readFileSync(join(place.folder, "order"), "utf8")]).toEqual([
    ["t", "w1", "w2", "c"],
    "task\nworkspace\nworkspace-2\ncommand\n",
  ]);
});

test("W-05 task data reaches a gate by environment only, and ids cannot leave the folder", async () => {
  const place = placeFor();
  const { runs } = await runGate(gate('printf %s "$TASK_TITLE"', { id: "../../x y" }), place);
  expect(runs[0]!.output.head).toBe("$(touch hacked); `touch hacked`");
  expect(runs[0]!.output.file).toBe(join(place.outputFolder, "__.._x_y.log"));
  expect(existsSync(join(place.folder, "hacked"))).toBe(false);
});
