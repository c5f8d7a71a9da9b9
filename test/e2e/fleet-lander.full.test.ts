import { beforeAll, describe, expect, test } from "vitest";
import { fleetPlay, type FleetPlay, type Machine } from "../fleet-play.ts";
import { postgresMissing } from "../postgres.ts";
import { git } from "../temporary-folder.ts";

const WORK = 'echo "$RALPHCTL_TASK" > "$RALPHCTL_TASK.txt"';

/** The first push of a worker keeps the candidate, and the second lands it. */
const OFFERED = "ended git push";
const LANDED = `${OFFERED} then ended git push`;

const POINTS: readonly (readonly [when: string, from: string])[] = [
  ["before the candidate is on the remote", "start git push"],
  ["before the verdict is recorded", OFFERED],
  ["before the intent is written", `${OFFERED} then start git hash-object`],
  ["when the intent is written", `${OFFERED} then start git push`],
  ["while it pushes", `${OFFERED} then started git push`],
  ["after the push", LANDED],
  ["before the claim is settled", `${LANDED} then ended git update-ref`],
  ["when the claim is settled", `${LANDED} then start git push`],
];

describe.skipIf(postgresMissing !== undefined)("a machine that dies while it lands", () => {
  let play: FleetPlay;
  let machines: readonly Machine[];
  beforeAll(async () => {
    play = await fleetPlay({ agent: WORK });
    machines = [1, 2, 3].map(() => play.machine());
  });

  test.for(POINTS)(
    "F-03 %s: the task lands once and is settled once, and nothing is left on the remote",
    { timeout: 600_000 },
    async ([when, from]) => {
      const [follower, dying, other] = machines as [Machine, Machine, Machine];
      const [id = ""] = await play.addTasks([[when]]);
      const run = follower.start("run", "--fleet");
      const killed = dying.startDying([from], "worker", "--once");
      await killed.ended;
      expect(killed.child.signalCode, killed.said()).toBe("SIGKILL");
      const worker = other.start("worker", "--once");
      const { code } = await run.ended;
      expect(code, [run, killed, worker].map(({ said }) => said()).join("\n")).toBe(0);
      // The next run would take it for its own.
      worker.kill("SIGTERM");
      await worker.ended;
      expect(await play.faults()).toEqual([]);
      expect(play.subjects().filter((subject) => subject === when)).toEqual([when]);
      const outcomes = (await play.shared.store.attempts(id)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "verified")).toHaveLength(1);
      expect(git(play.bare, "for-each-ref", "--format=%(refname)", "refs/ralph/work")).toBe("");
    },
  );
});
