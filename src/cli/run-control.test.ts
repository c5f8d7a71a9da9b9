import { spawn } from "node:child_process";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRunning } from "../../test/agent-session.ts";
import { buildWorker, type Started, startProcess } from "../../test/control-process.ts";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";
import { sendRunRequest } from "../app/run/send-request.ts";
import { signalRun, stopRun } from "../app/run/stop-run.ts";
import { treeMarker } from "../system/process/marker.ts";
import { openRequests } from "../system/run-requests.ts";
import { readTreeLock } from "../system/tree-lock.ts";

const worker = await buildWorker();

/** A repository in which a run is on. */
async function withRun(kind = "orderly"): Promise<{ cwd: string; gitFolder: string; loop: Started }> {
  const cwd = temporaryRepository({ "sub/a.txt": "a" });
  const gitFolder = join(cwd, ".git");
  const loop = startProcess(process.execPath, [worker, "loop", gitFolder, "r-1", kind]);
  await loop.says("locked");
  return { cwd, gitFolder, loop };
}

const NO_RUN = { code: 3, stdout: "", stderr: "No active run in this working tree.\n" };
const lines = ["stop", "stop --after", "pause", "resume"];

describe("where there is no run", () => {
  test.each(lines)("X-3 P-40 %s has nothing to do", async (line) => {
    expect(await type(line.split(" "), { cwd: temporaryRepository() })).toEqual(NO_RUN);
  });

  test.each(lines)("X-3 P-40 %s does not take a dead loop for a run", async (line) => {
    const cwd = temporaryRepository();
    write(cwd, { ".git/ralph/run.json": lockOf({ startTime: "never" }) });
    expect(await type(line.split(" "), { cwd })).toEqual(NO_RUN);
  });

  test.each(lines)("X-78 %s needs a repository", async (line) => {
    const cwd = temporaryFolder();
    expect(await type(line.split(" "), { cwd })).toEqual({
      code: 78,
      stdout: "",
      stderr: `error: No git repository at or above ${cwd}\nhint: Change to the working tree of the run\n`,
    });
  });
});

describe("stop", () => {
  test("P-40 X-130 stops the run of the working tree one stands in, and waits for its end", async () => {
    const { cwd, gitFolder, loop } = await withRun();
    expect(await type(["stop"], { cwd: join(cwd, "sub") })).toEqual({
      code: 0,
      stdout: "",
      stderr: `Stopping run r-1 (process ${loop.pid}). It finishes a proof that is under way.\nRun r-1 has ended.\n`,
    });
    expect(readTreeLock(gitFolder)).toBe(undefined);
    expect(await loop.ended).toBe(130);
  });

  test("P-40 X-75 says when a run takes its time; stop again kills", async () => {
    const { cwd, loop } = await withRun("stubborn");
    await expect(stopRun({ cwd, env: {}, onSignalled: () => undefined, waitMs: 1000 })).rejects.toMatchObject({
      kind: "busy",
      message: `Run r-1 (process ${loop.pid}) has not ended after 1s`,
      hint: "It finishes a proof that is under way. Run ralphctl stop again to stop it at once",
    });
    expect(isRunning(loop.pid)).toBe(true);
    expect(await type(["stop"], { cwd })).toMatchObject({ code: 0 });
    expect(await loop.ended).toBe(130);
  });

  test("P-40 a loop that dies without giving the tree back has ended too", async () => {
    const { cwd, gitFolder, loop } = await withRun("stubborn");
    const onSignalled = (): void => void loop.says("stopping").then(() => loop.child.kill("SIGKILL"));
    expect(await stopRun({ cwd, env: {}, onSignalled })).toEqual({ kind: "stopped", run: "r-1" });
    expect(readTreeLock(gitFolder)).toMatchObject({ run: "r-1", isAlive: false });
  });

  test("P-40 ends what a loop that was killed has left running", async () => {
    const cwd = temporaryRepository();
    // The marker is for this test alone: sweeping looks at every process of the machine.
    const run = `r-${process.pid}-${Date.now()}`;
    write(cwd, { ".git/ralph/run.json": lockOf({ startTime: "never", run, left: [`${run}-before`] }) });
    const agents = await Promise.all(
      [run, `${run}-before`].map(async (each) => await startAgent(treeMarker(each, join(cwd, ".git")).value)),
    );
    expect(await type(["stop"], { cwd })).toEqual({
      code: 0,
      stdout: "",
      stderr: `Run ${run} had crashed. Ended what it left running: processes ${agents[1]}, ${agents[0]}.\n`,
    });
    expect(agents.map(isRunning)).toEqual([false, false]);
  });

  test("P-40 X-75 a run on another machine can only be asked", async () => {
    const cwd = temporaryRepository();
    write(cwd, { ".git/ralph/run.json": lockOf({ host: "elsewhere" }) });
    expect(await type(["stop"], { cwd })).toEqual({
      code: 75,
      stdout: "",
      stderr:
        "error: Run r-1 (process 1) is on another machine: elsewhere\n" +
        "hint: Run ralphctl stop there, or ralphctl stop --after here\n",
    });
    expect(await type(["stop", "--after"], { cwd })).toMatchObject({ code: 0 });
  });

  test("P-40 --after lets the run end by itself", async () => {
    const { cwd, loop } = await withRun();
    expect(await type(["stop", "--after"], { cwd })).toEqual({
      code: 0,
      stdout: "",
      stderr: "Run r-1 will stop after this iteration.\n",
    });
    expect(await loop.ended).toBe(0);
  });
});

test("P-40 pause and resume reach the run", async () => {
  const { cwd, gitFolder, loop } = await withRun();
  const requests = openRequests(gitFolder, "r-1");
  expect(await type(["pause"], { cwd })).toEqual({
    code: 0,
    stdout: "",
    stderr: "Run r-1 will pause after this iteration, until you run ralphctl resume.\n",
  });
  expect(requests.isPaused()).toBe(true);
  expect(await type(["resume"], { cwd })).toEqual({ code: 0, stdout: "", stderr: "Run r-1 continues.\n" });
  expect({ isPaused: requests.isPaused(), resume: requests.takeResume() }).toEqual({ isPaused: false, resume: true });
  // A view of another run, which had the tree before.
  expect([await sendRunRequest({ cwd, env: {} }, "pause", "r-0"), requests.isPaused()]).toEqual([undefined, false]);
  expect(() => signalRun(cwd, "r-0")).toThrow("The run has ended");
  expect(isRunning(loop.pid)).toBe(true);
  loop.child.kill("SIGTERM");
  await loop.ended;
});

function lockOf(own: Readonly<Record<string, unknown>>): string {
  const whole = { host: hostname(), pid: 1, startTime: "1", run: "r-1", scope: "workspace", since: "then", left: [] };
  return JSON.stringify({ ...whole, ...own });
}

/** A process as a session leaves it behind; resolves once its environment is its own. */
async function startAgent(mark: string): Promise<number> {
  const env = { PATH: process.env["PATH"], RALPHCTL_MARKER: `${mark},r-1.1` };
  const child = spawn("/bin/sh", ["-c", "echo up; exec sleep 60"], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.destroy();
  return child.pid!;
}
