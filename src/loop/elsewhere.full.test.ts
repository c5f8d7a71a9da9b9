import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { git } from "../../test/temporary-folder.ts";
import { claimHere } from "./elsewhere.ts";
import { rememberLanded } from "./landed-at.ts";
import { LEASE_MS } from "./lease.ts";

test("L-28 a task whose prerequisite landed on another branch is claimed once to find that out, and after a merge", async () => {
  const repository = await newRepository({ "a.txt": "a\n" });
  const { lane } = await startTestRun(repository);
  const { store, scope, owner } = lane.deps;
  git(repository.folder, "switch", "--quiet", "--create", "side");
  git(repository.folder, "commit", "--quiet", "--allow-empty", "--message", "One");
  const one = await addTask(lane, { title: "One" });
  const two = await addTask(lane, { title: "Two", needs: [one.id] });
  const claim = (await store.claim({ scopes: [scope], owner, leaseMs: LEASE_MS, only: [one.id] }))!;
  await store.settle(claim.lease, { outcome: "verified", to: "done", counted: true, attemptLimit: 3 });
  const side = git(repository.folder, "rev-parse", "side").trim();
  await rememberLanded(lane, one.id, side);
  const claims = [await claimHere(lane), await claimHere(lane), await claimHere(lane)];
  expect([claims, (await store.attempts(two.id)).length]).toEqual([[undefined, undefined, undefined], 1]);
  lane.run.landing = side;
  expect([(await claimHere(lane))?.task.id, [...lane.run.elsewhere]]).toEqual([two.id, []]);
});
