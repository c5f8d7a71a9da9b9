import { describe, expect, test } from "vitest";
import { postgresMissing } from "../postgres.ts";
import { allIsWell, playFleetTorture } from "./fleet-torture.ts";

const number = (name: string, other: number): number => Number(process.env[`RALPH_FLEET_${name}`] ?? other);

const SIZE = { workers: number("WORKERS", 8), lanes: number("LANES", 4), tasks: number("TASKS", 2000) };

describe.skipIf(postgresMissing !== undefined)("the torture of a fleet", () => {
  test(
    `F-02 F-03 F-07 ${SIZE.tasks} tasks on ${SIZE.workers} machines that die, sleep, and lose their database land once each, in order`,
    { timeout: 12 * 3_600_000 },
    async () => {
      const accidents = {
        kill: number("KILLS", 2),
        freeze: number("FREEZES", 1),
        crash: number("CRASHES", 2),
        lander: number("LANDERS", 5),
      };
      const begunAt = performance.now();
      const tell = (text: string): void =>
        void process.stdout.write(`${Math.round((performance.now() - begunAt) / 1000)} s: ${text}\n`);
      const report = await playFleetTorture({ ...SIZE, seed: number("SEED", 1), accidents }, tell);
      expect(report).toEqual(allIsWell(SIZE));
    },
  );
});
