import { join } from "node:path";
import { openSqliteStore } from "../store/index.ts";
import type { Store } from "../store/store.ts";
import { openTemporaryFolder } from "../system/temporary-folder.ts";
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

/**
 * The same for a store that is open. The copy is made when something is first to be written: that takes as long as
 * there are tasks, and most of those who look find everything as it should be.
 */
export async function withCopy<Result>(from: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  let copy: Promise<Copy> | undefined;
  const copied = async (): Promise<Store> => (await (copy ??= makeCopy(from))).store;
  try {
    return await work(copyOnWrite(from, copied));
  } finally {
    await (await copy)?.remove();
  }
}

interface Copy {
  readonly store: Store;
  readonly remove: () => Promise<void>;
}

async function makeCopy(from: Store): Promise<Copy> {
  const folder = await openTemporaryFolder("tasks");
  try {
    const path = join(folder.path, "ralph.db");
    await from.copyTo(path);
    const store = await openSqliteStore({ path });
    const remove = async (): Promise<void> => {
      await store.close();
      await folder.remove();
    };
    return { store, remove };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** What only looks; all else may write. */
const READS: ReadonlySet<PropertyKey> = new Set<keyof Store>([
  "get",
  "resolve",
  "list",
  "each",
  "ready",
  "tree",
  "scopes",
  "counts",
  "dependents",
  "openVerdicts",
  "log",
  "attempts",
  "getMeta",
]);

/** A store that is `from` until something of it is called that may write, and from then on the copy. */
function copyOnWrite(from: Store, copied: () => Promise<Store>): Store {
  let now = from;
  const call = (name: PropertyKey, args: readonly unknown[]): unknown =>
    Reflect.apply(Reflect.get(now, name), now, args);
  return new Proxy(from, {
    get: (_, name) => {
      // Whoever waits for a promise asks each value whether it is one.
      if (!(name in from)) return undefined;
      if (READS.has(name)) return (...args: readonly unknown[]) => call(name, args);
      return async (...args: readonly unknown[]) => {
        now = await copied();
        return await call(name, args);
      };
    },
  });
}
