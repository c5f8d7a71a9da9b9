import * as databases from "../../foreign/index.ts";
import { type ForeignTasks, openTasks, type TaskDatabase } from "../../foreign/foreign.ts";
import { RalphError } from "../../domain/error.ts";
import type { AddCounts, Store } from "../../store/store.ts";
import { foreignRows } from "../../system/foreign-database.ts";
import { readTextFile } from "../../system/text-file.ts";

export const taskDatabases: readonly TaskDatabase[] = Object.values(databases);

/** A file of another tool, whose open tasks are copied. */
export interface DatabaseFile {
  /** For sentences. */
  readonly name: string;
  readonly path: string;
  readonly database: TaskDatabase;
}

export interface DatabaseImport extends AddCounts {
  readonly format: string;
  /** How many tasks the other tool has settled: they were left there. */
  readonly settled: number;
  readonly notices: readonly string[];
}

const LIMIT_BYTES = 64 * 1024 * 1024;

/** Adds the open tasks that are not there yet, all or none; those that are there stay as they are. */
export async function importDatabase(
  store: Store,
  file: DatabaseFile,
  { scope }: { readonly scope: string },
): Promise<DatabaseImport> {
  const { name, tool } = file.database;
  const { tasks, settled, notices } = openTasks(await read(file), { scope, tag: name });
  const added = await store.add(tasks, { by: "person", onExisting: "skip" });
  await store.apply({ meta: [{ key: importedKey(file.name), value: tool }] }, "person");
  return { format: name, added: added.length, updated: 0, kept: tasks.length - added.length, settled, notices };
}

/** Where the store remembers that a file was imported. */
export const importedKey = (name: string): string => `imported:${name}`;

async function read({ name, path, database }: DatabaseFile): Promise<ForeignTasks> {
  const missing = () => new RalphError("data", `There is no file ${name}`, { hint: "Check the name" });
  try {
    if (database.kind === "sqlite") {
      const tables = await foreignRows(path, database.tables);
      if (tables === undefined) throw missing();
      return database.read(tables);
    }
    const text = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: `The file ${name}` });
    if (text === undefined) throw missing();
    return database.read(text);
  } catch (error) {
    if (!(error instanceof RalphError) || error.message.includes(name)) throw error;
    throw new RalphError(error.kind, `${name}: ${error.message}`, { hint: error.hint, cause: error });
  }
}
