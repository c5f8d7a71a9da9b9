import { changedKeys } from "./resolve/changed-parts.ts";
import { walkGate } from "./resolve/resolve-gate.ts";
import { toolFileFor } from "./resolve/tool-files.ts";
import type { Look } from "./source.ts";

interface TwoStates {
  readonly base: Look;
  readonly candidate: Look;
  /** The workspace, in which the commands run, below the top of the repository. */
  readonly folder: string;
}

/**
 * The files that commands start, and that differ between two states. Found in both, because a new file can be started in
 * place of an older one. Configuration that tools find by its name is not among them: to change it is work.
 */
export async function changedStarts(commands: readonly string[], states: TwoStates): Promise<string[]> {
  const { base, candidate, folder } = states;
  const changed = new Set<string>();
  const walks = commands.flatMap((run) => [base, candidate].map((look) => ({ run, look })));
  for (const { run, look } of walks) {
    const { decides, text } = await walkGate(run, look, { folder });
    const started = decides.filter(
      ({ path, isDefinition, isTest }) => isDefinition || (isTest !== true && toolFileFor(path, text) === undefined),
    );
    for (const { path, keys } of started)
      if ((await changedKeys({ path, base, candidate }, keys)) !== undefined) changed.add(path);
  }
  return [...changed];
}
