import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import { formatShelvedWork } from "../domain/run/shelved-work.ts";
import { promptTaskSource } from "../domain/task.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { NewTask } from "../domain/task-input.ts";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import { openSqliteStore, randomId } from "../store/sqlite.ts";
import type { Claim, Store } from "../store/store.ts";
import { gatherTask, type TaskBrief, readHistory, type TaskHistory } from "./gather.ts";
import { countTasks } from "./work-left.ts";

type Use = (store: Store) => Promise<void>;

const folder = temporaryFolder();

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: async () => createMemoryStore({ clock: Date.now, newId: randomId, isAlive: () => true }),
  SQLite: async () => await openSqliteStore({ path: join(folder, `${randomId()}.db`), isAlive: () => true }),
};

const owner = { host: "here", pid: 1, startTime: "1" };
const task = (id: string, more: Partial<NewTask> = {}): NewTask => ({
  id,
  scope: "workspace",
  title: `Task ${id}`,
  ...more,
});
const record = (more: Partial<AttemptRecord> = {}): AttemptRecord => ({ v: 1, folder: "f", harness: "h", ...more });

const verified: Settlement = { outcome: "verified", to: "done", counted: false, details: record() };
const rejected = (report: string): Settlement => ({
  outcome: "rejected",
  to: "pending",
  counted: true,
  reason: `short: ${report}`,
  details: record({ report }),
});
const ended = (outcome: string, details: unknown = record()): Settlement => ({
  outcome,
  to: "pending",
  counted: false,
  reason: `it was ${outcome}`,
  details,
});

