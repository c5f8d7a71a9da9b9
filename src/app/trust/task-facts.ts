import { dirname, join } from "node:path";
import type { TrustFact } from "../../domain/trust-facts.ts";
import { textIn } from "../../system/folder.ts";
import { git } from "../../system/git/git.ts";
import { gitFolder } from "../../system/git/folder.ts";
import type { Environment } from "../../domain/environment.ts";
import { findStore, openStoreToRead } from "../task-store.ts";
import type { Workspace } from "../workspace.ts";

/**
 * B-01: the gates of tasks whose database is a file of the repository. Any other was made in this clone, where a person
 * gave each task its gates. One that cannot be read is for the command to report.
 */
export async function taskFacts({ root }: Workspace, env: Environment): Promise<TrustFact[]> {
  const { file } = await findStore(root);
  if (!(await isTracked(file, env))) return [];
  const { store } = await openStoreToRead(root);
  try {
    const facts: TrustFact[] = [];
    for await (const { id, gates } of store.each()) {
      for (const gate of gates)
        facts.push({ key: `task ${id}: gates.${gate.id}.run`, value: gate.run, isStrong: false });
    }
    for (const { task } of await store.openVerdicts()) {
      facts.push({ key: `task ${task.id}`, value: "taken for proven, and lands next", isStrong: false });
    }
    return facts;
  } finally {
    await store.close();
  }
}

/** Git is asked only if its index has the name of such a file: to start it takes longer than all else here. */
async function isTracked(file: string, env: Environment): Promise<boolean> {
  const index = textIn(join(gitFolder(dirname(file))?.own ?? "", "index"), "latin1");
  if (index?.includes("ralph.db\0") !== true) return false;
  const { stdout } = await git({ folder: dirname(file), env }, ["ls-files", "--", "ralph.db"]);
  return stdout !== "";
}
