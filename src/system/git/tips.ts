import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesBelow } from "../folder.ts";
import { lstatOf } from "../lstat.ts";

export interface NamedTip {
  readonly ref: string;
  readonly commit: string;
}

/** Refs of these kinds, and all stashes, from the files of a git folder: a git for each look would take longer. */
export async function tipsIn(
  folder: string,
  kinds: readonly ("heads" | "tags" | "stash")[] = ["heads", "stash"],
): Promise<NamedTip[]> {
  const isAsked = (ref: string): boolean =>
    kinds.some((kind) => ref === `refs/${kind}` || ref.startsWith(`refs/${kind}/`));
  const names = (await filesBelow(join(folder, "refs"))).map((path) => relative(folder, path)).filter(isAsked);
  const loose = names.map((ref) => ({ ref, commit: textOf(join(folder, ref)).trim() }));
  const packed = Array.from(
    textOf(join(folder, "packed-refs")).matchAll(/^(\w+) (refs\/.+)$/gm),
    ([, commit, ref]) => ({
      ref: ref!,
      commit: commit!,
    }),
  );
  // Of several stashes the ref names the last.
  const log = kinds.includes("stash") ? textOf(join(folder, "logs/refs/stash")) : "";
  const stashed = Array.from(log.matchAll(/^\w+ (\w+) /gm), ([, commit]) => ({ ref: "refs/stash", commit: commit! }));
  const all = [...loose, ...packed.filter(({ ref }) => isAsked(ref)), ...stashed.reverse()];
  return all.filter(({ commit }) => /^[0-9a-f]{40,64}$/.test(commit));
}

const MAX_BYTES = 64 * 1024 * 1024;

function textOf(path: string): string {
  const found = lstatOf(path);
  return found?.isFile() === true && found.size < MAX_BYTES ? readFileSync(path, "latin1") : "";
}
