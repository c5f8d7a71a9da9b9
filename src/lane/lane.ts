import type { FileChange } from "../domain/change.ts";
import type { Environment } from "../domain/environment.ts";
import { RalphError } from "../domain/error.ts";
import type { GateResult } from "../domain/gate.ts";
import type { Repository } from "../system/git/repository.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import type { Status } from "../system/git/status.ts";

/** A commit of the landing ref, and the files on top of it. */
export interface Start {
  readonly head: string;
  readonly tree: string;
}

/** What a session left. */
export interface Left extends Snapshot {
  /** The last commit that a person made in the lane meanwhile: only what came after it is the session's. */
  readonly theirs?: string | undefined;
  /** The folder of the lane was removed or replaced, and with it the session's work. */
  readonly isGone?: true;
}

/** A person took the lane away from the run. */
export class LaneTaken extends RalphError {
  constructor(message: string, details: { readonly hint: string }) {
    super("config", message, details);
    this.name = "LaneTaken";
  }
}

/** A lane cannot be filled: its set-up fails, or its disk is full. Other lanes may do its work (L-04). */
export class LaneFailed extends RalphError {
  constructor(cause: RalphError) {
    super(cause.kind, cause.message, { hint: cause.hint, cause, about: cause.about });
    this.name = "LaneFailed";
  }
}

/** A place where one agent works on one task at a time. Lane 0 is the person's own working tree. */
export interface Lane {
  readonly number: number;
  /** The top of its files. */
  readonly folder: string;
  /** The workspace in it, in which agents work. */
  readonly root: string;
  /** Its files, seen with the objects and settings of the person's repository and never with its own. */
  readonly repository: Repository;
  /** Added to the environment of its sessions (L-06). */
  readonly env: Environment;
  /** In a tree of the person's: whether a file stays theirs, such as the configuration, unless a session changes it. */
  readonly isPersons?: (path: string) => boolean;
  /** In a tree of the person's: whether git ignored a path when it was lent. */
  readonly wasIgnored?: (path: string) => boolean;
  /** Before a session: its files become exactly the start's tree. `task`: for people who look, and after a kill. */
  readonly begin: (start: Start, task?: string) => Promise<Snapshot>;
  /** After a session: the files, and the commits that the agent made. `look`: a status that is still current. */
  readonly collect: (look?: Promise<Status>) => Promise<Left>;
  /** L-24: gives a tree of the person's back, before the branch follows and when the run ends. */
  readonly release: () => Promise<void>;
}

/** L-20: the checkout of the landing, in which gates run. No session starts here. */
export interface Room {
  /** T-02: it is the lane itself, so gates run on the files as they lie. */
  readonly isLane?: boolean;
  /** L-21: the room holds exactly this tree, and products of set-up. */
  readonly enter: (start: Start, use?: RoomUse) => Promise<EnteredRoom>;
}

export interface RoomUse {
  /** Somebody reads its files; no program will run in it. */
  readonly isReadOnly?: boolean;
  /** No program has run in any place of the run since it was opened: it is as it was. */
  readonly isIdle?: boolean;
  /** The folder of the lane whose work it is: commits of submodules may be only there. */
  readonly lane?: string;
  /** Stops set-up, in place of the run's own signal. */
  readonly stop?: AbortSignal;
}

export interface EnteredRoom {
  /** The workspace in it. */
  readonly root: string;
  readonly env: Environment;
  /** Set-up that this tree made necessary; undefined if the room was ready. */
  readonly setup: GateResult | undefined;
  /** Names the set-up: proofs of one tree are the same only with the same set-up. */
  readonly prepared: string;
  readonly files: RoomFiles;
}

/** The files of a room, compared with the tree that was entered. Ignored files do not count. */
export interface RoomFiles {
  readonly changes: () => Promise<readonly FileChange[]>;
  /** The tree with some of the changes, stored. */
  readonly treeWith: (changes: readonly FileChange[]) => Promise<string>;
  /** Takes the changes back. Absent in the person's own tree, which is not ours to change. */
  readonly putBack?: () => Promise<unknown>;
}
