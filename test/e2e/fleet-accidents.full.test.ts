import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { filesWith, fleetPlay, type FleetPlay, until } from "../fleet-play.ts";
import { onDatabase, postgresMissing } from "../postgres.ts";
import { freezeTree, processesWith } from "../process-tree.ts";
import { git, temporaryRepository } from "../temporary-folder.ts";

const PATIENT = 600_000;

const WORK = 'echo "$RALPHCTL_TASK" > "$RALPHCTL_TASK.txt"';

/** Says that it has begun, and waits for the test. */
const waits = (what: string): string =>
  `touch "$MEET/began-${what}"; until [ -e "$MEET/go-${what}" ]; do sleep 0.1; done`;

const hasBegun =
  ({ meeting }: FleetPlay, what: string) =>
  () =>
    existsSync(join(meeting, `began-${what}`));
const go = ({ meeting }: FleetPlay, what: string): void => writeFileSync(join(meeting, `go-${what}`), "");

describe.skipIf(postgresMissing !== undefined)("a fleet's accidents", () => {
  test(
    "F-02 a machine that slept for longer than its lease lands nothing when it wakes, and says so",
    { timeout: PATIENT },
    async () => {
      const play = await fleetPlay({ agent: `${waits("$RALPHCTL_ITERATION")}\n${WORK}`, lease: "3s" });
      const [id = ""] = await play.addTasks([["First"]]);
      const run = play.machine().start("run", "--fleet");
      const sleeper = play.machine().start("worker", "--once");
      await until(hasBegun(play, "1"), "the first session");
      const wake = freezeTree(sleeper.pid);
      go(play, "1");
      const other = play.machine({ isApart: true }).start("worker", "--once");
      await until(hasBegun(play, "2"), "the second session");
      go(play, "2");
      const { code } = await run.ended;
      expect(code, [run, sleeper, other].map(({ said }) => said()).join("\n")).toBe(0);
      const head = git(play.bare, "rev-parse", "main");
      wake();
      expect(await sleeper.ended).toMatchObject({ code: 0 });
      expect(sleeper.said()).toContain("Another run took the task over, so this iteration does not count");
      expect(git(play.bare, "rev-parse", "main")).toBe(head);
      expect([play.subjects(), await play.faults()]).toEqual([["First"], []]);
      const outcomes = (await play.shared.store.attempts(id)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(["lost", "verified"]);
    },
  );

  test(
    "F-03 a machine that others have forgotten has a number of its own again before it works",
    { timeout: PATIENT },
    async () => {
      const play = await fleetPlay({ agent: `${waits("$RALPHCTL_TASK")}\n${WORK}` });
      const forgotten = play.machine().start("worker", "--once");
      await until(() => forgotten.said().includes("waits for a run"), "the first worker");
      await onDatabase(play.url, "DELETE FROM ralphctl.member");
      const other = play.machine().start("worker", "--once");
      await until(() => other.said().includes("waits for a run"), "the second worker");
      const ids = await play.addTasks([["First"], ["Second"]]);
      const run = play.machine().start("run", "--fleet");
      for (const id of ids) await until(hasBegun(play, id), "both sessions");
      const members = (await play.shared.members()).filter(({ isLive }) => isLive);
      expect(members.map(({ number }) => number).toSorted()).toEqual([1, 2]);
      for (const id of ids) go(play, id);
      expect((await run.ended).code, run.said() + forgotten.said() + other.said()).toBe(0);
      expect(await play.faults()).toEqual([]);
    },
  );

  test(
    "F-06 pause, context, resume and stop from a machine that does nothing else reach all others",
    { timeout: PATIENT },
    async () => {
      const agent = `${waits("$RALPHCTL_ITERATION")}\n${WORK}`;
      const play = await fleetPlay({ agent });
      const [, second = ""] = await play.addTasks([["First"], ["Second", 0], ["Third", 1]]);
      const desk = play.machine();
      const worker = play.machine().start("worker", "--once");
      const run = play.machine().start("run", "--fleet");
      await until(hasBegun(play, "1"), "the first session");
      // A listening connection cannot be shared, so each process has one: the worker and the follower.
      const listening = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'ralphctl, listening'";
      expect(await onDatabase(play.url, `${listening} AND datname = current_database()`)).toHaveLength(2);
      expect(await desk.type("pause")).toMatchObject({ code: 0 });
      go(play, "1");
      await until(() => worker.said().includes("Paused"), "the pause");
      expect(await desk.type("context", "add", "Mind the gap")).toMatchObject({ code: 0 });
      expect(hasBegun(play, "2")()).toBe(false);
      expect(await desk.type("resume")).toMatchObject({ code: 0 });
      await until(hasBegun(play, "2"), "the second session");
      expect(readFileSync(join(play.meeting, `prompt-${second}`), "utf8")).toContain("Mind the gap");
      expect(await desk.type("stop")).toMatchObject({ code: 0 });
      expect((await run.ended).code, run.said() + worker.said()).toBe(130);
      expect(await worker.ended).toMatchObject({ code: 0 });
      expect(play.subjects()).toEqual(["First"]);
    },
  );

  test(
    "F-06 a worker that is to work on one run ends after it, however late its follower says that it has ended",
    { timeout: PATIENT },
    async () => {
      const play = await fleetPlay({ agent: WORK });
      await play.addTasks([["First"]]);
      const { owner } = play.shared;
      const begun = { id: "r-20261119-000000-0001", scope: "workspace", target: "refs/heads/main", limits: {} };
      await play.shared.beginRun({ ...begun, request: { v: 1, strict: false }, owner, leaseMs: 600_000 });
      await play.shared.request(begun.id, "stop");
      const worker = play.machine().start("worker", "--once");
      // It comes back, as long as the run goes on.
      await until(() => worker.said().split("Stopped by you").length > 2, "the second stop");
      await play.shared.endRun(begun.id, {});
      expect(await worker.ended, worker.said()).toMatchObject({ code: 0 });
    },
  );

  test(
    "F-08 no process of a session, gate, set-up or hook has the address, nor has any file that they or the run wrote",
    { timeout: PATIENT },
    async () => {
      const there = (what: string): string => JSON.stringify(`MEET=$(cat "$HOME/meeting"); ${waits(what)}`);
      const play = await fleetPlay({
        agent: `${waits("agent")}\n${WORK}`,
        gate: JSON.parse(there("gate")) as string,
        config: `lanes: { setup: ${there("setup")} }\nhooks:\n  - { id: hook, on: iteration-end, run: ${there("hook")} }`,
      });
      await play.addTasks([["First"]]);
      const machines = [play.machine(), play.machine()] as const;
      const worker = machines[0].start("worker", "--once");
      const run = machines[1].start("run", "--fleet");
      const secret = new URL(play.url).pathname.slice(1);
      for (const what of ["setup", "gate", "agent", "hook"]) {
        await until(hasBegun(play, what), what);
        const others = processesWith(secret).filter(({ pid }) => pid !== worker.pid && pid !== run.pid);
        expect([what, others.map(({ words }) => words)]).toEqual([what, []]);
        go(play, what);
      }
      expect((await run.ended).code, run.said() + worker.said()).toBe(0);
      await worker.ended;
      expect(machines.flatMap(({ place }) => filesWith(place, [secret]))).toEqual([]);
    },
  );

  test(
    "F-01 clocks of machines that differ by two hours neither lose a lease nor keep one",
    { timeout: PATIENT },
    async () => {
      const play = await fleetPlay({ agent: `${waits("$RALPHCTL_TASK")}\n${WORK}`, lease: "3s" });
      const ids = await play.addTasks([["First"], ["Second"], ["Third", 0, 1]]);
      const skewed = (ms: number) => ({
        NODE_OPTIONS: `--import=${resolve("test/torture/clock.mjs")}`,
        TORTURE_CLOCK: "/",
        TORTURE_CLOCK_BY_MS: String(ms),
      });
      const workers = [3_600_000, -3_600_000].map((ms) =>
        play.machine({ env: skewed(ms), isApart: true }).start("worker", "--once"),
      );
      const run = play.machine().start("run", "--fleet");
      for (const id of ids.slice(0, 2)) await until(hasBegun(play, id), "both sessions");
      // Longer than a lease, with signs of life.
      await new Promise((after) => setTimeout(after, 6000));
      for (const id of ids) go(play, id);
      const { code } = await run.ended;
      expect(code, [run, ...workers].map(({ said }) => said()).join("\n")).toBe(0);
      expect(await play.faults()).toEqual([]);
      const outcomes = await Promise.all(ids.map(async (id) => await play.shared.store.attempts(id)));
      expect(outcomes.flat().map(({ outcome }) => outcome)).toEqual(["verified", "verified", "verified"]);
    },
  );

  test("F-09 a worker with an older or newer schema, or in a clone of another repository, is refused with a way out", async () => {
    const play = await fleetPlay({ agent: WORK });
    const machine = play.machine();
    const said = async () => {
      const { code, stderr } = await machine.type("worker", "--once");
      return [code, stderr] as const;
    };
    await onDatabase(play.url, "UPDATE ralphctl.version SET number = 99");
    expect(await said()).toEqual([74, expect.stringContaining("was set up by a newer ralphctl (schema 99")]);
    await onDatabase(play.url, "UPDATE ralphctl.version SET number = 1");
    expect(await said()).toEqual([78, expect.stringContaining("Run once: ralphctl fleet init")]);
    await onDatabase(play.url, "UPDATE ralphctl.version SET number = 2");
    const other = temporaryRepository({ "other.txt": "1\n", ".ralph/config.yaml": "harness: [command]\n" });
    git(machine.folder, "remote", "set-url", "origin", other);
    git(machine.folder, "fetch", "--quiet");
    git(machine.folder, "reset", "--quiet", "--hard", "origin/main");
    expect(await said()).toEqual([78, expect.stringContaining("ralphctl fleet init")]);
  });
});
