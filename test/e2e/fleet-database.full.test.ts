import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { atEnd } from "../at-end.ts";
import { fleetPlay, until } from "../fleet-play.ts";
import { postgresMissing } from "../postgres.ts";
import { startPostgres } from "../postgres-server.ts";

const PATIENT = 600_000;

/** Waits for the test in the middle of its work. */
const WAITS = `touch "$MEET/began-$RALPHCTL_TASK"; until [ -e "$MEET/go" ]; do sleep 0.1; done
echo "$RALPHCTL_TASK" > "$RALPHCTL_TASK.txt"`;

describe.skipIf(postgresMissing !== undefined)("a database that dies during sessions", () => {
  test(
    "F-07 for longer than a lease: the run waits, sessions go on, and each task lands once",
    { timeout: PATIENT },
    async () => {
      const server = await startPostgres();
      atEnd(server.stop);
      const play = await fleetPlay({ agent: WAITS, lease: "3s", url: server.url });
      await play.addTasks([["First"], ["Second"], ["Third", 0, 1]]);
      const workers = [1, 2].map(() => play.machine().start("worker", "--once"));
      const run = play.machine().start("run", "--fleet");
      await until(
        async () => Object.values(await play.states()).filter((s) => s === "in_progress").length === 2,
        "both",
      );
      await server.crash(async () => {
        for (const { said } of workers) await until(() => said().includes("ralphctl tries again"), "a word about it");
        await pause(7000);
      });
      writeFileSync(join(play.meeting, "go"), "");
      const { code } = await run.ended;
      const told = [run, ...workers].map(({ said }) => said()).join("\n");
      expect(code, told).toBe(0);
      expect([play.subjects().toSorted(), await play.faults()]).toEqual([["First", "Second", "Third"], []]);
      for (const worker of workers) {
        expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("answers again") });
        expect(worker.said().match(/ralphctl tries again/g)).toHaveLength(1);
      }
    },
  );
});
