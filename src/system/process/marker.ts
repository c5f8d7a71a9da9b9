import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import type { Environment } from "../../domain/environment.ts";
import { gitFolder } from "../git/folder.ts";

/** A variable in the environment by which processes are found, wherever they went: it is one item of a list there. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

/** The variable that every agent and every gate carries: its run, itself, and before them those that it runs inside. */
export const MARKER = "RALPHCTL_MARKER";

/** By which one asks whether a process belongs to a run, also if a ralphctl inside it started it in its turn. */
export const runMarker = (run: string): Marker => ({ name: MARKER, value: run });

/**
 * By which everything that a run has started for one working tree is found, to be ended with it: a run of a fleet may have
 * several on one machine, and each ends alone.
 */
export const treeMarker = (run: string, ownFolder: string): Marker => ({
  name: MARKER,
  value: `${run}_${createHash("sha256").update(realpathSync(ownFolder)).digest("hex").slice(0, 8)}`,
});

/** By which the processes of one session, gate or hook are found, while we live: no other process of the run has it. */
export const partMarker = (run: string, part: string): Marker => ({
  name: MARKER,
  value: `${run}.${process.pid}.${part}`,
});

/** An environment for what a run starts for the working tree around a folder. */
export function withRun(env: Environment, run: string, folder: string): Environment {
  const ofRun = withMarker(env, runMarker(run));
  const git = gitFolder(folder);
  return git === undefined ? ofRun : withMarker(ofRun, treeMarker(run, git.own));
}

/** Separates markers. Where environments are only seen as text, a blank ends an entry. */
const SEPARATOR = ",";

/**
 * An environment with one marker more. Those of `env` stay: a ralphctl that runs inside an agent or a gate marks what
 * it starts as its own, and all of it is still found by the one that is further out.
 */
export function withMarker(env: Environment, { name, value }: Marker): Environment {
  const outer = env[name] ?? "";
  return { ...env, [name]: outer === "" ? value : `${outer}${SEPARATOR}${value}` };
}

/** Whether an entry of an environment, `NAME=first,second`, has the marker in its list. */
export const hasMarker = (entry: string, { name, value }: Marker): boolean =>
  entry.startsWith(`${name}=`) &&
  entry
    .slice(name.length + 1)
    .split(SEPARATOR)
    .includes(value);
