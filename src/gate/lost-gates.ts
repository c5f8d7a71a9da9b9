import { posix } from "node:path";
import type { DecidingChange, DecidingRequest } from "./deciding-changes.ts";
import { gatesWithout, keptGates, notReplaced } from "../domain/gate.ts";
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
  const now = new Map(notReplaced(after.gates).map(({ id, run }) => [id, run]));
  const lost = gatesWithout(keptGates(before.gates), notReplaced(after.gates));
  if (lost.length === 0) return [];
  const ids = lost.map(({ id }) => id);
  const why = lost
    .map(({ id }) => (now.has(id) ? `gate ${id} would start \`${now.get(id)}\`` : `gate ${id} would be gone`))
    .join(", ");
  const asked = changes.map(({ path }) => path).filter((path) => seen.has(path) || seen.has(posix.dirname(path)));
  const alone: string[] = [];
  for (const path of asked) {
    const found = notReplaced((await discoverIn(watched(withOne(request, path), folder, seen))).gates);
    if (gatesWithout(lost, found).length > 0) alone.push(path);
  }
  return (alone.length > 0 ? alone : asked).map((path) => ({ path, gates: ids, why, kind: "definition" }));
}

/** The base with one path of the candidate. */
function withOne({ base, candidate }: Pick<DecidingRequest, "base" | "candidate">, path: string): Look {
  const lookFor = (asked: string): Look => (asked === path ? candidate : base);
  return {
    text: (asked) => lookFor(asked).text(asked),
    has: (asked) => lookFor(asked).has(asked),
    async names(folder) {
      const names = await base.names(folder);
      if (posix.dirname(path) !== (folder === "" ? "." : folder)) return names;
      const name = posix.basename(path);
      const others = names.filter((one) => one !== name);
      return (await candidate.has(path)) ? [...others, name] : others;
    },
  };
}

/** A look below a folder that remembers the paths it was asked for. */
function watched(look: Look, folder: string, seen: Set<string>): Look {
  const at = (path: string): string => {
    const whole = posix.join(folder, path);
    seen.add(whole);
    return whole === "." ? "" : whole;
  };
  return {
    text: (path) => look.text(at(path)),
    has: (path) => look.has(at(path)),
    names: (path) => look.names(at(path)),
  };
}
