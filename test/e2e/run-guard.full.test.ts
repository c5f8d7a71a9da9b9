import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atEnd } from "../at-end.ts";
import { MARKER, runMarker } from "../../src/system/process/marker.ts";
import { marked, sweep } from "../../src/system/process/sweep.ts";
import { readTreeLock } from "../../src/system/tree-lock.ts";
import { PROGRAM } from "../built-program.ts";
import { hanging, isAlive, isUnguarded, startGuarded } from "../guarded-run.ts";
import { DONE, notices, script, seen, sh, WORK } from "../hostile-run.ts";
import { type LoopWorkspace, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";
import { byLane } from "../lane.ts";

// ralphctl cannot do anything about its own SIGKILL: a guard beside it ends what it has started.

const gate = (run: string): string => `gates:\n  - { id: test, run: ${JSON.stringify(run)} }\n`;
const HANG = sh("sh hang.sh");
const REVIEWED = JSON.stringify([
  { when: { prompt: "<verify-pass/>" }, steps: [HANG, { say: "<verify-pass/>" }] },
  { when: { prompt: "<task-done>" }, steps: [WORK, DONE] },
]);

/** Where ralphctl is when it is killed: what it was started with, and what makes it hang there. */
const MOMENTS: Readonly<Record<string, Partial<WorkspaceOptions> & { readonly command: readonly string[] }>> = {
  "an agent works": { command: ["run"], script: script([HANG, WORK, DONE]) },
  "a gate runs": { command: ["run"], config: gate("test -f done.txt && sh hang.sh") },
  "a reviewer reads": {
    command: ["run"],
    config: `${gate("test -f done.txt")}verify: { reviewer: scripted }\n`,
    script: REVIEWED,
  },
  "a hook runs": {
    command: ["run"],
    config: `${gate("test -f done.txt")}hooks: [{ id: hang, on: iteration-start, run: sh hang.sh }]\n`,
  },
  "a hook's agent looks back": {
    command: ["run"],
    config: `${gate("test -f done.txt")}hooks: [{ id: hang, on: iteration-start, prompt: Look back }]\n`,
    script: JSON.stringify([{ when: { prompt: "Look back" }, steps: [HANG] }, [WORK, DONE]]),
  },
  "verify checks": { command: ["verify"], config: gate("sh hang.sh && test -f done.txt") },
  "verify --clean checks": { command: ["verify", "--clean"], config: gate("sh hang.sh && test -f done.txt") },
};
const ALL = Object.entries(MOMENTS).flatMap(([moment, made]) => [
  [moment, "alone", made] as const,
  [moment, "with its group", made] as const,
]);
/** In the fast lane every third: both ways, by turns. */
const CASES = byLane(
  ALL.filter((_, at) => at % 3 === 0),
  ALL,
);

const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

/** A process of somebody else, in whose environment the run is named, too. */
function bystander(run: string): number {
  const env = { PATH: process.env["PATH"], [MARKER]: `${run}0,x${run},${run}.`, NOTE: run };
  const child = spawn("sleep", ["60"], { env, stdio: "ignore" });
  atEnd(() => void child.kill("SIGKILL"));
  return child.pid!;
}

describe.concurrent("SIGKILL", () => {
  test.each(CASES)(
    "P-40 P-41 while %s, %s: nothing of the run lives on, and the next one goes on",
    async (...which) => {
      const [, reach, { command, ...made }] = which;
      const { files, hangs } = hanging();
      const temporary = temporaryFolder();
      const env = { TMPDIR: temporary };
      const place = await loopWorkspace({ script: script([WORK, DONE]), files, env, ...made });
      const killed = startGuarded(place.folder, command, env);
      const pids = await hangs();
      const other = bystander(killed.run());
      expect([pids.map(isAlive), killed.guards().length]).toEqual([[true, true, true], 1]);
      await killed.kill(reach);
      await killed.isSilent();
      expect([pids.map(isAlive), isAlive(other)]).toEqual([[false, false, false], true]);
      const run = await place.run();
      expect(await seen(place, run)).toEqual(VERIFIED);
      expect(notices(run).filter((text) => text.includes(killed.run()))).toEqual([
        `The run ${killed.run()} was killed; this run continues from there`,
      ]);
      // A reviewer and a clean check have a checkout of their own.
      expect([readdirSync(temporary), place.git("worktree", "list").split("\n").length]).toEqual([[], 1]);
    },
  );
});

test.runIf(hasTerminals)("P-40 SIGKILL while a person attends: nothing of the run lives on", async () => {
  const { files, hangs } = hanging();
  const place = await loopWorkspace({ script: script([HANG, WORK, DONE]), files });
  const started = startAtTerminal([process.execPath, PROGRAM, "step"], place.folder);
  const pids = await hangs();
  const { run, owner } = readTreeLock(join(place.folder, ".git"))!;
  process.kill(owner.pid, "SIGKILL");
  await isUnguarded(run);
  expect([pids.map(isAlive), marked(runMarker(run)), await started.ended]).toEqual([[false, false, false], [], 137]);
});

const KEEPS = `${gate("test -f done.txt")}processes: { keep: true }\n`;

test.concurrent("P-40 the guard of a run that ends in order is gone, and spares what processes.keep kept", async () => {
  const { files, hangs, signs } = hanging();
  // In the background: the session ends, and all of it stays.
  const wait = sh(`until test -e ${signs}/hung; do sleep 0.02; done`);
  const place = await loopWorkspace({
    script: script([sh("sh hang.sh >/dev/null 2>&1 &"), WORK, wait, DONE]),
    config: KEEPS,
    files,
  });
  const { code, stdout } = await place.ralphctl("run", "--json");
  const { run } = JSON.parse(stdout.split("\n")[0]!) as { run: string };
  await isUnguarded(run);
  const alive = (await hangs()).map(isAlive);
  await sweep(runMarker(run));
  expect([code, alive]).toEqual([0, [true, true, true]]);
});

test.concurrent("P-40 SIGKILL ends also what processes.keep has kept of that run", async () => {
  const { files, hangs } = hanging();
  const place = await loopWorkspace({ script: script([HANG, WORK, DONE]), config: KEEPS, files });
  const killed = startGuarded(place.folder, ["run"]);
  const pids = await hangs();
  await killed.kill("alone");
  await killed.isSilent();
  expect(pids.map(isAlive)).toEqual([false, false, false]);
});

describe.concurrent("where the guard was killed, too", () => {
  /** A run that was killed and whose processes are all there still. */
  async function orphaned(): Promise<{ place: LoopWorkspace; run: string; pids: number[] }> {
    const { files, hangs } = hanging();
    const place = await loopWorkspace({ script: script([HANG, WORK, DONE]), files });
    const killed = startGuarded(place.folder, ["run"]);
    const pids = await hangs();
    for (const pid of killed.guards()) process.kill(pid, "SIGKILL");
    await killed.kill("with its group");
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    return { place, run: killed.run(), pids };
  }

  const ENDED = / had left \d+ processes running, and ralphctl ended them$/;

  test("P-41 the next run ends its processes and says so; those of a run that lives are spared", async () => {
    const { files, hangs } = hanging();
    const elsewhere = await loopWorkspace({ script: script([HANG, WORK, DONE]), files });
    const living = startGuarded(elsewhere.folder, ["run"]);
    const others = await hangs();
    const { place, run, pids } = await orphaned();
    const next = await place.run();
    expect(await seen(place, next)).toEqual(VERIFIED);
    expect([pids.map(isAlive), others.map(isAlive)]).toEqual([
      [false, false, false],
      [true, true, true],
    ]);
    expect(notices(next).filter((text) => text.includes(run))).toEqual([
      expect.stringMatching(ENDED),
      `The run ${run} was killed; this run continues from there`,
    ]);
    await living.kill("alone");
    await living.isSilent();
  });

  test("P-41 verify ends its processes and says so", async () => {
    const { place, run, pids } = await orphaned();
    const { code, stderr } = await place.ralphctl("verify");
    expect([code, pids.map(isAlive)]).toEqual([1, [false, false, false]]);
    expect(stderr).toMatch(new RegExp(`The run ${run} had left \\d+ processes running, and ralphctl ended them`));
  });

  test("P-40 stop ends its processes", async () => {
    const { place, pids } = await orphaned();
    const { code } = await place.ralphctl("stop");
    expect([code, pids.map(isAlive)]).toEqual([0, [false, false, false]]);
  });
});

describe.concurrent("a ralphctl inside a gate of another", () => {
  const inside = (folder: string): string => `cd ${folder} && "${process.execPath}" "${PROGRAM}" run`;

  test("P-40 all that it started ends with the outer one, also when that is killed", async () => {
    const { files, hangs } = hanging();
    const inner = await loopWorkspace({ script: script([HANG, WORK, DONE]), files });
    const outer = await loopWorkspace({ script: script([WORK, DONE]), config: gate(inside(inner.folder)) });
    const killed = startGuarded(outer.folder, ["verify"]);
    const pids = await hangs();
    const innerRun = startedIn(inner);
    expect([pids.map(isAlive), killed.processes().filter((pid) => pids.includes(pid)).length]).toEqual([
      [true, true, true],
      3,
    ]);
    await killed.kill("alone");
    await killed.isSilent();
    await isUnguarded(innerRun);
    expect([pids.map(isAlive), marked(runMarker(innerRun))]).toEqual([[false, false, false], []]);
  });

  test("P-40 what it leaves behind in the background ends with the gate", async () => {
    const { files, hangs, signs } = hanging();
    const inner = await loopWorkspace({ script: script([HANG, WORK, DONE]), files });
    const wait = `until test -e ${signs}/hung; do sleep 0.02; done`;
    const outer = await loopWorkspace({
      script: script([WORK, DONE]),
      config: gate(`(setsid sh -c '${inside(inner.folder)}' >/dev/null 2>&1 &); ${wait}`),
    });
    const { code } = await outer.ralphctl("verify");
    const innerRun = startedIn(inner);
    await isUnguarded(innerRun);
    expect([code, (await hangs()).map(isAlive), marked(runMarker(innerRun))]).toEqual([0, [false, false, false], []]);
  });

  test("P-40 what it ends is its own, and never the outer one's", async () => {
    const inner = await loopWorkspace({ script: script([sh("setsid sleep 300 >/dev/null 2>&1 &"), WORK, DONE]) });
    const command = `sleep 300 & (${inside(inner.folder)}) && kill -0 $! && echo it lives`;
    const outer = await loopWorkspace({ script: script([WORK, DONE]), config: gate(command) });
    const { code, stdout } = await outer.ralphctl("verify");
    expect([code, await inner.states(), stdout.includes("it lives")]).toEqual([0, { "Do it": "done" }, true]);
  });
});

/** The run of a workspace, however it ended: one that was asked to end may have given its tree back already. */
const startedIn = ({ folder }: LoopWorkspace): string => readdirSync(join(folder, ".ralph/runs"))[0]!;
