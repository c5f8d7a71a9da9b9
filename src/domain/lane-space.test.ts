import { expect, test } from "vitest";
import { spaceWarning } from "./lane-space.ts";

const MEGABYTE = 1024 ** 2;
const GIGABYTE = 1024 ** 3;

const said = (free: string, wanted: string): string =>
  `Only ${free} is free on the disk of the lanes; a run should have ${wanted}. ralphctl lanes gc removes lanes`;

test.each([
  [2 * GIGABYTE, 0, undefined],
  [2 * GIGABYTE - 1, 0, said("2047MB", "2GB")],
  [3 * GIGABYTE, 2 * GIGABYTE, undefined],
  [3 * GIGABYTE - MEGABYTE, 2 * GIGABYTE, said("3071MB", "3GB")],
])("L-42 with %d bytes free and a lane of %d", (free, lane, warning) => {
  expect(spaceWarning({ free, lane })).toBe(warning);
});
