/** What can stand around an agent or a gate. */
export const SANDBOX_KINDS = ["bwrap", "seatbelt", "docker", "podman"] as const;
export type SandboxKind = (typeof SANDBOX_KINDS)[number];

export const SANDBOX_CHOICES = ["off", "auto", ...SANDBOX_KINDS] as const;
export type SandboxChoice = (typeof SANDBOX_CHOICES)[number];

/** A path in the sandbox that differs from the rest of the file system, which is read-only. */
export interface SandboxPlace {
  readonly path: string;
  /**
   * `write`: as it is. `read`: as it is, but read-only, within a place that differs. `hide`: not there.
   * `private`: empty, writable, and gone afterwards.
   */
  readonly access: "write" | "read" | "hide" | "private";
}

/** A place that is there. The path has no links in it. */
export interface FoundPlace extends SandboxPlace {
  readonly isFolder: boolean;
}

/** The profile `write`: all can be read but secrets; few places can be written; the network is open. */
export interface SandboxProfile {
  readonly name: "write";
  readonly places: readonly FoundPlace[];
  /** Processes that outlive the program are kept, so it has no process namespace of its own. */
  readonly keepsProcesses: boolean;
  readonly isRoot: boolean;
  /** Not for programs inside. */
  readonly unset: readonly string[];
}

/** A program to start inside. */
export interface SandboxProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** A person works with it, so it stays in the session of its terminal. */
  readonly isAttended?: boolean;
}

/** A command line, the program first. */
export type CommandLine = readonly [file: string, ...args: string[]];

/** Of places with the same path the last counts. A folder comes before all that lies in it. */
export function inMountOrder<Place extends SandboxPlace>(places: readonly Place[]): Place[] {
  const byPath = new Map(places.map((place) => [place.path, place]));
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

export const isBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** The place that decides about a path: the nearest around it; undefined: the read-only rest. */
export function placeAround<Place extends SandboxPlace>(places: readonly Place[], path: string): Place | undefined {
  return inMountOrder(places).findLast((place) => isBelow(place.path, path));
}
