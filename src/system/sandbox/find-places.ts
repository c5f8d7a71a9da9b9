import { stat } from "node:fs/promises";
import { realpath } from "node:fs/promises";
import type { FoundPlace, SandboxPlace } from "../../domain/sandbox/sandbox.ts";

/** The places that are there, by their real paths: a mount does not follow links. */
export async function findPlaces(places: readonly SandboxPlace[]): Promise<FoundPlace[]> {
  const found = await Promise.all(places.map(findPlace));
  return found.filter((place) => place !== undefined);
}

async function findPlace({ path, access }: SandboxPlace): Promise<FoundPlace | undefined> {
  try {
    const real = await realpath(path);
    if (real === "/") return undefined;
    return { path: real, access, isFolder: (await stat(real)).isDirectory() };
  } catch {
    return undefined; // not there, or not for us: then it is not for programs inside either
  }
}
