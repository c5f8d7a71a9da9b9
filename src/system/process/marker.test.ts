import { expect, test } from "vitest";
import { hasMarker, runMarker, withMarker } from "./marker.ts";

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
