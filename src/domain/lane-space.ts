import { formatSize } from "./size.ts";

const GIGABYTE = 1024 ** 3;
const MEGABYTE = 1024 ** 2;
const LEAST = 2 * GIGABYTE;

/** How much free space a run wants beside a lane of that size (L-42). */
const spaceWanted = (laneBytes: number): number => Math.max(LEAST, 1.5 * laneBytes);

/** L-42: a warning about a disk that may become full; undefined: there is enough space. */
export function spaceWarning(about: { readonly free: number; readonly lane: number }): string | undefined {
  const wanted = spaceWanted(about.lane);
  if (about.free >= wanted) return undefined;
  const [free, want] = [about.free, wanted].map((bytes) => formatSize(Math.floor(bytes / MEGABYTE) * MEGABYTE));
  return `Only ${free} is free on the disk of the lanes; a run should have ${want}. ralphctl lanes gc removes lanes`;
}
