import { type ConfigRequest, loadConfig, type LoadedConfig } from "../config/config.ts";
import { RalphError } from "../domain/error.ts";
import type { TrustReview } from "./trust/trust.ts";
import { openScope, type Scope, type ScopeChoice } from "../scope/scope.ts";

/** The input of every use case: the working directory, the environment and the flags. */
export interface Surroundings extends ConfigRequest {
  /** Models for the roles, whatever the harness turns out to be; `model` is for the one without a role. */
  readonly model?: string | undefined;
  readonly smartModel?: string | undefined;
  readonly fastModel?: string | undefined;
  readonly trust?: TrustGiven | undefined;
}

/** B-01: whether a person trusts what the repository's own files start and set. */
export interface TrustGiven {
  /** For this command, whatever it is. */
  readonly isGiven: boolean;
  /** Asks the person; undefined: nobody is there to answer. */
  readonly ask?: ((review: TrustReview) => Promise<boolean | undefined>) | undefined;
}

export type { ScopeChoice } from "../scope/scope.ts";

/** A folder with `.ralph/` in it, and the configuration that holds there. */
export interface Workspace extends LoadedConfig {
  readonly root: string;
  /** Where the user is. */
  readonly cwd: string;
}

/** The workspace around the working directory; an error where there is none. */
export async function openWorkspace(surroundings: Surroundings): Promise<Workspace> {
  const loaded = await loadConfig(surroundings);
  if (loaded.workspace !== undefined) return { ...loaded, root: loaded.workspace, cwd: surroundings.cwd };
  throw new RalphError("config", `No workspace here: no .ralph/ in ${surroundings.cwd} or above it`, {
    hint: "Run ralphctl init",
  });
}

/** The scope that was asked for, in a workspace. */
export async function openWorkspaceScope({ root, cwd, config }: Workspace, choice: ScopeChoice): Promise<Scope> {
  return await openScope(choice, {
    root,
    cwd,
    specsDirs: config.specs.dirs,
    plan: config.plan,
    prompts: config.prompts,
    layouts: config.layouts,
  });
}

/** The key of the scope that was asked for; undefined where none was named, which means all. */
export async function askedScopeKey(workspace: Workspace, choice: ScopeChoice): Promise<string | undefined> {
  const isAsked = Object.values(choice).some((name) => name !== undefined);
  return isAsked ? (await openWorkspaceScope(workspace, choice)).key : undefined;
}
