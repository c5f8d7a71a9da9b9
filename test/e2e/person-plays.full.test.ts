import { expect, test } from "vitest";
import { copyOf, killTemplate } from "../kill-template.ts";
import { runAgain, runAndDie } from "../killed-run.ts";
import { byLane } from "../lane.ts";
import type { CrashStep } from "../crash-steps.ts";
import { git } from "../temporary-folder.ts";
import { playKilled, playLent, playPerson } from "../torture/person-play.ts";

// The same plays each time, so that one that fails can be played again; others by RALPH_SEED. `person-plays.slow` has 500.
const FIRST = Number(process.env["RALPH_SEED"] ?? 1);
const seeds = (count: number): number[] =>
  Array.from({ length: Number(process.env["RALPH_PLAYS"] ?? count) }, (_, index) => FIRST + index);

test.concurrent.each(seeds(byLane(6, 30)))(
  "T-41 L-24 L-03 a person saves, commits, stashes, rebases and resets while a run works, and nothing of theirs is lost, committed or moved (%i)",
  async (seed) => {
    expect(await playPerson(seed)).toEqual([]);
  },
);

test.concurrent.each(seeds(byLane(2, 10)))(
  "T-41 L-01 a person works in a tree that is lent to a run, and nothing of theirs is lost (%i)",
  async (seed) => {
    expect(await playLent(seed)).toEqual([]);
  },
);

test.concurrent.each(seeds(byLane(6, 20)))(
  "T-41 L-22 L-23 L-41 a run is killed at any moment, a person goes on, and the next run lands everything once (%i)",
  async (seed) => {
    expect(await playKilled(seed)).toEqual([]);
  },
);

const LANDING: readonly CrashStep[] = [
  "settle: verdict to be recorded",
  "commit: commit to be written",
  "commit: ref to be moved",
  "commit: ref moved",
  "settle: claim to be closed",
  "follow: session to be forgotten",
  "follow: branch to be moved",
  "follow: branch moves",
  "follow: branch moved",
  "follow: branch to be remembered",
];

test.concurrent.each(byLane<readonly CrashStep[]>(["commit: ref to be moved", "commit: ref moved"], LANDING))(
  "L-22 L-23 T-41 killed at %s, before the person collects garbage and commits: landed once, settled once, and both are on the branch",
  async (step) => {
    const template = await killTemplate("alpha", "beta");
    const folder = copyOf(template);
    expect(await runAndDie(folder, { step, whole: true })).toBe("SIGKILL");
    git(folder, "gc", "--quiet", "--prune=now");
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Mine");
    const { commits, ...rest } = await runAgain(template, folder);
    const { commits: expected, ...whole } = template.whole;
    expect([rest, commits.filter((subject) => !/^(?:Mine|Merge branch 'main')$/.test(subject))]).toEqual([
      whole,
      expected,
    ]);
    expect(commits).toContain("Mine");
  },
);
