import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { marked } from "../../src/system/process/sweep.ts";
import { PROGRAM } from "../built-program.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { screenAfter } from "../screen.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { expectSane, SIZE, watch } from "../watched-terminal.ts";
import { byLane } from "../lane.ts";

const GATE = "gates:\n  - { id: test, run: test -f done.txt }\n";
/** The agent waits for a file, so that a test decides how long it lasts. */
const until = (file: string): string => `  - run: until test -f $HOME/${file}; do sleep 0.02; done\n`;
const WAITING = `- - say: "I begin with **care**."\n${until("go")}  - write: { path: done.txt, text: yes }\n  - say: "<task-done>{task}</task-done>"\n`;

/** The events of the newest run; nothing of it may be left running. */
function record(place: LoopWorkspace): RunEvent[] {
  const run = readdirSync(join(place.folder, ".ralph/runs")).sort().at(-1)!;
  expect(marked({ name: "RALPHCTL_RUN", value: run })).toEqual([]);
  const lines = readFileSync(join(place.folder, ".ralph/runs", run, "events.ndjson"), "utf8").split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as RunEvent);
}

describe.runIf(hasTerminals)("run at a terminal", () => {
  test("shows lines and a block, which is gone at the end", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const run = watch(place, ["run"]);
    await run.shows("> run until");
    const { shown } = await run.screen();
    expect(
      shown
        .split("\n")
        .slice(-8)
        // Tasks may stand beside it, as soon as they are read.
        .map((line) => line.replace(/ *│.*$/, "").replaceAll(/(?<=\S) {2,}/g, " "))
        .map((line) => line.replaceAll(/\d+s\b/g, "0s").replaceAll(/─+/g, "─")),
    ).toEqual([
      "  I begin with care.",
      "  > run until test -f $HOME/go; do sleep 0.02; done",
      "",
      "─ workspace · iteration 1 of 23 · branch main ─ 0s",
      `${place.ids[0]} Do it scripted · attempt 1 of 3`,
      "Working for 0s · silent for 0s",
      expect.stringMatching(/^░+ 0 of 1 done$/),
      "p pause · s stop after this · c add context · v more · ? help",
    ]);
    place.write({ go: "" });
    expect(await run.ended).toBe(0);
    await expectSane(run);
    expect((await run.screen()).shown).toContain("Complete and verified");
    expect(place.commits()).toEqual(["Do it"]);
  });

  test("P-40 p pauses after the iteration and goes on, s stops after the next", async () => {
    const script = `- - say: One.\n${until("go1")}  - write: { path: a, text: x }\n- - say: Two.\n${until("go2")}  - write: { path: b, text: x }\n`;
    const place = await loopWorkspace({ script, config: GATE });
    const run = watch(place, ["run"]);
    await run.shows("  One.");
    run.child.stdin.write("p");
    await run.shows("pauses after this iteration");
    place.write({ go1: "" });
    await run.shows("\nPaused");
    run.child.stdin.write("p");
    await run.shows("  Two.");
    run.child.stdin.write("s");
    await run.shows("stops after this iteration");
    place.write({ go2: "" });
    expect(await run.ended).toBe(130);
    await expectSane(run);
    const steps = record(place).flatMap((event) =>
      event.type === "iteration.finished" ? [event.outcome] : event.type.startsWith("run.") ? [event.type] : [],
    );
    // Requests are said as soon as the run sees them, which may be before or after the end of the iteration.
    expect(steps.filter((step) => step !== "run.notice" && step !== "run.asked")).toEqual([
      "run.started",
      "unfinished",
      "run.waiting",
      "run.resumed",
      "unfinished",
      "run.finished",
    ]);
  });

  test("c tells the next iteration something, v shows more, ? explains", async () => {
    const script = `- - say: One.\n${until("go1")}  - think: A thought.\n  - write: { path: a, text: x }\n- - write: { path: done.txt, text: x }\n  - say: "<task-done>{task}</task-done>"\n`;
    const place = await loopWorkspace({ script, config: GATE });
    const run = watch(place, ["run"]);
    await run.shows("  One.");
    run.child.stdin.write("?");
    await run.shows("hide this");
    run.child.stdin.write("c");
    await run.shows("Tell the next iteration:");
    run.child.stdin.write("Mind the 日本 gap\r");
    await run.shows("Added: the next iteration will see it");
    run.child.stdin.write("v");
    await run.shows("also thinking");
    place.write({ go1: "" });
    expect(await run.ended).toBe(0);
    await expectSane(run);
    expect((await run.screen()).text).toContain("  ~ A thought.");
    const [name = ""] = readdirSync(join(place.folder, ".ralph/runs"));
    const prompt = (n: number): string =>
      readFileSync(join(place.folder, ".ralph/runs", name, String(n), "prompt.md"), "utf8");
    expect([1, 2].map((n) => prompt(n).includes("Mind the 日本 gap"))).toEqual([false, true]);
  });

  test("P-40 X-130 Ctrl-C stops the agent, and leaves a sane terminal", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const run = watch(place, ["run"]);
    await run.shows("I begin");
    run.child.stdin.write("\u0003");
    expect(await run.ended).toBe(130);
    await expectSane(run);
    expect(record(place).at(-1)).toMatchObject({ type: "run.finished", ending: "interrupted" });
  });

  test("P-40 X-130 Ctrl-C with --plain: what is said of it begins a line", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const run = watch(place, ["run", "--plain"]);
    await run.shows("I begin");
    run.child.stdin.write("\u0003");
    expect(await run.ended).toBe(130);
    const { shown } = await run.screen();
    expect(shown).toMatch(/\n\^C\n[\d:]{8} {2}Stopping: waiting for running processes/);
  });

  test("P-40 X-130 so does Ctrl-C twice, with an agent that does not want to end", async () => {
    const script = `- - ignore: [SIGTERM, SIGINT]\n  - say: I stay.\n  - hang: true\n`;
    const place = await loopWorkspace({ script, config: GATE });
    const run = watch(place, ["run"]);
    await run.shows("I stay");
    run.child.stdin.write("\u0003");
    await run.shows("Ctrl-C again kills the agent");
    run.child.stdin.write("\u0003");
    expect(await run.ended).toBe(130);
    await expectSane(run);
    expect(record(place).at(-1)).toMatchObject({ ending: "interrupted" });
  });

  test("P-40 X-130 SIGTERM leaves a sane terminal", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const run = watch(place, ["run"]);
    await run.shows("I begin");
    const pid = pidOf(place);
    process.kill(pid, "SIGTERM");
    expect(await run.ended).toBe(130);
    await expectSane(run);
    expect(record(place).at(-1)).toMatchObject({ ending: "interrupted" });
  });

  test.each([
    ["run", "I begin"],
    ["run --plain", "I begin"],
    ["run --lanes 2", "> run until test"],
  ])("P-40 a run goes on when its terminal is closed, and can be watched: %s", async (words, last) => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const run = watch(place, words.split(" "));
    await run.shows(last);
    const pid = pidOf(place);
    run.child.kill("SIGKILL");
    const other = watch(place, ["watch"]);
    await other.shows(last);
    expect(isThere(pid)).toBe(true);
    place.write({ go: "" });
    expect(await other.ended).toBe(0);
    await vi.waitUntil(() => !isThere(pid), { timeout: 50_000, interval: 20 });
    expect(record(place).at(-1)).toMatchObject({ type: "run.finished", ending: "complete" });
    expect(await place.states()).toEqual({ "Do it": "done" });
  });

  test("P-40 a run that goes on without its terminal stops by command, in order", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const run = watch(place, ["run"]);
    await run.shows("I begin");
    const pid = pidOf(place);
    run.child.kill("SIGKILL");
    expect((await place.ralphctl("stop")).code).toBe(0);
    await vi.waitUntil(() => !isThere(pid), { timeout: 50_000, interval: 20 });
    expect(record(place).at(-1)).toMatchObject({ type: "run.finished", ending: "interrupted" });
    expect(await place.states()).toEqual({ "Do it": "pending" });
  });

  test("X-78 an error leaves a sane terminal, with its words on it", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE, files: { "a.txt": "a" } });
    place.write({ "a.txt": "changed" });
    const run = watch(place, ["run", "--in-place"]);
    expect(await run.ended).toBe(78);
    await expectSane(run);
    expect((await run.screen()).shown).toMatch(/^error: .*a\.txt/m);
  });

  test("NO_COLOR has no looks, and demo has the view as well", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const run = watch(place, ["demo"], ["NO_COLOR=1", `TMPDIR=${temporaryFolder()}`]);
    await run.says("workspace · iteration 2 of");
    expect([await run.ended, (await run.screen()).hasLooks]).toEqual([0, false]);
    await expectSane(run);
  });

  test.each(byLane(["TERM=dumb"], ["TERM=dumb", "CI=1"]))(
    "there is no escape code with %s, also not with FORCE_COLOR",
    async (setting) => {
      const place = await loopWorkspace({ script: WAITING, config: GATE, files: { go: "" } });
      const run = watch(place, ["run"], ["FORCE_COLOR=1", setting]);
      expect([await run.ended, run.output().includes("\u001b")]).toEqual([0, false]);
    },
  );

  test("Ctrl-Z gives the terminal back, and whoever comes back sees the view again", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE });
    const program = [process.execPath, PROGRAM, "run"].join(" ");
    const shell = `set -m; env -u CI TERM=xterm ${program}; stty -a | grep -q -e -icanon || echo away; read x; fg`;
    const run = startAtTerminal(["bash", "-c", shell], place.folder);
    await run.says("silent for");
    run.child.stdin.write("\u001a");
    await run.says("away");
    const { shown } = await screenAfter(SIZE, [run.output()]);
    expect([/^──/m.test(shown), shown.includes("silent for")]).toEqual([false, false]);
    run.child.stdin.write("\n");
    const isBack = async (): Promise<boolean> => (await screenAfter(SIZE, [run.output()])).shown.includes("silent for");
    await vi.waitUntil(isBack, { timeout: 50_000, interval: 50 });
    place.write({ go: "" });
    expect(await run.ended).toBe(0);
    expect(place.commits()).toEqual(["Do it"]);
  });

  test("in the background there are lines only, and the terminal is left alone", async () => {
    const place = await loopWorkspace({ script: WAITING, config: GATE, files: { go: "" } });
    const program = [process.execPath, PROGRAM, "run"].join(" ");
    const shell = startAtTerminal(["bash", "-c", `set -m; env -u CI TERM=xterm ${program} & wait %1`], place.folder);
    expect([await shell.ended, shell.output().includes("\u001b[?25l")]).toEqual([0, false]);
    expect(existsSync(join(place.folder, "done.txt"))).toBe(true);
  });
});

test("without a terminal there is no escape code, and lines have the time", async () => {
  const place = await loopWorkspace({ script: WAITING, config: GATE, files: { go: "" }, env: { FORCE_COLOR: "1" } });
  const { stdout, stderr, code } = await place.ralphctl("run");
  expect([code, `${stdout}${stderr}`.includes("\u001b"), /^\d\d:\d\d:\d\d {2}Run r-/.test(stdout)]).toEqual([
    0,
    false,
    true,
  ]);
});

/** The process of the run that is going on. */
function pidOf(place: LoopWorkspace): number {
  const [run = ""] = readdirSync(join(place.folder, ".ralph/runs"));
  const [line = ""] = readFileSync(join(place.folder, ".ralph/runs", run, "events.ndjson"), "utf8").split("\n");
  return (JSON.parse(line) as { readonly pid: number }).pid;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process is the answer
  }
}
