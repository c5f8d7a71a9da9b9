import { openPostgresStore } from "../../store/index.ts";
import type { Store, StoreFile } from "../../store/store.ts";
import { rootCommit } from "../../system/git/root-commit.ts";
import type { Surroundings } from "../workspace.ts";
import { fleetAddress } from "./fleet-address.ts";

/**
 * What the loop keeps about one clone, by the beginnings of its keys: sessions of its lanes, its plan files, and what
 * ran in its rooms. Everything else is about tasks, and all machines share it.
 */
const LOCAL_KEYS = ["begun/", "own-plans/", "proofs", "gate-habits", "flaky-gates"] as const;

const isLocal = (key: string): boolean => LOCAL_KEYS.some((beginning) => key.startsWith(beginning));

/** The tasks of a fleet, with what is about this clone in a file of its own. */
export const joinStores = (shared: Store, own: Store & StoreFile): Store & StoreFile => ({
  ...shared,
  ...metaOf(shared, own),
  preview: async (work) =>
    await shared.preview(
      async (tasks) => await own.preview(async (file) => await work({ ...tasks, ...metaOf(tasks, file) })),
    ),
  // Agents work beside the file. Nothing of theirs reaches the database.
  snapshot: async () => await own.snapshot(),
  revertTampering: async (before) => await own.revertTampering(before),
  check: async () => await own.check(),
  guard: async () => await own.guard(),
  backupTo: async (path) => await own.backupTo(path),
  close: async () => {
    await shared.close();
    await own.close();
  },
  [Symbol.asyncDispose]: async () => {
    await shared.close();
    await own.close();
  },
});

const metaOf = (shared: Store, own: Store): Pick<Store, "getMeta" | "setMeta" | "updateMeta"> => {
  const of = (key: string): Store => (isLocal(key) ? own : shared);
  return {
    getMeta: async (key) => await of(key).getMeta(key),
    setMeta: async (key, value) => await of(key).setMeta(key, value),
    updateMeta: async (key, next) => await of(key).updateMeta(key, next),
  };
};

/** Opens the fleet's tasks for the clone around a folder. */
export async function bindStore(
  own: Store & StoreFile,
  place: Pick<Surroundings, "cwd" | "env">,
): Promise<Store & StoreFile> {
  const url = await fleetAddress(undefined, place);
  const repository = await rootCommit({ folder: place.cwd, env: place.env });
  return joinStores(await openPostgresStore({ url, repository }), own);
}
