import { expect, test } from "vitest";
import type { Interpretation } from "../domain/run/interpret.ts";
import { claimedWork } from "../../test/claimed-work.ts";
import { git, write, commitAll } from "../../test/temporary-folder.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import { proveClaim } from "./prove-claim.ts";

const SAID: Interpretation = {
  claim: "done",
  channel: "message",
  promisesAll: false,
  nextModel: undefined,
  notes: [],
  text: "",
};

test("L-25 a task goes back as often as limits.conflicts says; one that conflicts alone is parked with both refs", async () => {
  const { lane, attempt } = await claimedWork({ "list.txt": "one\n" }, { "list.txt": "mine\n" });
  const { deps, run, place } = lane;
  const { folder } = place;
  // The session's work, and on the landing what conflicts with it.
  write(folder, { "list.txt": "mine\n" });
  const now = await snapshot(place.repository, lane.base);
  const changes = await changesBetween(place.repository, lane.base, now);
  write(folder, { "list.txt": "theirs\n" });
  commitAll(folder, "Landed meanwhile");
  run.landing = git(folder, "rev-parse", "HEAD").trim();
  git(folder, "reset", "--quiet", "--hard", lane.base.head!);
  write(folder, { "list.txt": "mine\n" });
  lane.last = now;
  lane.room = undefined;
  const { task } = attempt.claim;
  const outcomes: string[] = [];
  for (let tries = 0; tries < 3; tries += 1) {
    const claim = (await deps.store.claim({ scopes: [deps.scope], owner: deps.owner, leaseMs: 60_000 }))!;
    const effects = { ...attempt.effects, now, changes, hasChanged: true };
    const proven = await lane.seat.sit(async () => await proveClaim(lane, { ...attempt, claim, effects }, SAID));
    if (!("ruling" in proven)) throw new Error("It does not conflict");
    const { outcome, question = "" } = proven.ruling;
    outcomes.push(outcome);
    if (outcome === "parked") {
      const refs = [`refs/ralph/work/${task.id}`, deps.target.ref];
      expect(refs.filter((ref) => question.includes(ref))).toEqual(refs);
    }
    await deps.store.settle(claim.lease, { outcome, to: "pending", counted: false });
  }
  expect(outcomes).toEqual(["conflict", "conflict", "parked"]);
});
