import { join } from "node:path";
import { loadConfig } from "../config/config.ts";
import { pathExists } from "../system/folder.ts";

/** What there is to decide when a repository becomes a workspace. */
export interface InitSettings {
  readonly harness: string;
  /** Undefined: those that the repository has, now and later. */
  readonly gates: readonly { readonly id: string; readonly run: string }[] | undefined;
  /** A folder of the repository. */
  readonly specs: string;
}

/** What an earlier `init` was told, or a person wrote since. Undefined without a configuration that can be read. */
export async function earlierSettings(root: string): Promise<InitSettings | undefined> {
  if (!pathExists(join(root, ".ralph/config.yaml"))) return undefined;
  // Of this file alone: what a variable or somebody's own configuration says is not what was decided for the workspace.
  const loaded = await loadConfig({ cwd: root, env: {} }).catch(() => undefined);
  if (loaded === undefined) return undefined;
  const { harness, gates, specs } = loaded.config;
  const [agent] = harness;
  const [folder] = specs.dirs;
  if (agent === undefined || folder === undefined) return undefined;
  return {
    harness: agent,
    gates: gates === "auto" ? undefined : gates.map(({ id, run }) => ({ id, run })),
    specs: folder,
  };
}
