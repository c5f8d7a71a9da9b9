import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLaneTmp, newTemporaryFolder, inTemporaryFolder } from "../../src/system/temporary-folder.ts";
import { PROGRAM, ralphctl } from "../built-program.ts";
import { fileAppears, startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { homeOf, temporaryFolder } from "../temporary-folder.ts";

/** An agent that says what it sees, and waits until it is let go. */
async function waitingRun() {
  const at = temporaryFolder();
  const place = await loopWorkspace({
    script: `- - run: echo "options $NODE_OPTIONS" > ${at}/seen; while [ ! -e ${at}/go ]; do sleep 0.05; done; touch done.txt
  - say: <task-done>{task}</task-done>\n`,
  });
  return { place, seen: join(at, "seen"), go: () => writeFileSync(join(at, "go"), "") };
}

test.concurrent("B-06 SIGUSR1 opens no debugger, and ends nothing", async () => {
  const { place, seen, go } = await waitingRun();
  const run = startLive(place.folder);
  await fileAppears(seen);
  for (const _ of [1, 2, 3]) run.signal("SIGUSR1");
  go();
  const { code, stderr } = await run.ended;
  expect([code, stderr.includes("Debugger")]).toEqual([0, false]);
});

test.concurrent("B-06 an inspector of NODE_OPTIONS is closed, and agents do not get one", async () => {
  const { place, seen, go } = await waitingRun();
  go();
  const env = { NODE_OPTIONS: "--inspect=127.0.0.1:0 --trace-warnings" };
  const { code, stderr } = await ralphctl(["run"], { cwd: place.folder, env });
  // Node says so before it runs any of our code.
  const port = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(stderr)?.[1];
  expect([code, port !== undefined, readFileSync(seen, "utf8")]).toEqual([0, true, "options --trace-warnings\n"]);
  expect(stderr.match(/Debugger listening/g)).toHaveLength(1);
});

test.concurrent("B-06 nobody can attach while such a run goes on", async () => {
  const { place, seen, go } = await waitingRun();
  let told = "";
  const env = { PATH: process.env["PATH"], ...homeOf(place.folder), NODE_OPTIONS: "--inspect=127.0.0.1:0" };
  const child = spawn(process.execPath, [PROGRAM, "run"], {
    cwd: place.folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.on("data", (bytes) => (told += String(bytes)));
  const ended = new Promise((resolve) => child.on("close", resolve));
  await fileAppears(seen);
  const port = Number(/ws:\/\/127\.0\.0\.1:(\d+)/.exec(told)?.[1]);
  const answer = await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve("open")).on("error", ({ message }) => resolve(message));
    socket.unref();
  });
  const filter = `/proc/${child.pid}/coredump_filter`;
  const dump = existsSync(filter) ? readFileSync(filter, "utf8").trim() : "00000000";
  go();
  expect([port > 0, String(answer).includes("ECONNREFUSED"), dump, await ended]).toEqual([true, true, "00000000", 0]);
});

test("B-06 temporary folders are for their user alone", async () => {
  const mode = (folder: string): string => (statSync(folder).mode & 0o777).toString(8);
  const before = process.umask(0);
  try {
    const made = [await newTemporaryFolder("mode"), await newLaneTmp()];
    await inTemporaryFolder("mode", async (folder) => expect(mode(folder)).toBe("700"));
    expect(made.map(mode)).toEqual(["700", "700"]);
    for (const folder of made) rmSync(folder, { recursive: true });
  } finally {
    process.umask(before);
  }
});