describe.each(Object.entries(stores))("%s", (_name, open) => {
  const inStore = async (tasks: readonly NewTask[], use: Use): Promise<void> => {
    const store = await open();
    try {
      await store.add(tasks);
      await use(store);
    } finally {
      await store.close();
    }
  };
  const claim = async (store: Store, id: string): Promise<Claim> =>
    (await store.claim({ owner, leaseMs: 60_000, only: [id], run: "r-1", iteration: 1 }))!;
  const attempt = async (store: Store, id: string, settlement: Settlement): Promise<void> => {
    const { lease } = await claim(store, id);
    await store.settle(lease, settlement);
  };
  const gather = async (store: Store, id: string): Promise<TaskBrief> =>
    await gatherTask(store, (await store.get(id))!, { specsDirs: ["specs"] });
  const failureAfter = async (store: Store, settlement: Settlement): Promise<string | undefined> => {
    await attempt(store, "a", settlement);
    return (await gather(store, "a")).validationFailure;
  };

  test("S001-R4 a task alone has no parent, no prerequisites and no history", async () => {
    await inStore([task("a", { description: "Do it." })], async (store) => {
      expect(await gather(store, "a")).toEqual({
        info: { taskId: "a", title: "Task a", description: "Do it.", completedBlockers: [], specsDirs: ["specs"] },
        earlier: [],
        notes: [],
      });
    });
  });

  test("S001-R4 the parent, and what settled prerequisites of the task and of those above it left behind", async () => {
    const tasks = [
      task("top", { needs: ["n1"], description: "not told" }),
      task("up", { parent: "top", needs: ["n2", "n3"], title: "Accounts", description: "All of it." }),
      task("a", { parent: "up", needs: ["n3", "n4"] }),
      ...["n1", "n2", "n3", "n4"].map((id) => task(id)),
    ];
    await inStore(tasks, async (store) => {
      await attempt(store, "n1", { ...verified, summary: "table users" });
      await attempt(store, "n3", { ...verified, summary: "x".repeat(9000) });
      await store.change("n4", { kind: "drop", reason: "not needed" }, "person");
      const { info } = await gather(store, "a");
      expect(info).toEqual({
        taskId: "a",
        title: "Task a",
        description: "",
        parent: { title: "Accounts", description: "All of it." },
        completedBlockers: [
          {
            taskId: "n3",
            title: "Task n3",
            summary: `${"x".repeat(1024)}\n[… middle omitted …]\n${"x".repeat(3072)}`,
          },
          { taskId: "n4", title: "Task n4", summary: "not done: dropped (not needed)" },
          { taskId: "n1", title: "Task n1", summary: "table users" },
        ],
        specsDirs: ["specs"],
      });
    });
  });

  test("of very many prerequisites a hundred are told, and how many more there are", async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `n${index}`);
    await inStore([...ids.map((id) => task(id)), task("a", { needs: ids })], async (store) => {
      for (const id of ids) await store.change(id, { kind: "drop" }, "person");
      const { info } = await gather(store, "a");
      expect([info.completedBlockers.length, info.moreBlockers]).toEqual([100, 20]);
    });
  });

  test("P-03 a task that is the prompt file itself is told as such", async () => {
    await inStore([task("a", { source: promptTaskSource("PROMPT_build.md") }), task("b")], async (store) => {
      expect((await gather(store, "a")).info.isPrompt).toBe(true);
      expect((await gather(store, "b")).info).not.toHaveProperty("isPrompt");
    });
  });

  test("S002-09 a rejection is told in full, to its own task only, until a claim is accepted", async () => {
    await inStore([task("a"), task("b")], async (store) => {
      expect(await failureAfter(store, rejected("first\nreport"))).toBe("first\nreport");
      expect((await gather(store, "b")).validationFailure).toBe(undefined);
      expect(await failureAfter(store, rejected("second"))).toBe("second");
      await attempt(store, "a", verified);
      expect(await gather(store, "a")).not.toHaveProperty("validationFailure");
    });
  });

  test.each(["unfinished", "limited", "stopped", "crashed", "timed-out", "idle", "deferred", "lost"])(
    "S002-09 a rejection still stands after an attempt that was %s",
    async (outcome) => {
      await inStore([task("a")], async (store) => {
        await attempt(store, "a", rejected("red"));
        expect(await failureAfter(store, ended(outcome))).toBe("red");
      });
    },
  );

  test("S002-09 it makes no difference whether the task was claimed already", async () => {
    await inStore([task("a")], async (store) => {
      await attempt(store, "a", { ...rejected("red"), details: record({ report: "red", notes: ["n"] }) });
      const before = await gather(store, "a");
      await claim(store, "a");
      expect(await gather(store, "a")).toEqual(before);
      expect(before).toMatchObject({ validationFailure: "red", notes: ["n"] });
    });
  });

  test("P-21 a proven task that was opened again is told why, also after a crash, and no older rejection", async () => {
    await inStore([task("a")], async (store) => {
      await attempt(store, "a", rejected("old"));
      await attempt(store, "a", verified);
      await store.change("a", { kind: "reset", reason: "red on the final commit" }, "loop");
      expect((await gather(store, "a")).validationFailure).toBe("red on the final commit");
      expect(await failureAfter(store, ended("crashed"))).toBe("red on the final commit");
      expect(await failureAfter(store, rejected("new"))).toBe("new");
    });
  });

  test("a task that a person finished and opened again without a word is told nothing", async () => {
    await inStore([task("a")], async (store) => {
      await attempt(store, "a", rejected("old"));
      await store.change("a", { kind: "complete" }, "person");
      await store.change("a", { kind: "reset" }, "person");
      expect(await gather(store, "a")).not.toHaveProperty("validationFailure");
    });
  });

  test("P-41 a failed task that a person opened again still knows its rejection", async () => {
    await inStore([task("a")], async (store) => {
      await attempt(store, "a", { ...rejected("red"), attemptLimit: 1 });
      await store.change("a", { kind: "reset" }, "person");
      expect((await gather(store, "a")).validationFailure).toBe("red");
    });
  });

  test("S002-09 D-05 a harness failure and protocol notes are those of the last iteration alone", async () => {
    await inStore([task("a")], async (store) => {
      await attempt(store, "a", ended("crashed", record({ harnessFailure: "SIGSEGV", notes: ["wrong id"] })));
      const { lease } = await claim(store, "a");
      await store.release(lease);
      expect(await gather(store, "a")).toMatchObject({ harnessFailure: "SIGSEGV", notes: ["wrong id"] });
      expect(await gather(store, "a")).not.toHaveProperty("validationFailure");
      await attempt(store, "a", ended("unfinished"));
      const after = await gather(store, "a");
      expect(after).not.toHaveProperty("harnessFailure");
      expect(after.notes).toEqual([]);
    });
  });

  test("earlier attempts say how each ended, and where work was put aside", async () => {
    const kept = { ref: "refs/ralph/r-1/a", commit: "a".repeat(40) };
    await inStore([task("a")], async (store) => {
      await attempt(store, "a", ended("gave-up"));
      await store.note("a", { by: "loop", kind: "kept", text: formatShelvedWork(kept) });
      const noted = Date.now();
      await vi.waitUntil(() => Date.now() > noted, { timeout: 50_000, interval: 1 });
      await attempt(store, "a", ended("idle", "not a record"));
      const { earlier, kept: last, notes } = await gather(store, "a");
      const one = { run: "r-1", iteration: 1 };
      expect(earlier).toEqual([
        { ...one, outcome: "gave-up", reason: "it was gave-up", kept },
        { ...one, outcome: "idle", reason: "it was idle", kept: undefined },
      ]);
      expect([last, notes]).toEqual([kept, []]);
    });
  });

  test("what is known of a task's attempts is not read again, and those since are added", async () => {
    await inStore([task("a"), task("b")], async (store) => {
      await attempt(store, "a", rejected("red"));
      await attempt(store, "b", ended("idle"));
      const outcomes = ({ ended: all }: TaskHistory): string[] => all.map(({ outcome }) => outcome);
      const first = await claim(store, "a");
      const known = await readHistory(store, first, undefined);
      await store.settle(first.lease, ended("idle"));
      const second = await claim(store, "a");
      const asked = vi.spyOn(store, "attempts");
      const then = await readHistory(store, second, known);
      expect([outcomes(known), outcomes(then), asked.mock.calls]).toEqual([
        ["rejected"],
        ["rejected", "idle"],
        [["a", known.ended[0]!.fence]],
      ]);
      expect(await gatherTask(store, second.task, { specsDirs: ["specs"], history: then })).toEqual(
        await gather(store, "a"),
      );
      expect(outcomes(await readHistory(store, await claim(store, "b"), then))).toEqual(["idle"]);
    });
  });

  test("of a task that was removed and added anew nothing is known", async () => {
    await inStore([task("a")], async (store) => {
      await attempt(store, "a", rejected("red"));
      await attempt(store, "a", rejected("red"));
      const { lease, task: seen } = await claim(store, "a");
      const known = await readHistory(store, { lease, task: seen }, undefined);
      await store.release(lease);
      await store.remove("a");
      await store.add([task("a")]);
      expect(await readHistory(store, await claim(store, "a"), known)).toEqual({ task: "a", ended: [] });
    });
  });

  test("P-42 the open tasks of a scope are its leaves that are not settled", async () => {
    const tasks = [
      task("p"),
      task("a", { parent: "p" }),
      task("b"),
      task("c"),
      task("d"),
      task("e", { scope: "project/x" }),
    ];
    await inStore(tasks, async (store) => {
      await attempt(store, "b", verified);
      await store.change("c", { kind: "park", question: "?" }, "person");
      await store.change("d", { kind: "fail", reason: "no" }, "person");
      expect(await countTasks(store, "workspace")).toEqual({ all: 5, open: 2 });
      expect(await countTasks(store, "project/y")).toEqual({ all: 0, open: 0 });
    });
  });
});
