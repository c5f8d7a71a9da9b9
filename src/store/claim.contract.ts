import { describe, expect, test } from "vitest";
import type { NewTask } from "../domain/task-input.ts";
import { DEFAULT_ATTEMPT_LIMIT, type Owner, type Task } from "../domain/task.ts";
import type { Claim, ClaimRequest, Store } from "./store.ts";
import { collect, DONE, ME, newTask, type Opened, OTHER, request } from "./store.contract.ts";

const REMOTE: Owner = { host: "there", pid: 3, startTime: "3" };
const LEASE = request().leaseMs;

/** The second half of the contract: who may work on what, and what comes of it. */
export function claimContract(open: () => Promise<Opened>): void {
  const withTasks = async (tasks: readonly NewTask[]): Promise<Opened> => {
    const opened = await open();
    await opened.store.add(tasks);
    return opened;
  };
  const find = async (store: Store, id: string): Promise<Task> => (await store.get(id))!;
  const claim = async (store: Store, more: Partial<ClaimRequest> = {}): Promise<Claim> =>
    (await store.claim(request(more)))!;

  describe("claims", () => {
    test("dag-R7 two workers never claim the same task", async () => {
      const { store } = await withTasks([newTask("a")]);
      const claims = await Promise.all([store.claim(request()), store.claim(request({ owner: OTHER }))]);
      expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
    });

    test("a claim says what it took and the fence grows with each", async () => {
      const { store, world } = await withTasks([newTask("a")]);
      const first = await claim(store, { run: "r1", iteration: 7 });
      expect(first.lease).toEqual({ task: "a", fence: 1, owner: ME });
      expect(first.task).toMatchObject({ status: "in_progress", ready: false, startedAt: world.now });
      expect(first.task.lease).toEqual({ owner: ME, fence: 1, untilMs: world.now + LEASE, run: "r1" });
      await store.release(first.lease);
      expect((await claim(store)).lease.fence).toBe(2);
      // The same worker cannot go on with what it gave back.
      expect([await store.heartbeat(first.lease), await store.recordVerdict(first.lease, { tree: "t" })]).toEqual([
        "fenced",
        "fenced",
      ]);
    });

    test("a claim can be limited to scopes and to tasks, and a person may take a blocked one", async () => {
      const { store } = await withTasks([
        newTask("a"),
        newTask("b", { scope: "project/x" }),
        newTask("c", { needs: ["a"] }),
      ]);
      expect(await store.claim(request({ scopes: [] }))).toBe(undefined);
      expect((await claim(store, { scopes: ["project/y", "project/x"] })).task.id).toBe("b");
      expect(await store.claim(request({ only: ["c", "zz"] }))).toBe(undefined);
      expect(await store.claim(request({ only: ["a"], scopes: ["project/x"] }))).toBe(undefined);
      expect((await claim(store, { only: ["c"], anyway: true })).task.id).toBe("c");
      expect((await claim(store)).task.id).toBe("a");
      expect(await store.claim(request())).toBe(undefined);
    });

    test("dag-R6 failed tasks with attempts left come after everything that is ready", async () => {
      const { store } = await withTasks([newTask("a", { priority: 0 }), newTask("b", { priority: 9 })]);
      const first = await claim(store);
      await store.settle(first.lease, { outcome: "failed", to: "failed", counted: true, reason: "cannot" });
      expect(await find(store, "a")).toMatchObject({ status: "failed", reason: "cannot", retry: true, attempts: 1 });
      expect((await claim(store)).task.id).toBe("b");
      const again = await claim(store);
      expect(again.task).toMatchObject({ id: "a", attempts: 1, status: "in_progress" });
      await store.settle(again.lease, {
        outcome: "failed",
        to: "failed",
        counted: true,
        reason: "still",
        attemptLimit: 2,
      });
      expect(await find(store, "a")).toMatchObject({ status: "failed", retry: false, attempts: 2 });
      expect(await store.claim(request())).toBe(undefined);
      expect(await store.update("a", { attemptLimit: 5 }, "person")).toMatchObject({ retry: true });
      expect((await claim(store)).task.id).toBe("a");
    });

    test("P-20 a new limit revives only what its attempts made fail", async () => {
      const { store } = await withTasks([newTask("a"), newTask("b"), newTask("c"), newTask("d")]);
      const failed = { outcome: "failed", to: "failed", counted: true, reason: "no" } as const;
      await store.change("a", { kind: "fail", reason: "not wanted" }, "person");
      await store.settle((await claim(store, { only: ["b"] })).lease, { ...failed, final: true });
      const usedUp = { ...failed, to: "pending", attemptLimit: 1 } as const;
      for (const id of ["c", "d"]) await store.settle((await claim(store, { only: [id] })).lease, usedUp);
      for (const id of ["a", "b"]) {
        expect(await store.update(id, { attemptLimit: 9 }, "person")).toMatchObject({ status: "failed", retry: false });
      }
      expect(await store.update("c", { attemptLimit: 9 }, "person")).toMatchObject({ retry: true });
      expect(await store.update("c", { attemptLimit: null }, "person")).toMatchObject({ retry: false });
      expect(await store.update("c", { attemptLimit: 2 }, "person")).toMatchObject({ retry: true });
      await store.change("d", { kind: "reset" }, "person");
      await store.change("d", { kind: "fail", reason: "not wanted" }, "person");
      expect(await store.update("d", { attemptLimit: 9 }, "person")).toMatchObject({ retry: false });
      expect(await store.check()).toEqual([]);
    });

    test("W-07 a lease keeps others away until it has run out; a heartbeat renews it", async () => {
      const { store, world } = await withTasks([newTask("a")]);
      const { lease } = await claim(store, { owner: REMOTE });
      world.now += LEASE - 1;
      expect(await store.heartbeat(lease)).toBe("held");
      world.now += LEASE - 1;
      expect(await store.claim(request())).toBe(undefined);
      world.now += 1;
      const taken = await claim(store);
      expect(taken.lease.fence).toBe(2);
      expect(await store.heartbeat(lease)).toBe("fenced");
      expect(await store.settle(lease, DONE)).toEqual({ kind: "fenced" });
      expect(await store.release(lease)).toEqual({ kind: "fenced" });
      expect(await store.recordVerdict(lease, { tree: "t" })).toBe("fenced");
      expect((await find(store, "a")).status).toBe("in_progress");
      const all = await store.attempts("a");
      expect(await store.attempts("a", all[0]!.fence)).toEqual(all.slice(1));
      expect(all.map(({ outcome, counted }) => [outcome, counted])).toEqual([
        ["lost", false],
        [undefined, false],
      ]);
      await store.settle(taken.lease, DONE);
      expect(await store.settle(lease, DONE)).toEqual({ kind: "fenced" });
    });

    test("W-07 a lease whose owner is dead on this host is free at once, nothing counted", async () => {
      const { store, world } = await withTasks([newTask("p"), newTask("a", { parent: "p" })]);
      await claim(store, { owner: OTHER });
      expect(await store.claim(request())).toBe(undefined);
      world.dead.add(OTHER.pid);
      expect((await store.check()).map(({ kind, task }) => [kind, task])).toEqual([["lease", "a"]]);
      const taken = await claim(store);
      expect(taken.task).toMatchObject({ id: "a", attempts: 0 });
      expect((await find(store, "p")).status).toBe("in_progress");
      expect(await store.check()).toEqual([]);
    });

    test("a late worker whose task nobody took may go on", async () => {
      const { store, world } = await withTasks([newTask("a")]);
      const { lease } = await claim(store);
      world.now += 10 * LEASE;
      expect(await store.heartbeat(lease)).toBe("held");
      expect(await store.settle(lease, DONE)).toMatchObject({ kind: "settled" });
    });

    test("a clock that is put back an hour delays nobody by more than a lease", async () => {
      const { store, world } = await withTasks([newTask("a"), newTask("b")]);
      const { lease } = await claim(store, { owner: REMOTE });
      world.now -= 3_600_000;
      expect((await claim(store)).task.id).toBe("b");
      expect(await store.heartbeat(lease)).toBe("held");
      world.now += 3_600_000;
      await store.heartbeat(lease);
      world.now -= 3_600_000;
      expect(await store.claim(request())).toBe(undefined);
      world.now += LEASE;
      expect((await claim(store)).task.id).toBe("a");
    });
  });

  describe("settling", () => {
    test("settling is idempotent by attempt and records everything", async () => {
      const { store, world } = await withTasks([newTask("a"), newTask("b", { needs: ["a"] })]);
      const { lease } = await claim(store, { run: "r1", iteration: 1 });
      const settlement = {
        ...DONE,
        summary: "made it",
        costUsd: 0.5,
        tokens: 10,
        session: "s1",
        details: { gates: [1] },
      };
      const first = await store.settle(lease, settlement);
      expect(first).toMatchObject({ kind: "settled", repeated: false, task: { status: "done", summary: "made it" } });
      expect(await store.settle(lease, { ...DONE, to: "pending" })).toMatchObject({ kind: "settled", repeated: true });
      expect(await store.attempts("a")).toEqual([
        {
          fence: 1,
          run: "r1",
          iteration: 1,
          owner: ME,
          startedAt: world.now,
          endedAt: world.now,
          outcome: "verified",
          counted: true,
          reason: undefined,
          costUsd: 0.5,
          tokens: 10,
          session: "s1",
          verdict: undefined,
          details: { gates: [1] },
        },
      ]);
      expect((await store.log("a")).map(({ kind }) => kind)).toEqual(["verified"]);
      expect((await store.ready()).map((task) => task.id)).toEqual(["b"]);
    });

    test("T-15 a done task is listed with the record that made it done, and with nothing else", async () => {
      const { store, world } = await withTasks([
        newTask("a"),
        newTask("b"),
        newTask("c", { status: "done" }),
        newTask("p"),
        newTask("d", { parent: "p", scope: "project/x" }),
        newTask("e"),
      ]);
      const evidence = { v: 2, strength: "proven" };
      // A verdict that did not settle its task is no record of it.
      const moved = (await store.claim(request({ only: ["d"] })))!;
      await store.recordVerdict(moved.lease, { tree: "t", evidence });
      await store.settle(moved.lease, { outcome: "unfinished", to: "pending", counted: false });
      for (const id of ["a", "d"]) {
        const { lease } = (await store.claim(request({ only: [id] })))!;
        if (id === "a") await store.recordVerdict(lease, { tree: "t", evidence });
        await store.settle(lease, DONE);
      }
      await store.change("b", { kind: "complete" }, "person");
      const records = async (filter = {}) =>
        (await collect(store.done(filter))).map(({ id, last, evidence }) => [id, last?.by, last?.kind, evidence]);
      expect(await records()).toEqual([
        ["a", "loop", "verified", evidence],
        ["b", "person", "complete", undefined],
        ["c", "person", "complete", undefined],
        ["d", "loop", "verified", undefined],
      ]);
      expect(await records({ scopes: ["project/x"] })).toEqual([["d", "loop", "verified", undefined]]);
      await store.note("a", { by: "agent", kind: "note", text: "approve" });
      expect(await records({ only: ["a"] })).toEqual([["a", "loop", "verified", evidence]]);
      await store.note("a", { by: "person", kind: "approve", text: "" });
      expect(await records({ only: ["a"] })).toEqual([["a", "person", "approve", evidence]]);
      // A row that says otherwise later must not be covered by an older record.
      await store.change("a", { kind: "reset" }, "person");
      const line = newTask("a", { status: "done", updatedAt: world.now + 1 });
      await store.add([line], { onExisting: "newer" });
      expect(await records({ only: ["a"] })).toEqual([["a", "person", "complete", evidence]]);
      await store.add([{ ...line, status: "pending", updatedAt: world.now + 2 }], { onExisting: "newer" });
      expect((await store.log("a")).at(-1)).toMatchObject({ kind: "reset" });
    });

    test("P-20 a counted rejection is pending again until the attempts are used up", async () => {
      const { store } = await withTasks([newTask("a")]);
      for (let attempt = 1; attempt <= DEFAULT_ATTEMPT_LIMIT; attempt++) {
        const { lease } = await claim(store);
        await store.settle(lease, { outcome: "rejected", to: "pending", counted: true, reason: `no ${attempt}` });
        const isLast = attempt === DEFAULT_ATTEMPT_LIMIT;
        expect(await find(store, "a")).toMatchObject({
          status: isLast ? "failed" : "pending",
          attempts: attempt,
          reason: `no ${attempt}`,
        });
      }
      expect(await store.claim(request())).toBe(undefined);
    });

    test("P-20 a task's own limit wins, and what does not count changes nothing", async () => {
      const { store } = await withTasks([newTask("a", { attemptLimit: 1 })]);
      const first = await claim(store);
      await store.settle(first.lease, { outcome: "limited", to: "pending", counted: false });
      expect(await find(store, "a")).toMatchObject({ status: "pending", attempts: 0 });
      const second = await claim(store);
      await store.settle(second.lease, { outcome: "rejected", to: "pending", counted: true, attemptLimit: 9 });
      expect(await find(store, "a")).toMatchObject({ status: "failed", attempts: 1, reason: "No reason was given." });
    });

    test("a parked task waits with its question, others go on, and an answer reopens it", async () => {
      const { store } = await withTasks([
        newTask("a", { description: "Do it" }),
        newTask("b", { needs: ["a"] }),
        newTask("c"),
      ]);
      const { lease } = await claim(store);
      await store.settle(lease, { outcome: "parked", to: "parked", counted: true, question: "Which one?" });
      expect(await find(store, "a")).toMatchObject({ status: "parked", question: "Which one?", attempts: 1 });
      expect((await store.ready()).map((task) => task.id)).toEqual(["c"]);
      expect(await store.check()).toEqual([
        {
          kind: "stuck",
          task: "b",
          cause: { id: "a", status: "parked" },
          message: "b waits for a, which is parked until its question is answered",
        },
      ]);
      await expect(store.change("a", { kind: "complete" }, "person")).rejects.toThrow("a is parked");
      const answered = await store.change("a", { kind: "answer", answer: "The first" }, "person");
      expect(answered).toMatchObject({ status: "pending", attempts: 0, question: undefined, ready: true });
      expect(answered.description).toBe("Do it\n\nQuestion: Which one?\nAnswer: The first");
    });

    test("dag-R6 only an answer takes a parked task up again: its question cannot be reset away", async () => {
      const { store } = await withTasks([newTask("a")]);
      await store.change("a", { kind: "park", question: "Which one?" }, "person");
      await expect(store.change("a", { kind: "reset" }, "person")).rejects.toMatchObject({
        message: "a is parked and cannot be reset",
        hint: "Answer it first: ralphctl task answer a TEXT",
      });
      expect(await find(store, "a")).toMatchObject({ status: "parked", question: "Which one?" });
    });

    test("whatever an agent says, its settlement is taken: texts are made safe and cut", async () => {
      const { store } = await withTasks([newTask("a"), newTask("b")]);
      const [long, cut] = ["x".repeat(1_000_001), `${"x".repeat(999_999)}…`];
      const first = await claim(store, { only: ["a"] });
      const parked = { outcome: "par\u0000ked", to: "parked", counted: false, reason: long } as const;
      await store.settle(first.lease, { ...parked, question: "Which\u0000one \ud83d?", summary: "half\u0000 done" });
      const told = { reason: cut, question: "Which\ufffdone \ufffd?", summary: "half\ufffd done" };
      expect(await find(store, "a")).toMatchObject({ status: "parked", ...told });
      expect((await store.attempts("a"))[0]).toMatchObject({ outcome: "par\ufffdked", reason: cut });
      expect((await store.log("a")).at(-1)).toMatchObject({ kind: "par\ufffdked", text: cut });
      const second = await claim(store, { only: ["b"] });
      await store.settle(second.lease, { outcome: "failed", to: "failed", counted: true, final: true, reason: long });
      expect(await find(store, "b")).toMatchObject({ status: "failed", reason: cut });
    });

    test("numbers of a settlement are rounded and never refused, and details are JSON", async () => {
      const { store } = await withTasks([newTask("a"), newTask("b")]);
      const first = await claim(store, { only: ["a"] });
      await store.settle(first.lease, { ...DONE, tokens: 1.5, costUsd: -1, details: { n: 1n } });
      const second = await claim(store, { only: ["b"] });
      const odd = { tokens: Number.NaN, costUsd: Number.POSITIVE_INFINITY, attemptLimit: Number.NaN };
      await store.settle(second.lease, { ...DONE, ...odd, details: { a: undefined, b: "\u0000" } });
      const closed = [(await store.attempts("a"))[0]!, (await store.attempts("b"))[0]!];
      expect(closed.map(({ tokens, costUsd, details }) => ({ tokens, costUsd, details }))).toEqual([
        { tokens: 2, costUsd: 0, details: { unreadable: expect.stringContaining("BigInt") } },
        { tokens: undefined, costUsd: Number.MAX_SAFE_INTEGER, details: { b: "\u0000" } },
      ]);
    });

    test("P-41 an open verdict survives its worker: nobody claims the task, one adopts and closes it", async () => {
      const { store, world } = await withTasks([newTask("a")]);
      const { lease } = await claim(store, { owner: OTHER, run: "r1", iteration: 2 });
      expect(await store.recordVerdict(lease, { tree: "abc", commit: "def", evidence: { ok: true } })).toBe("recorded");
      expect(await store.adopt(lease, ME)).toBe(undefined);
      world.dead.add(OTHER.pid);
      expect(await store.claim(request())).toBe(undefined);
      const [open] = await store.openVerdicts();
      expect(open).toMatchObject({ lease, run: "r1", iteration: 2, holder: "gone", recordedAt: world.now });
      expect(open?.verdict).toEqual({ tree: "abc", commit: "def", evidence: { ok: true } });
      const mine = (await store.adopt(lease, ME))!;
      expect(await store.settle(lease, DONE)).toEqual({ kind: "fenced" });
      expect(await store.settle(mine, DONE)).toMatchObject({ kind: "settled", repeated: false });
      expect(await store.openVerdicts()).toEqual([]);
      expect((await store.attempts("a"))[0]?.verdict?.tree).toBe("abc");
    });
  });

  describe("changes by hand", () => {
    test("P-41 an open verdict is not reset away: a change is refused, and check says what to do", async () => {
      const { store, world } = await withTasks([newTask("a"), newTask("b")]);
      const { lease } = await claim(store, { only: ["a"], owner: OTHER });
      await claim(store, { only: ["b"], owner: OTHER });
      await store.recordVerdict(lease, { tree: "abc" });
      world.dead.add(OTHER.pid);
      expect((await store.check()).map(({ kind, message, advice }) => [kind, message, advice])).toEqual([
        [
          "lease",
          "a was verified by process 2 on here, which died before it could finish it; the next run does",
          "Finish it: ralphctl run",
        ],
        [
          "lease",
          "b is held by process 2 on here, which is gone; the next run takes it up",
          "Free it now: ralphctl task reset b",
        ],
      ]);
      for (const change of [{ kind: "reset" }, { kind: "complete" }, { kind: "fail", reason: "no" }] as const) {
        await expect(store.change("a", change, "person")).rejects.toMatchObject({
          kind: "busy",
          message: "a was verified, and the process that did it died before it could finish it",
          hint: "Let the next run finish it: ralphctl run",
        });
      }
      const change = { kind: "complete" } as const;
      await store.apply({ change: [{ id: "a", when: "in_progress", change, by: "plan" }] }, "plan");
      expect((await store.openVerdicts()).map(({ verdict }) => verdict)).toEqual([{ tree: "abc" }]);
      const mine = (await store.adopt(lease, ME))!;
      expect(await store.settle(mine, DONE)).toMatchObject({ kind: "settled", task: { status: "done" } });
    });

    test("dag-R6 a person's done and fail pass through in_progress; reset restores; the log tells", async () => {
      const { store } = await withTasks([newTask("a"), newTask("b", { needs: ["a"] })]);
      expect(await store.change("b", { kind: "complete", summary: "by hand" }, "person")).toMatchObject({
        status: "done",
        summary: "by hand",
      });
      expect(await store.change("a", { kind: "fail", reason: "no" }, "person")).toMatchObject({
        status: "failed",
        retry: false,
        reason: "no",
      });
      expect(await store.change("a", { kind: "reset" }, "person")).toMatchObject({
        status: "pending",
        attempts: 0,
        reason: undefined,
      });
      expect(await store.change("a", { kind: "park", question: "Why?" }, "person")).toMatchObject({ status: "parked" });
      expect(await store.change("b", { kind: "reset" }, "person")).toMatchObject({ status: "pending", blocked: true });
      expect((await store.log("a")).map(({ kind, by, text }) => `${by} ${kind} ${text}`)).toEqual([
        "person fail no",
        "person reset ",
        "person park Why?",
      ]);
    });

    test("dag-R6 what the table does not allow is an error with a hint, and changes nothing", async () => {
      const { store } = await withTasks([newTask("a", { status: "done" }), newTask("b", { status: "dropped" })]);
      await expect(store.change("a", { kind: "fail", reason: "x" }, "person")).rejects.toMatchObject({
        kind: "usage",
        message: "a is done and cannot be failed",
        hint: "Reopen it first: ralphctl task reset a",
      });
      await expect(store.change("a", { kind: "reset" }, "agent")).rejects.toThrow("by the agent");
      await expect(store.change("b", { kind: "reset" }, "loop")).rejects.toThrow("by the loop");
      expect(await store.change("b", { kind: "reset" }, "plan")).toMatchObject({ status: "pending" });
      await expect(store.change("b", { kind: "answer", answer: "x" }, "person")).rejects.toThrow("b is pending");
      await expect(store.change("zz", { kind: "drop" }, "person")).rejects.toThrow("There is no task");
      expect((await store.log("a")).map(({ kind }) => kind)).toEqual(["complete"]);
    });

    test("words by hand are made safe; what a person says too long is refused, what others say is cut", async () => {
      const { store } = await withTasks([newTask("a", { description: "Do it" }), newTask("b"), newTask("c")]);
      await store.change("a", { kind: "park", question: "a\u0000b" }, "person");
      const answered = await store.change("a", { kind: "answer", answer: "c\u0000d" }, "person");
      expect(answered.description).toBe("Do it\n\nQuestion: a\ufffdb\nAnswer: c\ufffdd");
      expect((await store.log("a")).map(({ text }) => text)).toEqual(["a\ufffdb", "c\ufffdd"]);
      const long = "x".repeat(1_000_001);
      await expect(store.change("b", { kind: "fail", reason: long }, "person")).rejects.toMatchObject({
        kind: "data",
        message: "The reason has 1000001 characters; the limit is 1000000",
      });
      await store.change("b", { kind: "complete", summary: "e\u0000f" }, "person");
      expect((await find(store, "b")).summary).toBe("e\ufffdf");
      expect((await store.change("c", { kind: "fail", reason: long }, "loop")).reason).toHaveLength(1_000_000);
    });

    test("dag-R6 answers do not let a description outgrow its limit", async () => {
      const { store } = await withTasks([newTask("a", { description: "Do it" })]);
      const ask = (question: string): Promise<Task> => store.change("a", { kind: "park", question }, "person");
      const answer = (text: string): Promise<Task> => store.change("a", { kind: "answer", answer: text }, "person");
      await ask("q".repeat(1_000_000));
      const { description } = await answer("Yes");
      expect(description).toHaveLength(1_000_000);
      expect(description).toMatch(/^Do it\n\nQuestion: q+…\nAnswer: Yes$/);
      await ask("Really?");
      await expect(answer("No")).rejects.toMatchObject({
        kind: "data",
        message: "With this answer the description would have 1000012 characters; the limit is 1000000",
        hint: "Shorten the answer, or the description with ralphctl task edit",
      });
      expect(await find(store, "a")).toMatchObject({ status: "parked", question: "Really?", description });
      await store.update("a", { description: "Do it" }, "person");
      expect((await answer("No")).description).toBe("Do it\n\nQuestion: Really?\nAnswer: No");
    });

    test("what somebody alive works on is left alone; what a dead one left is not", async () => {
      const { store, world } = await withTasks([newTask("a")]);
      const { lease } = await claim(store, { owner: OTHER });
      await expect(store.change("a", { kind: "reset" }, "person")).rejects.toMatchObject({ kind: "busy" });
      await expect(store.remove("a")).rejects.toMatchObject({ kind: "busy" });
      world.dead.add(OTHER.pid);
      expect(await store.change("a", { kind: "reset" }, "person")).toMatchObject({
        status: "pending",
        lease: undefined,
      });
      expect(await store.settle(lease, DONE)).toEqual({ kind: "fenced" });
      expect(await store.remove("a")).toBe(1);
    });

    test("check names what can never become ready, and why", async () => {
      const { store } = await withTasks([
        newTask("a"),
        newTask("p", { needs: ["a"] }),
        newTask("c", { parent: "p" }),
        newTask("d", { needs: ["p"] }),
        newTask("e"),
      ]);
      expect(await store.check()).toEqual([]);
      await store.change("a", { kind: "fail", reason: "no" }, "person");
      expect((await store.check()).map(({ message }) => message)).toEqual([
        "c waits for a, which failed and has no attempts left",
        "d waits for a, which failed and has no attempts left",
      ]);
    });
  });
}
