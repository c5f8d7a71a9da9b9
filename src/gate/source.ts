import type { PinnedGate } from "../domain/gate.ts";

/** What a source may look at: names and texts at the top of the workspace. It starts nothing. */
export interface Look {
  /** Undefined when there is no such file, or it is not a text. */
  readonly text: (path: string) => Promise<string | undefined>;
  readonly has: (path: string) => Promise<boolean>;
  readonly names: (folder: string) => Promise<readonly string[]>;
}

export interface Found {
  readonly gates: readonly PinnedGate[];
  /** What somebody should know, such as a file that does not parse. */
  readonly warnings?: readonly string[];
}

export type Source = (look: Look) => Promise<Found>;
