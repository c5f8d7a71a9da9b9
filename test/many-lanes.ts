import { expect } from "vitest";
import { eventsOf } from "./hostile-run.ts";
import type { LoopRun, LoopWorkspace } from "./loop-workspace.ts";
import { landedTwice, unproven } from "./torture/landing-history.ts";

// What tests of several lanes share.

/** A session goes on when so many have come here: they work at the same time, or never end. */
export const meet = (folder: string, count: number): string =>
  `touch ${folder}/$RALPHCTL_TASK; until [ $(ls ${folder} | wc -l) -ge ${count} ]; do sleep 0.02; done`;

/** A session goes on when this file is there. */
export const comes = (path: string): string => `until [ -e ${path} ]; do sleep 0.02; done`;

/** The lane of each iteration, in the order in which they began. */
export const lanesOf = (run: LoopRun): number[] => eventsOf(run, "iteration.started").map(({ lane }) => lane);

/** Each commit of the landing ref has a verdict about exactly its tree, and each task landed once. */
export async function expectSound(place: LoopWorkspace): Promise<void> {
  const isGreen = (): boolean => false; // the person commits nothing here
  expect([await unproven(place.folder, { isGreen }), landedTwice(place.folder)]).toEqual([[], []]);
}
