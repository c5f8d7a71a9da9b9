import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProcess } from "./control-process.ts";
import { fileAppears } from "./live-run.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A person's `git commit --all` that waits for its editor, and holds the lock of the index meanwhile. */
export interface WaitingCommit {
  readonly pid: number;
  /** The editor is closed; resolves to how git ended. */
  readonly finish: () => Promise<number | string>;
}

export async function committing(folder: string): Promise<WaitingCommit> {
  const place = temporaryFolder();
  const [sign, go] = [join(place, "sign"), join(place, "go")];
  // It ends by itself should nobody let it go.
  const wait = `for i in $(seq 1000); do test -f ${go} && break; sleep 0.05; done`;
  const editor = `sh -c 'touch ${sign}; ${wait}; echo By hand >"$1"' editor`;
  const commit = startProcess("env", [`GIT_EDITOR=${editor}`, "git", "commit", "--all"], folder);
  await fileAppears(sign);
  return {
    pid: commit.pid,
    finish: async () => {
      writeFileSync(go, "");
      return await commit.ended;
    },
  };
}
