import { expect, test } from "vitest";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import type { DecayFinding } from "../domain/decay.ts";
import { reopenFor } from "./breaks.ts";

const gate = { id: "unit", kind: "workspace", run: "make", timeoutMs: 1, retries: 0 } as const;

const brokenBy = (id: string): DecayFinding => ({
  check: { gate, task: undefined },
  result: { gate, passed: false, runs: [] },
  kind: "broken",
  commit: { id, author: "", subject: "" },
  candidates: [],
  skipped: [],
  action: "none",
});

test("T-30 a task is reopened once for each break, and never while it is open or after it was dropped", async () => {
  let ids = 0;
  const store = createMemoryStore({ clock: Date.now, newId: () => `t-${(ids += 1)}`, isAlive: () => true });
  const [id = ""] = await store.add([{ scope: "workspace", title: "Work" }]);
  const task = (await store.get(id))!;
  const action = async (...commits: string[]) => (await reopenFor(store, task, commits.map(brokenBy))).action;
  const done = async () => await store.change(id, { kind: "complete" }, "person");
  const owner = { host: "here", pid: 1, startTime: "0" };
  const claim = await store.claim({ only: [id], owner, leaseMs: 60_000 });
  expect(await action("a")).toBe("open");
  await store.settle(claim!.lease, { outcome: "verified", to: "done", counted: true });
  expect(await action("a")).toBe("reopened");
  await done();
  expect(await action("a")).toBe("again");
  await store.change(id, { kind: "reset" }, "person");
  expect(await action("x")).toBe("open");
  await done();
  // It was told of this break while it was open.
  expect(await action("x")).toBe("again");
  expect(await action("a", "b")).toBe("reopened");
  expect((await store.get(id))?.reason).toMatch(/^The work of this task broke checks [^]*- Gate unit, by commit b/);
  expect(await action("b")).toBe("open");
  await done();
  expect([await action("b"), (await store.get(id))?.status]).toEqual(["again", "done"]);
  expect(await action("c")).toBe("reopened");
  await store.change(id, { kind: "drop" }, "person");
  expect([await action("d"), (await store.get(id))?.status]).toEqual(["proposed", "dropped"]);
  await store.remove(id);
  expect(await action("e")).toBe("proposed");
});
