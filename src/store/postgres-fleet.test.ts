import { describe, expect, test, vi } from "vitest";
import { atEnd } from "../../test/at-end.ts";
import { fleetDatabase } from "../../test/fleet-database.ts";
import { byLane } from "../../test/lane.ts";
import { newDatabase, onDatabase, postgresMissing } from "../../test/postgres.ts";
import type { Owner } from "../domain/task.ts";
import type { Fleet, NewFleetRun, NewMember, Wake } from "./fleet.ts";
import { openPostgresFleet } from "./postgres-fleet.ts";
import { openDatabase } from "./postgres.ts";
import { listen } from "./postgres/listen.ts";
import { DONE, newTask } from "./store.contract.ts";

let database: Promise<string> | undefined;
let repositories = 0;

/** The same repository on several machines. */
async function machines(count: number): Promise<readonly Fleet[]> {
  const url = await (database ??= fleetDatabase());
  const repository = `fleet ${(repositories += 1)}`;
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const fleet = await openPostgresFleet({ url, repository, isNew: true, connections: 2 });
      atEnd(() => fleet.close());
      return fleet;
    }),
  );
}

const owner = (host: string): Owner => ({ host, pid: 1, startTime: "1" });
const LEASE = 60_000;
const LONG = { timeout: 60_000, interval: 20 };
const TARGET = "refs/heads/main";
const run = (change: Partial<NewFleetRun> = {}): NewFleetRun => ({
  id: "r1",
  scope: "workspace",
  target: TARGET,
  request: { mode: "build" },
  limits: {},
  owner: owner("a"),
  leaseMs: LEASE,
  ...change,
});
const member = (host: string, change: Partial<NewMember> = {}): NewMember => ({
  owner: owner(host),
  name: host,
  lanes: 2,
  harnesses: [{ name: "claude" }],
  version: "1",
  leaseMs: LEASE,
  ...change,
});

/** As if the time of all leases were over. */
const outlive = async (table: string): Promise<unknown> =>
  await onDatabase(
    await database!,
    `UPDATE ralphctl.${table} SET lease_until = lease_until - 1000000 WHERE lease_until > 0`,
  );

