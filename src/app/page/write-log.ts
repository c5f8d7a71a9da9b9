import { dirname } from "node:path";
import { isoTime } from "../../domain/task-json.ts";
import { appendText, makeFolder } from "../../system/folder.ts";
import type { Caller } from "../task/caller.ts";
import { pageFile } from "./page-file.ts";

export interface PageWrite {
  readonly verb: string;
  /** The task, run or scope that it names. */
  readonly about: string | undefined;
  readonly result: string;
}

/**
 * U-04: one line for each write of the page, also for those that are about no task and no run. Without the words that were
 * sent. It lies beside the file with the token, for this user alone.
 */
export async function recordWrite({ verb, about, result }: PageWrite, { cwd, env, from }: Caller): Promise<void> {
  // Nothing was done in a workspace that is gone.
  const file = await pageFile(cwd, env).catch(() => undefined);
  if (file === undefined) return;
  await makeFolder(dirname(file), { isPrivate: true });
  const line = { at: isoTime(Date.now()), by: "person", from: from ?? null, verb, about: about ?? null, result };
  // What was done is done: the answer does not fail with the disk.
  await appendText(file.replace(/\.json$/, ".log"), `${JSON.stringify(line)}\n`).catch(() => undefined);
}
