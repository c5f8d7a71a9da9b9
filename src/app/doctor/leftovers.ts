import { runMarker } from "../../system/process/marker.ts";
import { marked } from "../../system/process/sweep.ts";
import { gitFolder } from "../../system/git/folder.ts";
import { readTreeLock } from "../../system/tree-lock.ts";
import type { Workspace } from "../workspace.ts";
import { type Finding, ok } from "./finding.ts";

/** Whether a run that was killed has left something running in this working tree. */
export function leftoverFindings({ root }: Pick<Workspace, "root">): Finding[] {
  const git = gitFolder(root);
  // Where there is no repository there were no runs.
  const holder = git && readTreeLock(git.own);
  if (holder === undefined) return [ok("processes", "No run has the working tree, and none has left anything running")];
  const { run, left, isAlive, owner } = holder;
  if (isAlive) return [ok("processes", `Run ${run} is at work (process ${owner.pid})`)];
  const pids = [...left, run].flatMap((each) => marked(runMarker(each)));
  if (pids.length === 0) return [ok("processes", `Run ${run} was killed, and has left nothing running`)];
  const message = `Run ${run} was killed, and has left processes running: ${pids.join(", ")}`;
  return [{ level: "warning", check: "processes", message, fix: "Run ralphctl stop to end them" }];
}
