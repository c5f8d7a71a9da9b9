// A worker of the process tests: bundled and started as a process of its own.
import { appendFileSync } from "node:fs";
import { processIdentity } from "../src/system/process/process-identity.ts";
import { patiently } from "../src/store/sqlite/connection.ts";
import { takeLock } from "../src/store/sqlite/lock.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { loadSqlite } from "../src/system/sqlite-driver.ts";

const [, , mode = "", path = "", log = "", option = ""] = process.argv;

if (mode === "work") await work();
if (mode === "lock") await lockAndStay();
if (mode === "preview") await previewAndStay();
if (mode === "settle") await settleAndDie(Number(option));

/** Claims and settles until everything is done. Writes a line before it claims done, and one after. */
async function work(): Promise<void> {
  const store = await openSqliteStore({ path });
  const owner = processIdentity();
  const run = `worker ${owner.pid}`;
  for (;;) {
    const claim = await store.claim({ owner, leaseMs: Number(option), run });
    if (claim === undefined) {
      const [counts] = await store.counts();
      if (counts && counts.leaves.pending + counts.leaves.in_progress === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    await store.heartbeat(claim.lease);
    const result = await store.settle(claim.lease, { outcome: "verified", to: "done", counted: true });
    const isFirst = result.kind === "settled" && !result.repeated;
    appendFileSync(log, `${isFirst ? "done" : "fenced"} ${claim.task.id}\n`);
  }
  await store.close();
}

/** Takes the right to replace the files, says when it has and when it gives it back, and keeps it for a while. */
async function lockAndStay(): Promise<void> {
  const driver = await loadSqlite();
  const rounds = Number(option);
  for (let round = 0; round < rounds; round++) {
    const unlock = await patiently({ path, preview: undefined }, () => takeLock(driver, { path }));
    appendFileSync(log, `+${process.pid}\n`);
    await new Promise((resolve) => setTimeout(resolve, rounds === 1 ? 60_000 : 1));
    appendFileSync(log, `-${process.pid}\n`);
    unlock();
  }
}

/** Previews more than SQLite keeps in memory, says so, and stays in the preview. */
async function previewAndStay(): Promise<void> {
  const store = await openSqliteStore({ path });
  await store.preview(async (inner) => {
    const description = "x".repeat(10_000);
    await inner.add(Array.from({ length: 3000 }, (_, n) => ({ scope: "workspace", title: `${n}`, description })));
    appendFileSync(log, "+\n");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });
}

/** Settles the one task, and is killed at its n-th write, as hard as it gets. */
async function settleAndDie(at: number): Promise<void> {
  let writes = 0;
  let isArmed = false;
  const onWrite = (statement: string): void => {
    if (!isArmed) return;
    appendFileSync(log, `${statement.slice(0, 40).replace(/\s+/g, " ")}\n`);
    if (writes++ === at) process.kill(process.pid, "SIGKILL");
  };
  const store = await openSqliteStore({ path, onWrite });
  const claim = (await store.claim({ owner: processIdentity(), leaseMs: 60_000 }))!;
  isArmed = true;
  await store.settle(claim.lease, { outcome: "verified", to: "done", counted: true, summary: "s" });
  appendFileSync(log, "END\n");
}
