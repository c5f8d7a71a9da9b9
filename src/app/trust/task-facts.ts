import { dirname, join } from "node:path";
import type { TrustFact } from "../../domain/trust-facts.ts";
import { kindOf, textIn } from "../../system/folder.ts";
import { git } from "../../system/git/git.ts";
import { gitFolder } from "../../system/git/folder.ts";
import type { Environment } from "../../domain/environment.ts";
import type { Store } from "../../store/store.ts";
import { findStore, openStoreToRead, storeName } from "../task-store.ts";
import type { Workspace } from "../workspace.ts";
import { readTrust, TASKS, trustFile } from "./record.ts";

interface TaskFacts {
  readonly facts: readonly TrustFact[];
  /** Names the database, if a yes may be for whatever a person puts into it. */
  readonly store?: string | undefined;
}

/**
 * B-01: the gates of tasks whose database the person has not made: it is a file of the repository, or came with an archive.
 * In any other, a person gave each task its gates.
 */
export async function taskFacts({ root }: Workspace, env: Environment): Promise<TaskFacts> {
  const { file, copy } = await findStore(root);
  const isThere = (await kindOf(file)) !== undefined || (copy !== undefined && (await kindOf(copy)) !== undefined);
  // One that cannot be opened is for the command to report.
  const opened = isThere ? await openStoreToRead(root).catch(() => undefined) : undefined;
  if (opened === undefined) return { facts: [] };
  const { store } = opened;
  try {
    // Others change one that is a file of the repository.
    const name = (await isTracked(file, env)) ? undefined : await storeName(store);
    if (name !== undefined && name === (await madeHere(root, env))) return { facts: [] };
    return { facts: await factsOf(store), store: name };
  } catch {
    // A run may still find a task in it.
    return { facts: [{ key: ".ralph/ralph.db", value: "tasks that ralphctl cannot read", isStrong: false }] };
  } finally {
    await store.close();
  }
}

/** The database that the person made here, or has said yes to. */
async function madeHere(root: string, env: Environment): Promise<string | undefined> {
  const file = trustFile(root, env);
  // Whoever looks for a yes in a damaged one says so.
  const record = file === undefined ? undefined : await readTrust(file).catch(() => undefined);
  return record?.areas[TASKS]?.store;
}

async function factsOf(store: Store): Promise<TrustFact[]> {
  const facts: TrustFact[] = [];
  for await (const { id, gates } of store.each()) {
    for (const gate of gates) facts.push({ key: `task ${id}: gates.${gate.id}.run`, value: gate.run, isStrong: false });
  }
  for (const { task } of await store.openVerdicts()) {
    facts.push({ key: `task ${task.id}`, value: "taken for proven, and lands next", isStrong: false });
  }
  return facts;
}

/** Git is asked only if its index has the name of such a file: to start it takes longer than all else here. */
async function isTracked(file: string, env: Environment): Promise<boolean> {
  const index = textIn(join(gitFolder(dirname(file))?.own ?? "", "index"), "latin1");
  if (index?.includes("ralph.db\0") !== true) return false;
  const { stdout } = await git({ folder: dirname(file), env }, ["ls-files", "--", "ralph.db"]);
  return stdout !== "";
}
