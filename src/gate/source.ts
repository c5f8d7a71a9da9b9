import type { PinnedGate } from "../domain/gate.ts";

/** The files that a source can read, below the workspace. It starts nothing. */
export interface Look {
  /** Undefined if the file does not exist or is not text. */
  readonly text: (path: string) => Promise<string | undefined>;
  readonly has: (path: string) => Promise<boolean>;
  readonly names: (folder: string) => Promise<readonly string[]>;
}

export interface Found {
  readonly gates: readonly PinnedGate[];
  /** For the user, such as a file that does not parse. */
  readonly warnings?: readonly string[];
}

export type Source = (look: Look) => Promise<Found>;
