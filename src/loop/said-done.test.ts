import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { finishVerdicts, type OpenEvidence } from "./recover.ts";
import { namedOthers, rememberSaid, saidDone } from "./said-done.ts";
import { noEffects } from "./session-effects.ts";

test("T-23 a session names open tasks of its own scope, and none of another scope", async () => {
  const { lane } = await startTestRun(await newRepository({}));
  const { store, owner, scope } = lane.deps;
  await addTask(lane, { title: "Own" });
  const near = await addTask(lane, { title: "Near" });
  const far = await addTask(lane, { title: "Far", scope: "elsewhere" });
  const claim = await store.claim({ scopes: [scope], owner, leaseMs: 1000 });
  const session = { claim: claim!, effects: noEffects(lane.last) };
  expect(await namedOthers(lane, session, { others: [claim!.task.id, near.id, far.id] })).toEqual([near.id]);
});

test("T-23 if a task that was said to be done is settled after a kill, nobody says so any more", async () => {
  const owner = { host: "test", pid: 1, startTime: "0" };
  const store = createMemoryStore({ clock: Date.now, newId: () => "t-own", isAlive: ({ pid }) => pid !== owner.pid });
  const { lane } = await startTestRun(await newRepository({ "a.txt": "1\n" }), { store });
  const { scope, target } = lane.deps;
  const task = await addTask(lane, { title: "Own" });
  await rememberSaid(store, { task: "t-other", title: "Other", commit: lane.run.landing }, [task.id]);
  expect(await saidDone(lane, task)).toBeDefined();
  const claim = await store.claim({ scopes: [scope], owner, leaseMs: 1000 });
  const evidence: OpenEvidence = {
    v: 2,
    target: target.ref,
    lands: false,
    message: "",
    settlement: { outcome: "verified", to: "done", counted: false },
    strength: "unbroken",
    look: [],
    why: [],
    gates: [],
    setup: "",
    variables: [],
  };
  await store.recordVerdict(claim!.lease, { tree: "", commit: lane.run.landing, evidence });
  await finishVerdicts({ deps: lane.deps, depsOf: async () => lane.deps });
  expect([(await store.get(task.id))?.status, await saidDone(lane, task)]).toEqual(["done", undefined]);
});
