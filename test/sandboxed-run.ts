import { probeSandbox } from "../src/system/sandbox/probe.ts";
import { eventsOf } from "./hostile-run.ts";
import { type LoopRun, loopWorkspace, type WorkspaceOptions } from "./loop-workspace.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

/** Why bubblewrap cannot be had here. */
export const noBwrap = (await probeSandbox("bwrap", process.env))?.why;

export const claim = [{ write: { path: "done.txt", text: "yes\n" } }, { say: "<task-done>{task}</task-done>" }];

type Own = Partial<WorkspaceOptions>;

/** A workspace of a user with secrets, whose home is not the repository. */
export async function secretive(
  steps: (home: string) => readonly object[],
  options: Own | ((home: string) => Own) = {},
) {
  const home = temporaryFolder();
  write(home, {
    ".ssh/id_ed25519": "the key\n",
    ".netrc": "the password\n",
    ".codex/auth.json": "{}\n",
    "notes.txt": "read me\n",
  });
  const own = typeof options === "function" ? options(home) : options;
  const place = await loopWorkspace({
    script: JSON.stringify([[...steps(home), ...claim]]),
    ...own,
    env: { HOME: home, RALPHCTL_SANDBOX_AGENT: "bwrap", ...own.env },
  });
  return { ...place, home };
}

/** What a step of the agent printed. */
export const printed = (run: LoopRun): string =>
  eventsOf(run, "agent.tool-result")
    .map(({ output }) => output)
    .join("\n");

/** Paths that events tell of. */
export const refused = (run: LoopRun): string[] =>
  eventsOf(run, "agent.refused").map(({ access, path }) => `${access} ${path}`);
