import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../../../test/temporary-folder.ts";
import { hasMarker, MARKER, partMarker, runMarker, treeMarker, withMarker, withRun } from "./marker.ts";

test("P-40 markers are a list: what is nested adds its own to those around it", () => {
  const outer = withMarker({ HOME: "/" }, runMarker("r-1"));
  expect([outer, withMarker(outer, runMarker("r-2")), withMarker({ RALPHCTL_MARKER: "" }, runMarker("r-3"))]).toEqual([
    { HOME: "/", RALPHCTL_MARKER: "r-1" },
    { HOME: "/", RALPHCTL_MARKER: "r-1,r-2" },
    { RALPHCTL_MARKER: "r-3" },
  ]);
});

test.each([
  ["RALPHCTL_MARKER=r-1", true],
  ["RALPHCTL_MARKER=r-0,r-1,r-2", true],
  ["RALPHCTL_MARKER=r-1.1", false],
  ["RALPHCTL_MARKER=r-10,xr-1", false],
  ["RALPHCTL_MARKER=", false],
  ["X_RALPHCTL_MARKER=r-1", false],
  ["RALPHCTL_MARKER", false],
])("%s carries r-1: %s", (entry, isMarked) => {
  expect(hasMarker(entry, runMarker("r-1"))).toBe(isMarked);
});

test("F-02 what one run starts for two clones belongs to the run, and is told apart by its clone, whatever leads there", () => {
  const [one, two] = [temporaryRepository(), temporaryRepository()];
  const link = join(temporaryFolder(), "link");
  symlinkSync(one, link);
  const entry = (folder: string): string => `${MARKER}=${withRun({}, "r-1", folder)[MARKER]}`;
  const [ofRun, ofOne] = [runMarker("r-1"), treeMarker("r-1", join(one, ".git"))];
  expect([one, link, two].map((folder) => [ofRun, ofOne].map((marker) => hasMarker(entry(folder), marker)))).toEqual([
    [true, true],
    [true, true],
    [true, false],
  ]);
  expect(partMarker("r-1", "room.1").value).toBe(`r-1.${process.pid}.room.1`);
});
