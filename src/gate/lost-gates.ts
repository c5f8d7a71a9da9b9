import { posix } from "node:path";
import type { DecidingChange, DecidingRequest } from "./deciding-changes.ts";
import { discoverIn } from "./discover.ts";
import type { Look } from "./source.ts";

/**
 * T-10: the changes by which `gates: auto` would no longer find a gate of the base, or would start it otherwise. Such as a
 * second make target, which is found in place of the first.
 */
export async function lostGates(
  request: Pick<DecidingRequest, "base" | "candidate" | "changes" | "folder">,
): Promise<DecidingChange[]> {
  const { folder = "", changes } = request;
  const seen = new Set<string>();
  const [before, after] = [
    await discoverIn(watched(request.base, folder, seen)),
    await discoverIn(watched(request.candidate, folder, seen)),
  ];
  const now = new Map(after.gates.map(({ id, run }) => [id, run]));
  const lost = before.gates.filter(({ id, run }) => now.get(id) !== run);
  if (lost.length === 0) return [];
  const ids = lost.map(({ id }) => id);
  const why = lost
    .map(({ id }) => (now.has(id) ? `gate ${id} would start \`${now.get(id)}\`` : `gate ${id} would be gone`))
    .join(", ");
  const isSeen = ({ path }: { readonly path: string }): boolean => seen.has(path) || seen.has(posix.dirname(path));
  return changes.filter(isSeen).map(({ path }) => ({ path, gates: ids, why, kind: "definition" }));
}

/** A look below a folder that remembers the paths it was asked for. */
function watched(look: Look, folder: string, seen: Set<string>): Look {
  const at = (path: string): string => {
    const whole = posix.join(folder, path);
    seen.add(whole);
    return whole;
  };
  return {
    text: (path) => look.text(at(path)),
    has: (path) => look.has(at(path)),
    names: (path) => look.names(at(path)),
  };
}
