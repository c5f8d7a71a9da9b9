import { relative } from "node:path";
import type { PinnedGate } from "../../domain/gate.ts";
import { discoverIn, treeLook } from "../../gate/gate.ts";
import type { Repository } from "../../system/git/repository.ts";

/** The gates that a commit has in the folder of the workspace. */
export async function gatesAt(home: Repository, commit: string, root: string): Promise<readonly PinnedGate[]> {
  const look = treeLook(home, commit, relative(home.folder, root));
  try {
    return (await discoverIn(look)).gates;
  } finally {
    look.close();
  }
}
