import { join, relative } from "node:path";
import { namesInLine } from "../domain/verdict-report.ts";
import { folderLook, resolveGate } from "../gate/gate.ts";
import { stampsOf, uncommitted } from "../system/git/edited.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, type RunState, warn } from "./run-state.ts";

// T-41: a session works in its lane, but it can write to the person's tree by an absolute path. So can the person, at the
// same time. What lands is not affected; a file that decides could be committed by mistake.

interface DecidingFiles {
  readonly paths: readonly string[];
  readonly stamps: ReadonlyMap<string, string>;
}

const known = new WeakMap<RunState, Promise<readonly string[]>>();

/** The files of the person's tree that decide the gates, before a session. Undefined if the session works there. */
export async function watchDeciding({ deps, place, run }: LaneState): Promise<DecidingFiles | undefined> {
  if (place.number === 0) return undefined;
  const found = known.get(run) ?? decidingFiles(deps);
  known.set(run, found);
  const paths = await found;
  return { paths, stamps: stampsOf(deps.home, paths) };
}

/** Read once: in a large repository it takes a while. */
async function decidingFiles({ home, root, gates }: RunDeps): Promise<readonly string[]> {
  const folder = relative(home.folder, root);
  const look = folderLook(home.folder);
  const paths = new Set([join(folder, ".ralph/config.yaml")]);
  for (const { run, check } of gates.gates) {
    const { decides } = check === undefined ? await resolveGate(run, look, folder) : { decides: [] };
    for (const { path } of decides) paths.add(path);
  }
  return [...paths].sort();
}

/** Names those that changed since, in words that blame nobody. */
export async function nameChangedMeanwhile(lane: LaneState, before: DecidingFiles | undefined): Promise<void> {
  if (before === undefined) return;
  const { home } = lane.deps;
  const now = stampsOf(home, before.paths);
  const touched = before.paths.filter((path) => before.stamps.get(path) !== now.get(path));
  const paths = await uncommitted(home, touched);
  if (paths.length === 0) return;
  const text = `These files of ${home.folder} decide the gates, and changed during the session: ${namesInLine(paths)}`;
  warn(lane, `${text}. They are not part of its work. If you did not change them, see: git diff`);
}
