import { RalphError } from "../../domain/error.ts";
import { gitFolder } from "../../system/git/folder.ts";
import { readTreeLock, type TreeHolder } from "../../system/tree-lock.ts";

/** The run that holds a working tree, and its git folder. */
export interface FoundRun extends TreeHolder {
  readonly gitFolder: string;
}

/** The run that has the working tree around a folder, dead ones included; undefined when there is none. */
export function findRun(cwd: string): FoundRun | undefined {
  const git = gitFolder(cwd);
  if (git === undefined) {
    throw new RalphError("config", `No git repository at or above ${cwd}`, {
      hint: "Change to the working tree of the run",
    });
  }
  const holder = readTreeLock(git.own);
  return holder && { ...holder, gitFolder: git.own };
}
