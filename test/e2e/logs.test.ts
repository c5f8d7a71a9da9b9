import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { atEnd } from "../at-end.ts";
import { PROGRAM } from "../built-program.ts";
import { endProcessesOf, startLive } from "../live-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import type { Answer } from "../recording-io.ts";
import { homeOf, temporaryFolder } from "../temporary-folder.ts";

const DONE = '- - write: { path: done.txt, text: "{task}\\n" }\n  - say: <task-done>{task}</task-done>\n';
/** Goes on when a file is there. */
const waits = (go: string): string => `- - say: Here I wait
  - run: "n=0; until [ -f ${go} ] || [ $n -gt 600 ]; do sleep 0.1; n=$((n+1)); done"
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

const withoutTimes = (text: string): string =>
  text
    .replaceAll(/^\d\d:\d\d:\d\d {0,2}/gm, "")
    .replaceAll(/\b\d+(?:\.\d)?s\b/g, "0s")
    .replaceAll(/\b[0-9a-f]{10}\b/g, "HASH");

const linesIn = (text: string): string[] => text.split("\n").filter(Boolean);

test.concurrent("a run is told again as run told it, with the day and the end", async () => {
  const place = await loopWorkspace({ script: DONE });
  const told = await place.ralphctl("run");
  const again = await place.ralphctl("logs");
  expect([told.code, again.code, again.stderr]).toEqual([0, 0, ""]);
  const [day, ...lines] = again.stdout.split("\n");
  expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(lines.join("\n")).toBe(told.stdout);
  // Following a run that has ended is reading it.
  expect((await place.ralphctl("logs", "-f")).stdout).toBe(again.stdout);
  expect((await place.ralphctl("logs", "--tail", "2")).stdout).toBe(lines.slice(-3).join("\n"));
});

test.concurrent("events are chosen by iteration, task and type; as JSON they are as they were written", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    script: `- - say: "Nearly. <task-done>{task}</task-done>"\n${DONE}`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([0, ["rejected", "verified", "verified"]]);
  const said = async (...words: readonly string[]): Promise<string> =>
    withoutTimes((await place.ralphctl("logs", ...words)).stdout);
  expect(linesIn(await said("--iteration", "1", "--type", "gate", "--type", "verdict")).slice(1)).toEqual([
    "  Gate test: test -f done.txt",
    "  Gate test: FAILED, exit code 1 · 0s",
    "  Rejected: gate test: exit code 1",
  ]);
  expect(linesIn(await said("--type", "agent.text", "--task", place.ids[0]!)).slice(1)).toEqual([
    `  Nearly. <task-done>${place.ids[0]}</task-done>`,
    `  <task-done>${place.ids[0]}</task-done>`,
  ]);
  const events = readFileSync(join(place.folder, ".ralph/runs", run.name, "events.ndjson"), "utf8");
  expect((await place.ralphctl("logs", run.name.slice(-4), "--json")).stdout).toBe(events);
  expect((await place.ralphctl("logs", "--json", "--tail", "1")).stdout).toBe(`${linesIn(events).at(-1)}\n`);
  const wrong = await place.ralphctl("logs", "--type", "gates");
  expect([wrong.code, wrong.stderr]).toEqual([64, 'error: Unknown event type "gates"\nhint: Did you mean gate?\n']);
  const none = await place.ralphctl("logs", "--iteration", "99");
  expect([none.code, none.stdout, none.stderr]).toEqual([
    0,
    "",
    expect.stringMatching(/^No matching events\. List all: ralphctl logs r-\S+\n$/),
  ]);
});

test.concurrent("where there was no run, that is said", async () => {
  const place = await loopWorkspace({ script: DONE });
  const { code, stdout, stderr } = await place.ralphctl("logs", "-f");
  expect([code, stdout, stderr]).toEqual([3, "", "No runs yet. Start one: ralphctl run\n"]);
});

interface Following {
  readonly shows: (text: string) => Promise<void>;
  readonly ended: Promise<Answer>;
}

/** `ralphctl logs -f` in another terminal. */
function follow(place: LoopWorkspace, ...words: readonly string[]): Following {
  const child = spawn(process.execPath, [PROGRAM, "logs", "-f", ...words], {
    cwd: place.folder,
    env: { PATH: process.env["PATH"], ...homeOf(place.folder) },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Answer>((done) => {
    child.on("close", (code) => done({ code: code ?? -1, stdout, stderr }));
  });
  atEnd(() => void child.kill("SIGKILL"));
  return {
    shows: async (text) => void (await vi.waitUntil(() => stdout.includes(text), { timeout: 50_000, interval: 20 })),
    ended,
  };
}

/** A run whose agent waits. */
async function waiting() {
  const file = join(temporaryFolder(), "go");
  const place = await loopWorkspace({ script: waits(file) });
  const run = startLive(place.folder);
  await run.says("agent.text");
  return { place, run, go: () => writeFileSync(file, "") };
}

test.concurrent("a run is followed from another terminal until it ends", async () => {
  const { place, run, go } = await waiting();
  const following = follow(place);
  await following.shows("Here I wait");
  const looked = await place.ralphctl("logs", "--tail", "1");
  expect([looked.code, looked.stderr]).toEqual([
    0,
    expect.stringMatching(/^Run r-\S+ is still running\. Watch it: ralphctl watch r-/),
  ]);
  go();
  const { name, code } = await run.ended;
  const { stdout, stderr, code: followed } = await following.ended;
  expect([code, followed, stderr]).toEqual([0, 0, ""]);
  expect(stdout).toContain(`Run ${name} works on main at `);
  expect(stdout).toMatch(/\n\nComplete and verified: \d tasks? \([^)]*\)\n[^]*\nNext:\n {2}git log --oneline \S+\n$/);
});

test.concurrent("a run that was killed is said to have ended without a word, and half a line is left out", async () => {
  const { place, run } = await waiting();
  const following = follow(place, "--tail", "1");
  await following.shows("run");
  run.signal("SIGKILL");
  const { name } = await run.ended;
  const { code, stdout, stderr } = await following.ended;
  expect([code, linesIn(stdout).length, stderr]).toEqual([
    0,
    1,
    `Run ${name} crashed or was killed. Continue: ralphctl run\n`,
  ]);
  appendFileSync(join(place.folder, ".ralph/runs", name, "events.ndjson"), '{"v":1,"at":"2026-');
  const again = await place.ralphctl("logs", "--tail", "1");
  expect([again.code, again.stdout, again.stderr]).toEqual([0, stdout, stderr]);
  await endProcessesOf(place.folder);
});

test.concurrent("W-03 the folder of a run may be deleted while it is followed", async () => {
  const { place, run, go } = await waiting();
  const following = follow(place);
  await following.shows("Here I wait");
  rmSync(join(place.folder, ".ralph/runs"), { recursive: true });
  go();
  const { code } = await run.ended;
  const { code: followed, stdout, stderr } = await following.ended;
  expect([code, followed, stderr]).toEqual([0, 0, ""]);
  expect([stdout.split("Here I wait").length, stdout.split("Complete and verified").length]).toEqual([2, 2]);
});

test.concurrent("the record of a run that is killed and deleted is said to be gone", async () => {
  const { place, run } = await waiting();
  const following = follow(place);
  await following.shows("Here I wait");
  rmSync(join(place.folder, ".ralph/runs"), { recursive: true });
  run.signal("SIGKILL");
  const { name } = await run.ended;
  const { code, stderr } = await following.ended;
  expect([code, stderr]).toEqual([0, `The record of run ${name} was deleted, and the run is no longer alive\n`]);
});
