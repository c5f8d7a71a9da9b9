import { posix } from "node:path";
import { isMapping } from "../domain/mapping.ts";
import { withBaseParts } from "./resolve/base-parts.ts";
import { parseJson } from "../domain/json-text.ts";
import { isSame } from "./resolve/parts.ts";
import type { Look } from "./source.ts";

/** The keys of package.json that say which file an import means. */
const ENTRIES = ["main", "module", "browser", "exports", "imports"];

interface States {
  readonly base: Look;
  readonly candidate: Look;
}

/**
 * The candidate's package.json with the entries of the base, if some of them lead to other files although the files of the
 * base are still there: these may be broken, and no test would load them. Undefined: none does.
 */
export async function withOldEntries(path: string, { base, candidate }: States): Promise<string | undefined> {
  const [before, after] = [await base.text(path), await candidate.text(path)];
  const [old, now] = [parseJson(before ?? ""), parseJson(after ?? "")];
  const keys: string[] = [];
  for (const key of ENTRIES) {
    const entries = entriesIn(old?.[key]);
    const kept = entriesIn(now?.[key]);
    for (const [name, value] of entries) {
      const isMoved = !isSame(value, kept.get(name)) && (await areThere(candidate, posix.dirname(path), value));
      if (isMoved && !keys.includes(key)) keys.push(key);
    }
  }
  return withBaseParts(keys, before, after);
}

/** By what is imported. A single value is the entry of the package itself. */
const entriesIn = (value: unknown): Map<string, unknown> =>
  isMapping(value) && Object.keys(value).some((name) => /^[.#]/.test(name))
    ? new Map(Object.entries(value))
    : new Map(value === undefined ? [] : [[".", value]]);

/** Whether there is a file for each target. Of a pattern the folder counts. */
async function areThere(look: Look, folder: string, value: unknown): Promise<boolean> {
  const targets = textsIn(value);
  for (const target of targets)
    if (!(await look.has(posix.join(folder, target.replace(/\/?[^/]*\*.*$/, ""))))) return false;
  return targets.length > 0;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) || isMapping(value) ? Object.values(value).flatMap(textsIn) : [];
}