describe.skipIf(postgresMissing !== undefined)("what a fleet shares", () => {
  test("F-03 of two runs on one target one begins, the other is told who follows it", async () => {
    const [one, other] = await machines(2);
    const both = await Promise.allSettled([
      one!.beginRun(run()),
      other!.beginRun(run({ id: "r2", owner: owner("b") })),
    ]);
    const begun = both.filter(({ status }) => status === "fulfilled");
    expect(begun).toHaveLength(1);
    const [active, ...rest] = await one!.activeRuns();
    expect([active?.isFollowed, rest]).toEqual([true, []]);
    const refused = both.find((each) => each.status === "rejected")!;
    expect(refused.reason).toMatchObject({
      kind: "busy",
      message: expect.stringContaining(`${active!.id}, followed on ${active!.owner.host} (process 1)`),
    });
    expect(await other!.beginRun(run({ id: "r3", target: "refs/heads/other", owner: owner("b") }))).toMatchObject({
      id: "r3",
      isAdopted: false,
    });
  });

  test("F-03 a run whose follower is gone goes on with the next one, who has it alone", async () => {
    const [one, other] = await machines(2);
    const begun = await one!.beginRun(run({ request: { only: ["x"] }, limits: { iterations: 5 } }));
    expect(begun).toMatchObject({ id: "r1", begun: 0, costUsd: 0, limits: { iterations: 5 }, isAdopted: false });
    await one!.takeIteration("r1");
    await outlive("run");
    const adopted = await other!.beginRun(run({ id: "r2", owner: owner("b") }));
    expect(adopted).toMatchObject({ id: "r1", isAdopted: true, begun: 1, request: { only: ["x"] }, owner: owner("b") });
    expect([await one!.beatRun("r1", owner("a")), await other!.beatRun("r1", owner("b"))]).toEqual(["lost", "held"]);
    await other!.endRun("r1", { code: 0 });
    await other!.endRun("r1", { code: 1 });
    expect(await one!.getRun("r1")).toMatchObject({ end: { code: 0 }, isFollowed: false });
    expect([await other!.beatRun("r1", owner("b")), await one!.activeRuns()]).toEqual(["lost", []]);
    expect((await one!.beginRun(run({ id: "r3" }))).isAdopted).toBe(false);
    expect((await one!.listRuns()).map(({ id }) => id)).toEqual(["r3", "r1"]);
  });

  test("F-05 iterations of all machines have numbers of their own, up to the limit, and those given back come again", async () => {
    const fleets = await machines(3);
    await fleets[0]!.beginRun(run({ limits: { iterations: 20 } }));
    const taken = await Promise.all(Array.from({ length: 30 }, (_, n) => fleets[n % 3]!.takeIteration("r1")));
    const numbers = taken.filter((each) => each !== undefined).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    await fleets[1]!.giveIterationBack("r1", 20);
    expect(await fleets[2]!.takeIteration("r1")).toBe(20);
    await fleets[1]!.giveIterationBack("r1", 7);
    expect(await fleets[2]!.takeIteration("r1")).toBe(21);
    expect(await fleets[0]!.takeIteration("r1")).toBe(undefined);
    await fleets[0]!.giveIterationBack("r1", 21);
    await fleets[0]!.request("r1", "stop after");
    expect(await fleets[0]!.takeIteration("r1")).toBe(undefined);
  });

  test("F-06 requests are there for every machine, and an ended run takes none", async () => {
    const [one, other] = await machines(2);
    await one!.beginRun(run());
    expect(await other!.requests("r1")).toEqual({
      stop: false,
      stopAfter: false,
      isPaused: false,
      resumes: 0,
      from: undefined,
    });
    await one!.request("r1", "pause", "the page");
    expect(await other!.requests("r1")).toMatchObject({ isPaused: true, resumes: 0, from: "the page" });
    await other!.request("r1", "resume");
    await one!.request("r1", "stop");
    expect(await one!.requests("r1")).toEqual({
      stop: true,
      stopAfter: false,
      isPaused: false,
      resumes: 1,
      from: undefined,
    });
    await one!.endRun("r1", {});
    await expect(other!.request("r1", "pause")).rejects.toMatchObject({ kind: "config" });
  });

  test("F-03 members have numbers of their own; those of the dead are free once the run is over", async () => {
    const fleets = await machines(4);
    await fleets[0]!.beginRun(run());
    const joined = await Promise.all(fleets.map((fleet, n) => fleet.join(member(`m${n}`))));
    expect(joined.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4]);
    const [first, second] = joined.toSorted((a, b) => a.number - b.number);
    const state = { run: "r1", lanes: [{ lane: 101, task: "t", iteration: 1, doing: "session" }] };
    expect(await fleets[1]!.beat(first!, state)).toBe("held");
    await fleets[0]!.leave(second!);
    await outlive("member");
    expect((await fleets[0]!.join(member("late"))).number).toBe(2);
    expect((await fleets[0]!.members()).map(({ number, isLive }) => [number, isLive])).toEqual([
      [1, false],
      [2, true],
      [3, false],
      [4, false],
    ]);
    const { leaseMs: _, ...said } = member(first!.name);
    expect((await fleets[0]!.members())[0]).toMatchObject({ ...said, state });
    await fleets[0]!.endRun("r1", {});
    expect((await fleets[0]!.join(member("later"))).number).toBe(1);
    expect(await fleets[1]!.beat(first!, state)).toBe("lost");
  });

  test("F-03 of many that want to land one is the lander, and a zombie is fenced in all that it does", async () => {
    const fleets = await machines(4);
    const take = (fleet: Fleet, host: string) => fleet.takeLander(TARGET, { owner: owner(host), leaseMs: LEASE });
    const taken = await Promise.all(fleets.map((fleet, n) => take(fleet, `m${n}`)));
    expect(taken.filter((each) => each !== undefined)).toEqual([{ epoch: 1 }]);
    const intent = { target: TARGET, from: "a", tree: "t", run: "r1", task: "x", fence: 1 };
    expect(await fleets[0]!.addIntent({ ...intent, epoch: 1, to: "b" })).toBe("written");
    await outlive("lander");
    const next = await Promise.all(fleets.map((fleet, n) => take(fleet, `n${n}`)));
    expect(next.filter((each) => each !== undefined)).toEqual([{ epoch: 2 }]);
    expect(await fleets[1]!.keepLander(TARGET, 1)).toBe("lost");
    await fleets[1]!.leaveLander(TARGET, 1);
    expect(await fleets[1]!.addIntent({ ...intent, epoch: 1, to: "z" })).toBe("fenced");
    const open = { ...intent, epoch: 1, to: "b", state: "open" };
    expect(await fleets[0]!.openIntents(TARGET)).toEqual([open]);
    expect(await fleets[1]!.closeIntent({ ...open }, { epoch: 1, how: "landed" })).toBe("fenced");
    expect(await fleets[2]!.closeIntent({ ...open }, { epoch: 2, how: "landed" })).toBe("closed");
    expect(await fleets[2]!.addIntent({ ...intent, epoch: 2, to: "c" })).toBe("written");
    expect(await fleets[2]!.closeIntent({ target: TARGET, epoch: 2, to: "c" }, { epoch: 2, how: "given-up" })).toBe(
      "closed",
    );
    expect(await fleets[3]!.landedBy(TARGET, ["a", "b", "c"])).toEqual(new Map([["b", { ...open, state: "landed" }]]));
    expect([await fleets[2]!.keepLander(TARGET, 2), await take(fleets[3]!, "late")]).toEqual(["held", undefined]);
    await fleets[2]!.leaveLander(TARGET, 2);
    expect([await take(fleets[3]!, "late"), await take(fleets[3]!, "late")]).toEqual([{ epoch: 3 }, { epoch: 4 }]);
  });

  test("F-03 landers that come and go at once never share an epoch", async () => {
    const fleets = await machines(3);
    const epochs: number[] = [];
    const land = async (fleet: Fleet, n: number): Promise<void> => {
      for (let landed = 0; landed < byLane(8, 40);) {
        const lander = await fleet.takeLander(TARGET, { owner: owner(`m${n}`), leaseMs: LEASE });
        if (lander === undefined) continue;
        landed += 1;
        epochs.push(lander.epoch);
        const to = `m${n} ${landed}`;
        const intent = { target: TARGET, epoch: lander.epoch, from: undefined, to, tree: "t", run: "r1" };
        expect(await fleet.addIntent(intent)).toBe("written");
        expect(await fleet.closeIntent(intent, { epoch: lander.epoch, how: "landed" })).toBe("closed");
        await fleet.leaveLander(TARGET, lander.epoch);
      }
    };
    await Promise.all(fleets.map(land));
    expect(epochs).toEqual(Array.from(epochs, (_, n) => n + 1));
    expect(await fleets[0]!.openIntents(TARGET)).toEqual([]);
  });

  test("F-04 a reader who reads in order sees every event of every machine once, in the order of each", async () => {
    const fleets = await machines(4);
    await fleets[0]!.beginRun(run());
    const count = byLane(40, 200);
    const ship = async (fleet: Fleet, n: number): Promise<void> => {
      for (let from = 0; from < count;) {
        const lines = Array.from({ length: 1 + ((from + n) % 5) }, (_, at) => `${n}:${from + at}`);
        const there = await fleet.appendEvents("r1", { spool: `s${n}`, from, lines });
        expect(there).toBe(from + lines.length);
        // The answer got lost: what arrived is not added again.
        if (from % 3 === 0) expect(await fleet.appendEvents("r1", { spool: `s${n}`, from, lines })).toBe(there);
        from = there;
      }
    };
    const seen: string[] = [];
    const read = async (isOver: () => boolean): Promise<void> => {
      for (let after = 0; ;) {
        const wasOver = isOver();
        const found = await fleets[0]!.eventsAfter("r1", after, 7);
        expect(found.map(({ seq }) => seq)).toEqual(found.map((_, n) => after + n + 1));
        seen.push(...found.map(({ line }) => line));
        after += found.length;
        if (wasOver && found.length === 0) return;
      }
    };
    let isOver = false;
    const all = Promise.all(fleets.map(ship)).finally(() => (isOver = true));
    await Promise.all([all, read(() => isOver)]);
    for (const n of fleets.keys()) {
      const own = seen.filter((line) => line.startsWith(`${n}:`));
      expect(own).toEqual(own.map((_, at) => `${n}:${at}`));
      expect(await fleets[0]!.spooled("r1", `s${n}`)).toBe(own.length);
      expect(own.length).toBeGreaterThanOrEqual(count);
    }
    expect((await fleets[0]!.getRun("r1"))!.events).toBe(seen.length);
    await expect(fleets[0]!.appendEvents("r1", { spool: "s0", from: 9999, lines: ["x"] })).rejects.toThrow(
      "before line 10000",
    );
    await expect(fleets[0]!.appendEvents("none", { spool: "s0", from: 0, lines: ["x"] })).rejects.toThrow(
      "knows no run none",
    );
  });

  test("F-05 sessions share what is left, and a reservation dies with the lease of its task", async () => {
    const [one, other] = await machines(2);
    await one!.beginRun(run({ limits: { costUsd: 8, tokens: 1000 } }));
    await one!.join(member("a"));
    await other!.join(member("b"));
    await one!.store.add(["t1", "t2", "t3", "t4"].map((id) => newTask(id)));
    const claim = async (fleet: Fleet, host: string) =>
      (await fleet.store.claim({ owner: owner(host), leaseMs: LEASE, run: "r1" }))!.lease;
    const first = await claim(one!, "a");
    expect(await one!.reserve("r1", { holder: "101", lease: first })).toEqual({
      costUsd: 2,
      tokens: 250,
      isPart: true,
    });
    const second = await claim(other!, "b");
    expect(await other!.reserve("r1", { holder: "201", lease: second })).toEqual({
      costUsd: 2,
      tokens: 250,
      isPart: true,
    });
    await one!.spend("r1", { costUsd: 1, tokens: 100 }, "101");
    await one!.store.settle(first, DONE);
    const third = await claim(one!, "a");
    const fourth = await claim(one!, "a");
    // 8 - 1 spent - 2 reserved, for two who have a task.
    expect(await one!.reserve("r1", { holder: "101", lease: third })).toMatchObject({ costUsd: 2.5, tokens: 325 });
    expect(await one!.reserve("r1", { holder: "102", lease: fourth })).toMatchObject({ costUsd: 2.5, tokens: 325 });
    expect(await one!.reserve("r1", { holder: "hook", member: 1 })).toMatchObject({ costUsd: 0, tokens: 0 });
    await onDatabase(await database!, `UPDATE ralphctl.task SET lease_until = 1 WHERE id = 't2'`);
    expect(await one!.reserve("r1", { holder: "hook", member: 1 })).toMatchObject({ costUsd: 2, tokens: 250 });
    await one!.spend("r1", { costUsd: 0.5 }, "hook");
    expect(await one!.getRun("r1")).toMatchObject({ costUsd: 1.5, tokens: 100 });
  });

  test("F-05 sessions that begin at once never reserve more than there is", async () => {
    const fleets = await machines(4);
    await fleets[0]!.beginRun(run({ limits: { costUsd: 1 } }));
    await Promise.all(fleets.map((fleet, n) => fleet.join(member(`m${n}`))));
    const parts = await Promise.all(
      Array.from({ length: 12 }, (_, n) => fleets[n % 4]!.reserve("r1", { holder: `h${n}`, member: (n % 4) + 1 })),
    );
    const sum = parts.reduce((total, { costUsd = 0 }) => total + costUsd, 0);
    expect(sum).toBeCloseTo(1);
    expect(parts.every(({ costUsd = -1 }) => costUsd >= 0)).toBe(true);
  });

  test("F-05 a usage limit is there for all who have the account, for as long as the longest says", async () => {
    const [one, other] = await machines(2);
    const limit = { why: "limit", times: 1, message: "429" } as const;
    await one!.cool("acc", "claude", { ...limit, forMs: LEASE });
    await other!.cool("acc", "claude", { ...limit, forMs: 1000 });
    await other!.cool("acc", "codex", { ...limit, forMs: 0 });
    const [cooldown, ...rest] = await other!.cooldowns();
    expect([cooldown, rest]).toEqual([{ account: "acc", harness: "claude", ...limit, leftMs: expect.any(Number) }, []]);
    expect(cooldown!.leftMs).toBeGreaterThan(1000);
    await other!.cool("acc", "claude", undefined);
    expect(await one!.cooldowns()).toEqual([]);
  });

  test("F-04 a file that stays on its machine is asked for there, and the first answer counts", async () => {
    const [one, other] = await machines(2);
    const question = { member: 1, run: "r1", file: "1/transcript", maxBytes: 10 };
    const [id, second] = [await one!.ask(question), await one!.ask({ ...question, file: "2" })];
    expect(await other!.asked(2)).toEqual([]);
    expect(await other!.asked(1)).toEqual([
      { ...question, id },
      { ...question, file: "2", id: second },
    ]);
    expect(await one!.answerTo(id)).toBe(undefined);
    await other!.answer(id, { text: "hello", isCut: true });
    await other!.answer(id, { problem: "late" });
    await other!.answer(second, { problem: "There is none" });
    expect([await one!.answerTo(id), await one!.answerTo(second), await other!.asked(1)]).toEqual([
      { text: "hello", isCut: true },
      { problem: "There is none" },
      [],
    ]);
  });
});

