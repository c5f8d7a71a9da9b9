import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { loopWorkspace, type LoopWorkspace } from "./loop-workspace.ts";
import { type Answer, type Session, type } from "./recording-io.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SCRIPT = "- - write: { path: done.txt, text: ok }\n  - say: <task-done>{task}</task-done>\n";

export interface Door {
  readonly place: LoopWorkspace;
  readonly env: Readonly<Record<string, string>>;
  /** Where a yes is remembered. */
  readonly records: () => string[];
  readonly say: (args: readonly string[], about?: Partial<Session>) => Promise<Answer>;
}

/** A workspace whose settings nobody has trusted, and a home of its own. */
export async function untrusted(
  config?: string,
  files: Readonly<Record<string, string>> = {},
  script = SCRIPT,
): Promise<Door> {
  const state = temporaryFolder();
  const place = await loopWorkspace({ script, files, ...(config !== undefined && { config }) });
  const env = { PATH: process.env["PATH"]!, HOME: place.folder, XDG_STATE_HOME: state, RALPHCTL_TRUST: "" };
  const folder = join(state, "ralphctl/trust");
  return {
    place,
    env,
    records: () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []),
    say: async (args, about = {}) => await type(args, { cwd: place.folder, env, ...about }),
  };
}
