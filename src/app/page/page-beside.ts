import type { Environment } from "../../domain/environment.ts";
import { startBeside } from "../../system/process/start-beside.ts";
import { sleep } from "../../system/sleep.ts";
import { findPage, type KnownPage } from "./page-file.ts";

export { openBrowser } from "../../system/process/open-browser.ts";

const LOOK_MS = 50;
const WAIT_MS = 20_000;

export interface PageBeside {
  readonly cwd: string;
  readonly env: Environment;
  /** How the page is started. */
  readonly command: readonly [string, ...string[]];
  readonly stop: AbortSignal;
}

/** U-01: the page of this workspace in a process of its own; one that is served already is used. Undefined: it did not start. */
export async function pageBeside({ cwd, env, command, stop }: PageBeside): Promise<KnownPage | undefined> {
  const known = await findPage(cwd, env);
  if (known !== undefined) return known;
  const { hasEnded } = startBeside(command, { cwd, env });
  for (let waitedMs = 0; waitedMs < WAIT_MS && !hasEnded() && !stop.aborted; waitedMs += LOOK_MS) {
    const started = await findPage(cwd, env);
    if (started !== undefined) return started;
    await sleep(LOOK_MS, stop);
  }
  return undefined;
}