describe.skipIf(postgresMissing !== undefined)("what wakes the machines of a fleet", () => {
  const never = 1_000_000;

  test("F-01 tasks, runs, requests, questions and a free lander wake who listens, and no other repository", async () => {
    const [[one, other], [stranger]] = [await machines(2), await machines(1)];
    const [heard, unheard]: [Wake[], Wake[]] = [[], []];
    atEnd(await other!.listen((what) => void heard.push(what), { pollMs: never }));
    atEnd(await stranger!.listen((what) => void unheard.push(what), { pollMs: never }));
    const wakes = async (what: Wake, action: () => Promise<unknown>): Promise<void> => {
      heard.length = 0;
      await action();
      await vi.waitUntil(() => heard.length > 0, LONG);
      expect(new Set(heard)).toEqual(new Set([what]));
    };
    await wakes("tasks", () =>
      one!.store.add([newTask("a"), newTask("b", { needs: ["a"] }), newTask("p", { needs: ["b"] })]),
    );
    await wakes("runs", () => one!.beginRun(run()));
    await wakes("requests", () => one!.request("r1", "pause"));
    await wakes("asks", () => one!.ask({ member: 1, run: "r1", file: "f", maxBytes: 1 }));
    const claim = await one!.store.claim({ owner: owner("a"), leaseMs: LEASE });
    await wakes("tasks", () => one!.store.settle(claim!.lease, DONE));
    const next = await one!.store.claim({ owner: owner("a"), leaseMs: LEASE });
    await wakes("tasks", () => one!.store.release(next!.lease));
    const lander = await one!.takeLander(TARGET, { owner: owner("a"), leaseMs: LEASE });
    await wakes("landing", () => one!.leaveLander(TARGET, lander!.epoch));
    await wakes("runs", () => one!.endRun("r1", {}));
    expect(unheard).toEqual([]);
  });

  test("F-07 whoever listens does so again after the server has cut the connection", async () => {
    const [one, other] = await machines(2);
    const heard: Wake[] = [];
    atEnd(await one!.listen((what) => void heard.push(what), { pollMs: never }));
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ralphctl, listening'`;
    await onDatabase(await database!, cut);
    await other!.beginRun(run());
    await vi.waitUntil(() => heard.includes("runs"), LONG);
    heard.length = 0;
    await vi.waitUntil(async () => {
      await other!.request("r1", "pause");
      return heard.length > 0;
    }, LONG);
  });

  test("F-01 where no message arrives, as behind a pooler, the timer beneath is enough", async () => {
    const url = await (database ??= fleetDatabase());
    const c = await openDatabase({ url, repository: "pooled", isNew: true });
    atEnd(() => c.pool.end());
    const heard: Wake[] = [];
    // It listens elsewhere: its request is taken, and nothing ever comes.
    atEnd(await listen({ ...c, url: await newDatabase() }, (what) => void heard.push(what)));
    await vi.waitUntil(() => new Set(heard).size === 5, LONG);
  });
});
