import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isRunning } from "../../../test/agent-session.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { guardArguments } from "./guard-script.ts";
import { GUARD_MARKER, startGuard } from "./guard.ts";
import { MARKER } from "./marker.ts";
import { marked } from "./sweep.ts";

// What a guard does when its ralphctl is killed is in test/e2e/run-guard.full.test.ts.

test.each([
  ["", "/usr/bin/grep"],
  [", also where grep knows lines only", grepWithoutNul()],
])("P-40 a pipe that ends without a word ends what carries the marker, and nothing else%s", async (_, grep) => {
  const run = newRun();
  const markers = [run, `${run},${run}.1`, `outer,${run}`, `${run}0`, `x${run}`, `${run}.1`, ""];
  const children = markers.map((marker) =>
    spawn("sleep", ["60"], { env: { PATH: searchPath, [MARKER]: marker, NOTE: run }, stdio: "ignore" }),
  );
  onTestFinished(() => children.forEach((child) => void child.kill("SIGKILL")));
  const env = { PATH: `${dirname(grep)}:${searchPath}` };
  const guard = spawn("/bin/sh", guardArguments(run), { env, stdio: ["pipe", "ignore", "ignore"] });
  guard.stdin.end("en");
  await new Promise((resolve) => guard.once("exit", resolve));
  expect(children.map(({ pid }) => isRunning(pid!))).toEqual([false, false, false, true, true, true, true]);
});

/** Like that of a small system. */
function grepWithoutNul(): string {
  const file = join(temporaryFolder(), "grep");
  writeFileSync(file, '#!/bin/sh\ncase $1 in -*z*) exit 2 ;; esac\nexec /usr/bin/grep "$@"\n', { mode: 0o700 });
  return file;
}

const newRun = (): string => `r-${randomUUID()}`;
const searchPath = process.env["PATH"]!;
const guardsOf = (run: string): number[] => marked({ name: GUARD_MARKER, value: run });

test("P-40 a guard that is released is gone, and has ended nothing", async () => {
  const run = newRun();
  const kept = spawn("sleep", ["60"], { env: { PATH: searchPath, [MARKER]: run }, stdio: "ignore" });
  onTestFinished(() => void kept.kill("SIGKILL"));
  const guard = await startGuard({ run, mark: run, searchPath });
  expect([guard.trouble, guardsOf(run).length]).toEqual([undefined, 1]);
  await guard.release();
  expect([guardsOf(run), isRunning(kept.pid!)]).toEqual([[], true]);
});

test("B-07 if ralphctl is killed, the guard removes the containers of the run, by their names", async () => {
  const run = newRun();
  const folder = temporaryFolder();
  const log = join(folder, "asked");
  const script = `#!/bin/sh\necho "$HOME $*" >>${log}\n[ "$1" = ps ] && echo one && echo two\nexit 0\n`;
  writeFileSync(join(folder, "podman"), script, { mode: 0o700 });
  const path = `${folder}:${searchPath}`;
  const guard = spawn("/bin/sh", guardArguments(run, "", ["podman"]), {
    env: { PATH: path, HOME: "/home/me" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.stdin.end();
  await new Promise((resolve) => guard.once("exit", resolve));
  expect(readFileSync(log, "utf8").split("\n")).toEqual([
    `/home/me ps --all --quiet --filter name=^ralphctl-${run}-`,
    "/home/me rm --force one",
    "/home/me rm --force two",
    "",
  ]);
});

/** Whether a process ignores HUP, INT, QUIT and TERM. */
const isDeaf = (pid: number): boolean =>
  (Number.parseInt(/SigIgn:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]!.slice(-4), 16) & 0x4007) ===
  0x4007;

test.runIf(process.platform === "linux")(
  "P-40 a guard does not listen to what terminals and groups are sent",
  async () => {
    const run = newRun();
    const guard = await startGuard({ run, mark: run, searchPath });
    const [pid = 0] = guardsOf(run);
    await vi.waitUntil(() => isDeaf(pid), { timeout: 50_000, interval: 5 });
    for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]) process.kill(pid, signal);
    expect(guardsOf(run)).toEqual([pid]);
    await guard.release();
    expect(guardsOf(run)).toEqual([]);
  },
);

test("a guard that was killed is released like any other", async () => {
  const run = newRun();
  const guard = await startGuard({ run, mark: run, searchPath });
  const [pid = 0] = guardsOf(run);
  process.kill(pid, "SIGKILL");
  await guard.release();
  await guard.release();
  expect(isRunning(pid)).toBe(false);
});

const WITHOUT = "If ralphctl is killed, its agent keeps running until the next start:";

test.each([
  ["grep", { searchPath: temporaryFolder() }, `${WITHOUT} cannot find grep, sleep`],
  ["a shell", { searchPath, shell: "/no/such/sh" }, `${WITHOUT} cannot start /no/such/sh: ENOENT`],
])("without %s there is no guard, which is said", async (_, place, trouble) => {
  const run = newRun();
  const guard = await startGuard({ run, mark: run, ...place });
  expect([guard.trouble, guardsOf(run)]).toEqual([trouble, []]);
  await guard.release();
});
