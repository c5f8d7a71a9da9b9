import { join } from "node:path";
import { DEMO_FILES } from "../domain/template/demo.ts";
import type { RunFinished } from "../domain/run/event.ts";
import { makeFolder, writeAtomic } from "../system/folder.ts";
import { commitPaths, mustBytes } from "../system/git/git.ts";
import { programsOn } from "../system/process/programs.ts";
import { newTemporaryFolder } from "../system/temporary-folder.ts";
import { initWorkspace } from "./init.ts";
import { type RunHost, runWorkspace } from "./run/run.ts";

export interface DemoReport {
  /** The repository, which is kept. */
  readonly folder: string;
  readonly finished: RunFinished;
  /** Whether a shell would find `ralphctl`. */
  readonly isOnPath: boolean;
}

/** A complete run in its own repository: a plan, a rejected claim, and verified commits. */
export async function playDemo(host: RunHost): Promise<DemoReport> {
  // Lanes are beside the repository, so that one folder holds everything.
  const folder = join(await newTemporaryFolder("demo"), "greeting");
  await makeFolder(folder);
  const env = { ...host.env };
  const place = { folder, env };
  await mustBytes(place, ["init", "--quiet", "--initial-branch=main"]);
  await initWorkspace({ cwd: folder, env, force: false });
  for (const [path, text] of Object.entries(DEMO_FILES)) await writeAtomic(join(folder, path), text);
  await commitPaths(place, ["."], "Begin the demo");
  const request = { mode: "auto", scope: {}, strict: true } as const;
  // The files are ours.
  const own = { cwd: folder, env, flags: {}, configFile: undefined, trust: { isGiven: true } };
  const finished = await runWorkspace(request, { ...host, ...own });
  const isOnPath = (await programsOn(env["PATH"] ?? "", ["ralphctl"])).length > 0;
  return { folder, finished, isOnPath };
}
