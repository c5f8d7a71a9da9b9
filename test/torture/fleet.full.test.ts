import { describe, expect, test } from "vitest";
import { postgresMissing } from "../postgres.ts";
import { allIsWell, playFleetTorture } from "./fleet-torture.ts";

describe.skipIf(postgresMissing !== undefined)("a small torture of a fleet", () => {
  test(
    "F-03 F-07 ten tasks on machines that die while they land, and whose database is killed, land once each, in order",
    { timeout: 600_000 },
    async () => {
      const accidents = { kill: 0, freeze: 0, crash: 1, lander: 1 };
      const told: string[] = [];
      const size = { workers: 2, lanes: 2, tasks: 10, seed: 1 };
      const report = await playFleetTorture({ ...size, accidents }, (text) => told.push(text));
      expect(report, told.join("\n")).toEqual(allIsWell(size));
    },
  );
});
