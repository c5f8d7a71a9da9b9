import { changedKeys } from "./resolve/changed-parts.ts";
import { PRE_COMMIT } from "./resolve/hook-managers.ts";
import { walkGate } from "./resolve/resolve-gate.ts";
import type { Look } from "./source.ts";

interface TwoStates {
  readonly base: Look;
  readonly candidate: Look;
  /** The workspace, in which the commands run, below the top of the repository. */
  readonly folder: string;
}

/** Whether a file only names other versions of what it named before. */
export const isUpgrade = async (path: string, { base, candidate }: Omit<TwoStates, "folder">): Promise<boolean> =>
  path.endsWith(PRE_COMMIT) &&
  (await base.has(path)) &&
  (await changedKeys({ path, base, candidate }, undefined)) === undefined;

/**
 * The files that commands start, and that differ between two states. Found in both, because a new file can be started in
 * place of an older one. Files that they read, and configuration, are not among them: to change those is work.
 */
export async function changedStarts(commands: readonly string[], states: TwoStates): Promise<string[]> {
  const { base, candidate, folder } = states;
  const changed = new Set<string>();
  const walks = commands.flatMap((run) => [base, candidate].map((look) => ({ run, look })));
  for (const { run, look } of walks) {
    const { decides } = await walkGate(run, look, { folder });
    for (const { path, keys } of decides.filter(({ isDefinition }) => isDefinition))
      if ((await changedKeys({ path, base, candidate }, keys)) !== undefined) changed.add(path);
  }
  return [...changed];
}
