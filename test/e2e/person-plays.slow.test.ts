import { expect, test } from "vitest";
import { playKilled, playPerson } from "../torture/person-play.ts";

const FIRST = Number(process.env["RALPH_SEED"] ?? 1000);
const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => FIRST + index);

test.concurrent.each(seeds(500))(
  "T-41 L-24 a person at work during a run: nothing of theirs is touched (%i)",
  async (seed) => {
    expect(await playPerson(seed)).toEqual([]);
  },
);

test.concurrent.each(seeds(200))(
  "L-23 L-41 T-41 a kill at any moment, and a person who goes on: all lands once (%i)",
  async (seed) => {
    expect(await playKilled(seed)).toEqual([]);
  },
);
