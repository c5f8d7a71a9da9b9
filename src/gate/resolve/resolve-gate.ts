import type { Look } from "../source.ts";
import { containers } from "./containers.ts";
import { lefthook, preCommit } from "./hook-managers.ts";
import { isBinaryLock, lockKeys } from "./lock-files.ts";
import { make } from "./make.ts";
import { conftestsBelow, decideNamed } from "./named-files.ts";
import { packageManager } from "./package-manager.ts";
import { valueAt } from "./parts.ts";
import { program, wrapper } from "./program.ts";
import type { Resolution } from "./resolution.ts";
import { compiled, player, scriptFile, tox, wholeFile } from "./runners.ts";
import { sharedKeys, type States } from "./shared-files.ts";
import { settingFor, toolFileFor } from "./settings.ts";
import { decideVariables } from "./variables.ts";
import { below, type Walk, walkFrom, type Walked, type WalkedCommands } from "./walk.ts";

/** One small resolver per kind, in the order in which they are asked. */
const RESOLVERS = [
  packageManager,
  make,
  tox,
  scriptFile,
  preCommit,
  lefthook,
  wrapper,
  containers,
  wholeFile,
  compiled,
  player,
  program,
];

/** T-10: which paths decide the result of a command. It starts nothing. `folder`: where it runs, below the look's top. */
export async function resolveGate(run: string, look: Look, folder = ""): Promise<Resolution> {
  const { decides, notFollowed, byName } = await walkGate(run, look, { folder });
  return { decides, notFollowed, byName };
}

/** The same, with what is needed to judge changed paths, which are `near`. */
export const walkGate = (run: string, look: Look, { folder, near }: WalkPlace): Promise<Walked> =>
  walkFrom(run, { look, folder, resolvers: RESOLVERS, finish: (walk, found) => decideToolFiles(walk, found, near) });

export interface WalkPlace {
  readonly folder: string;
  readonly near?: readonly string[];
}

/** In more folders than this, only those around the changed paths are looked into: a claim must not wait. */
const MOST_FOLDERS = 50;

/** The configuration that lies where the commands run, or above, and the files that it names in turn. */
async function decideToolFiles(walk: Walk, found: WalkedCommands, near: readonly string[] | undefined): Promise<void> {
  const { folders, text } = found;
  const isFew = near === undefined || folders.size <= MOST_FOLDERS;
  const looked = isFew ? [...folders] : near.map((path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
  const all = new Set(looked.flatMap(withParents));
  for (const folder of looked) await decideVariables(walk, text, folder);
  for (const folder of all) {
    const names = await walk.look.names(folder);
    for (const name of names) {
      const path = below(folder, name);
      const entry = settingFor(path, found);
      // A lock file decides only if a package comes from somewhere else than before, so there is nothing to name.
      if (entry === undefined || lockKeys(name) !== undefined || isBinaryLock(name)) continue;
      const shared = sharedKeys(path);
      const keys = shared === undefined ? undefined : await keysIn(walk, path, (states) => shared(states, found));
      if (keys === undefined || keys.length > 0) {
        walk.decide({ path, ...(keys !== undefined && { keys }), why: entry.why, isDefinition: false });
      }
      await decideNamed(walk, path, folder);
    }
    for (const tests of conftestsBelow(folder)) {
      const path = below(tests, "conftest.py");
      if (toolFileFor(path, text) !== undefined) await decideNamed(walk, path, tests);
    }
  }
}

const withParents = (folder: string): string[] => {
  const steps = folder.split("/");
  return folder === "" ? [""] : ["", ...steps.map((_, at) => steps.slice(0, at + 1).join("/"))];
};

/** Of the parts that decide those that the base has. */
async function keysIn(
  walk: Walk,
  path: string,
  keysOf: (states: States) => readonly string[],
): Promise<readonly string[]> {
  const parts = (await walk.parts(path)) ?? {};
  return keysOf({ before: parts, after: parts }).filter((key) => valueAt(parts, key) !== undefined);
}
