import { join } from "node:path";
import { openSqliteStore } from "../store/index.ts";
import type { Store } from "../store/store.ts";
import { inTemporaryFolder } from "../system/temporary-folder.ts";
import { openStoreToRead } from "./task-store.ts";

/** Does something with a copy of the tasks around a folder: what is changed there has never happened. */
export async function onStoreCopy<Result>(
  cwd: string,
  work: (store: Store, notices: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const opened = await openStoreToRead(cwd);
  try {
    return await withCopy(opened.store, async (store) => await work(store, opened.notices));
  } finally {
    await opened.store.close();
  }
}

/** The same for a store that is open. */
export async function withCopy<Result>(from: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  return await inTemporaryFolder("tasks", async (folder) => {
    const path = join(folder, "ralph.db");
    await from.backupTo(path);
    const store = await openSqliteStore({ path });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  });
}
