import { type FoundPlace, inMountOrder, isBelow, type SandboxPlace } from "./sandbox.ts";

/** A place, and the links on the way to it, each by the real path of its folder. */
export interface LinkedPlace extends FoundPlace {
  readonly links: readonly string[];
}

/**
 * Without places to which a link leads out of a place that can be written: an earlier program inside may have made that
 * link, to have any folder opened for the next one. What is to be hidden is hidden in any case.
 */
export const withoutMadeLinks = (places: readonly LinkedPlace[]): FoundPlace[] => {
  const writable = places.filter(({ access }) => access === "write");
  const isMade = ({ access, path, links }: LinkedPlace): boolean =>
    access !== "hide" &&
    writable.some((place) => !isBelow(place.path, path) && links.some((link) => isBelow(place.path, link)));
  return places.filter((place) => !isMade(place)).map(({ path, access, isFolder }) => ({ path, access, isFolder }));
};

/**
 * The places that have to be mounted, in order. What lies in a place of the same kind needs no mount. A folder that has a
 * place of another kind in it cannot be moved away by those who may write around it: it becomes a mount, too.
 */
export function heldPlaces(places: readonly FoundPlace[]): FoundPlace[] {
  const ordered = inMountOrder(places);
  const needed = ordered.filter((place) => !isCovered(place, around(ordered, place)));
  const held = needed.flatMap((place) => {
    const outer = around(needed, place);
    return outer?.access !== "write" || place.access === "write" ? [] : foldersBetween(outer.path, place.path);
  });
  return inMountOrder([...held.map((path) => ({ path, access: "write" as const, isFolder: true })), ...needed]);
}

const around = (ordered: readonly FoundPlace[], { path }: SandboxPlace): FoundPlace | undefined =>
  ordered.findLast((place) => place.path !== path && isBelow(place.path, path));

const isCovered = ({ access }: SandboxPlace, outer: SandboxPlace | undefined): boolean =>
  access === outer?.access || (access === "hide" && outer?.access === "private");

function foldersBetween(outer: string, inner: string): string[] {
  const steps = inner.slice(outer.length + 1).split("/");
  return steps.slice(0, -1).map((_, at) => `${outer}/${steps.slice(0, at + 1).join("/")}`);
}
