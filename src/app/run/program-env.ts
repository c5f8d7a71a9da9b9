import { delimiter } from "node:path";
import { DOOR } from "../../domain/run/session.ts";
import { PROMPT_VARIABLE } from "../../harness/harness.ts";
import { withRun } from "../../system/process/marker.ts";
import { makeSessionBin } from "../../system/process/session-path.ts";

export interface ProgramPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How ralphctl itself is started. */
  readonly self: readonly [file: string, ...args: string[]];
  /** The folder for a `ralphctl` that programs find first. It must not be in the working tree. */
  readonly bin: string;
  readonly run: string;
  /** The scope key. */
  readonly scope: string;
  /** The workspace that programs see. */
  readonly root: string;
}

/** The environment of agents and gates: `ralphctl` is on their PATH. */
export async function programEnv(place: ProgramPlace): Promise<Readonly<Record<string, string | undefined>>> {
  const { env, self, run, scope, root } = place;
  const bin = await makeSessionBin(place.bin, self);
  return {
    ...withRun(env, run, root),
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
