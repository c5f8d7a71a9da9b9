import { expect, test } from "vitest";
import type { NewTask } from "../domain/task-input.ts";
import type { Owner } from "../domain/task.ts";
import { atEnd } from "../../test/at-end.ts";
import { fleetDatabase } from "../../test/fleet-database.ts";
import { byLane } from "../../test/lane.ts";
import { postgresMissing } from "../../test/postgres.ts";
import { modelContract } from "./model.contract.ts";
import { openPostgresStore, type PostgresStore } from "./postgres.ts";
import { DONE, newTask } from "./store.contract.ts";

let database: Promise<string> | undefined;
const fleet = test.skipIf(postgresMissing !== undefined);

fleet("F-01 random work leaves PostgreSQL and the memory store the same, and sound", { timeout: 300_000 }, async () => {
  const url = await (database ??= fleetDatabase());
  await modelContract(
    ({ run, clock, isAlive }) => ({
      async open() {
        const store = await openPostgresStore({
          isNew: true,
          url,
          repository: `run ${run}`,
          clock,
          isAlive,
          host: "here",
        });
        atEnd(() => store.close());
        return store;
      },
    }),
    byLane(2, 8),
  );
});

/** Groups of tasks, of which some need others, earlier ones, and some groups need whole groups. */
const manyTasks = (groups: number, each: number): NewTask[] =>
  Array.from({ length: groups }, (_, group): NewTask[] => [
    newTask(`g${group}`, {
      ...(group % 4 === 3 && { needs: [`g${group - 2}`] }),
      ...(group % 3 === 1 && { parent: `g${group - 1}` }),
      ...(group % 5 === 2 && { gates: [{ id: "g", run: "true", retries: 0 }] }),
    }),
    ...Array.from({ length: each }, (_task, n) =>
      newTask(`g${group}-${n}`, {
        parent: `g${group}`,
        priority: n % 2,
        needs: [...(n > 1 ? [`g${group}-${n - 2}`] : []), ...(group % 3 === 2 && n === 0 ? [`g${group - 1}-0`] : [])],
      }),
    ),
  ]).flat();

const openAs = async (repository: string, host: string): Promise<PostgresStore> => {
  const store = await openPostgresStore({
    isNew: true,
    url: await (database ??= fleetDatabase()),
    repository,
    host,
    connections: 2,
  });
  atEnd(() => store.close());
  return store;
};

/** Takes tasks and settles them until none is left. Returns what it did. */
async function workOff(store: PostgresStore, pid: number, allDone: () => boolean): Promise<string[]> {
  const owner: Owner = { host: `host${pid}`, pid, startTime: "1" };
  const done: string[] = [];
  while (!allDone()) {
    const claim = await store.claim({ owner, leaseMs: 60_000 });
    if (claim === undefined) continue;
    const needs = await Promise.all(claim.task.needs.map((id) => store.get(id)));
    expect(needs.map((need) => need?.status)).toEqual(needs.map(() => "done"));
    if (claim.lease.fence === 1 && done.length % 5 === 0) await store.release(claim.lease);
    else {
      expect(await store.heartbeat(claim.lease)).toBe("held");
      await store.recordVerdict(claim.lease, { tree: "t" });
      expect(await store.settle(claim.lease, DONE)).toMatchObject({ kind: "settled", repeated: false });
      done.push(claim.task.id);
    }
  }
  return done;
}

fleet(
  "F-01 many connections at once do each task once, in an order that the graph allows, and all counts are right",
  async () => {
    const tasks = manyTasks(byLane(8, 24), 6);
    const stores = await Promise.all(Array.from({ length: 6 }, (_, n) => openAs("at once", `host${n}`)));
    await stores[0]!.add(tasks);
    let isOver = false;
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const { leaves } = (await stores[0]!.counts())[0]!;
        isOver = Object.entries(leaves).every(([status, count]) => status === "done" || count === 0);
        expect((await stores[1]!.check()).map(({ message }) => message)).toEqual([]);
      }
    };
    const works = stores.map((store, pid) => workOff(store, pid, () => isOver));
    const [all] = await Promise.all([Promise.all(works), watch()]).finally(() => (isOver = true));
    const isDone = all.flat();
    expect(new Set(isDone).size).toBe(isDone.length);
    expect(isDone.filter((id) => id.includes("-")).sort()).toEqual(
      tasks.flatMap(({ id }) => (id!.includes("-") ? id! : [])).sort(),
    );
    expect(await stores[0]!.check()).toEqual([]);
  },
);

fleet("F-01 edits of the graph during claims and settlements lose no count", async () => {
  const [one, other, third] = await Promise.all(["a", "b", "c"].map((host) => openAs("edits", host)));
  await one!.add(manyTasks(6, 6));
  let isOver = false;
  const isStopped = (): boolean => isOver;
  const ids = async (): Promise<string[]> => (await one!.list()).tasks.map(({ id }) => id);
  const edits = async (): Promise<void> => {
    for (let n = 0; n < byLane(25, 150); n++) {
      const all = await ids();
      const [a, b] = [all[(n * 7) % all.length]!, all[(n * 13 + 5) % all.length]!];
      const refused = (): undefined => undefined;
      await one!.addDependency(a, b).catch(refused);
      await one!.update(b, { parent: n % 3 === 0 ? null : all[(n * 5) % all.length]! }, "person").catch(refused);
      await one!.change(a, { kind: n % 2 === 0 ? "reset" : "drop" }, "person").catch(refused);
      await one!.add([newTask(`new${n}`, { parent: a, ...(n % 2 === 0 && { needs: [b] }) })]).catch(refused);
      if (n % 4 === 3) await one!.remove(b).catch(refused);
    }
    isOver = true;
  };
  const works = async (store: PostgresStore, pid: number): Promise<void> => {
    const owner: Owner = { host: `host${pid}`, pid, startTime: "1" };
    let n = 0;
    while (!isStopped()) {
      n += 1;
      const claim = await store.claim({ owner, leaseMs: 60_000 });
      const to = (["done", "pending", "failed", "done"] as const)[n % 4]!;
      if (claim) await store.settle(claim.lease, { outcome: to, to, counted: false });
    }
  };
  await Promise.all([edits(), works(other!, 1), works(third!, 2)]).finally(() => (isOver = true));
  const wrong = (await one!.check()).filter(({ kind }) => kind !== "stuck");
  expect(wrong).toEqual([]);
  expect((await one!.list({ statuses: ["done"] })).tasks.length).toBeGreaterThan(0);
});
