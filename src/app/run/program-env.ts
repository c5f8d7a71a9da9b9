import { delimiter, join } from "node:path";
import { DOOR } from "../../domain/run/session.ts";
import { PROMPT_VARIABLE } from "../../harness/harness.ts";
import type { Repository } from "../../system/git/repository.ts";
import { runMarker, withMarker } from "../../system/process/marker.ts";
import { makeSessionBin } from "../../system/process/session-path.ts";

export interface ProgramPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How ralphctl itself is started. */
  readonly self: readonly [file: string, ...args: string[]];
  readonly repository: Repository;
  readonly run: string;
  /** The scope key. */
  readonly scope: string;
  /** The workspace that programs see. */
  readonly root: string;
}

/** The environment of agents and gates: `ralphctl` is on their PATH. */
export async function programEnv(place: ProgramPlace): Promise<Readonly<Record<string, string | undefined>>> {
  const { env, self, repository, run, scope, root } = place;
  const bin = await makeSessionBin(join(repository.gitFolder, "ralph", "bin"), self);
  return {
    ...withMarker(env, runMarker(run)),
    RALPHCTL_ATTEMPT: undefined,
    RALPHCTL_TASK: undefined,
    [DOOR]: undefined,
    [PROMPT_VARIABLE]: undefined,
    RALPHCTL_RUN: run,
    RALPHCTL_SCOPE: scope,
    RALPHCTL_WORKSPACE: root,
    PATH: [bin, env["PATH"]].filter((part) => part !== undefined && part !== "").join(delimiter),
  };
}
