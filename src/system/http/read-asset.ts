import { readFileSync } from "node:fs";

/** The bytes of a file; undefined if it cannot be read. */
export function readAsset(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
