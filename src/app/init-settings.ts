import { join } from "node:path";
import { loadConfig } from "../config/config.ts";
import { pathExists } from "../system/folder.ts";

/** The decisions of `init`. */
export interface InitSettings {
  readonly harness: string;
  /** Undefined: those that the repository has, now and later. */
  readonly gates: readonly { readonly id: string; readonly run: string }[] | undefined;
  /** A folder of the repository. */
  readonly specs: string;
}

/** The settings in the configuration; undefined if it is missing or unreadable. `specs`: where it names no folder. */
export async function earlierSettings(root: string, specs: string): Promise<InitSettings | undefined> {
  if (!pathExists(join(root, ".ralph/config.yaml"))) return undefined;
  // Only this file: variables and personal configuration are not decisions for the workspace.
  const loaded = await loadConfig({ cwd: root, env: {} }).catch(() => undefined);
  if (loaded === undefined) return undefined;
  const { harness, gates } = loaded.config;
  const [agent] = harness;
  const [folder = specs] = loaded.config.specs.dirs;
  if (agent === undefined) return undefined;
  return {
    harness: agent,
    gates: gates === "auto" ? undefined : gates.map(({ id, run }) => ({ id, run })),
    specs: folder,
  };
}
