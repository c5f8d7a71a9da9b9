import { join } from "node:path";
import { pathExists } from "../../system/folder.ts";
import { importedKey } from "../task/import-database.ts";
import { openStoreToRead } from "../task-store.ts";

/** Whether the store remembers an import. Creates nothing. */
export const importedIn =
  (root: string) =>
  async (name: string): Promise<boolean> => {
    if (!pathExists(join(root, ".ralph"))) return false;
    const { store } = await openStoreToRead(root);
    try {
      return (await store.getMeta(importedKey(name))) !== undefined;
    } finally {
      await store.close();
    }
  };
