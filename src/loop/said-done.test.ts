import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { namedOthers } from "./said-done.ts";
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
