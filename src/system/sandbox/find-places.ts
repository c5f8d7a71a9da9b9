import { readlinkSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { heldPlaces, type LinkedPlace, withoutMadeLinks } from "../../domain/sandbox/held-places.ts";
import type { FoundPlace, SandboxPlace } from "../../domain/sandbox/sandbox.ts";

/** The places that are there, by their real paths: a mount does not follow links. */
export async function findPlaces(places: readonly SandboxPlace[]): Promise<FoundPlace[]> {
  const found = await Promise.all(places.map(findPlace));
  return heldPlaces(withoutMadeLinks(found.filter((place) => place !== undefined)));
}

async function findPlace({ path, access }: SandboxPlace): Promise<LinkedPlace | undefined> {
  try {
    const real = await realpath(path);
    if (real === "/") return undefined;
    const links = real === path ? [] : linksTo(path);
    return { path: real, access, isFolder: (await stat(real)).isDirectory(), links };
  } catch {
    return undefined; // not there, or not for us: then it is not for programs inside either
  }
}

/** The links that a path leads through. It is known to end. */
function linksTo(path: string): string[] {
  const links: string[] = [];
  const steps = path.split("/").toReversed();
  let real = "/";
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const at = step === ".." ? dirname(real) : join(real, step);
    const target = linkAt(at);
    if (target !== undefined) {
      links.push(at);
      steps.push(...target.split("/").toReversed());
    }
    real = target === undefined ? at : isAbsolute(target) ? "/" : real;
  }
  return links;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
