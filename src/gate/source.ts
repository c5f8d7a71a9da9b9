import type { PinnedGate } from "../domain/gate.ts";
import type { CiJob } from "./discover/ci.ts";
import type { PackageSet } from "./discover/node-members.ts";
import type { Reach } from "./discover/reach.ts";

/** The files that a source can read, below the workspace. It starts nothing. */
export interface Look {
  /** Undefined if the file does not exist or is not text. */
  readonly text: (path: string) => Promise<string | undefined>;
  readonly has: (path: string) => Promise<boolean>;
  readonly names: (folder: string) => Promise<readonly string[]>;
}

/** What all sources of gates may know about a project. */
export interface Project {
  readonly look: Look;
  /** The names in its top folder. */
  readonly names: readonly string[];
  readonly ci: readonly CiJob[];
  /** The packages of a workspace of Node's. */
  readonly members: PackageSet | undefined;
  /** The commands that a command leads to, through scripts and make. */
  readonly reach: Reach;
}

/** A check that looks like a gate and is none. */
export interface LeftOutCheck {
  /** As a person would type it: `npm run lint`. */
  readonly what: string;
  readonly at: string;
  readonly why: string;
}

export interface Found {
  readonly gates: readonly PinnedGate[];
  readonly leftOut?: readonly LeftOutCheck[];
  /** For the user, such as a file that does not parse. */
  readonly warnings?: readonly string[];
}

/** One kind of project. */
export type Source = (project: Project) => Promise<Found>;

export const NOTHING: Found = { gates: [] };
