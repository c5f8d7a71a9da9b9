import { join } from "node:path";
import { inTemporaryFolder } from "../../system/temporary-folder.ts";
import { writeCopy } from "./backup.ts";
import { connect, type Connection, patiently, type Preview, rollback } from "./connection.ts";
import { MEMORY } from "./open.ts";
import { isBusy, isReadOnly } from "./sqlite-error.ts";

/**
 * Runs `work` in a transaction that is rolled back, on a connection of its own: what others do with this one meanwhile
 * is not part of it. It takes the write lock with its first write. If another process has written since it began
 * to read, SQLite refuses that, and it starts over, with the lock from the beginning.
 */
export async function preview<Result>(c: Connection, work: (c: Connection) => Promise<Result>): Promise<Result> {
  if (c.preview !== undefined || c.path === MEMORY) return await withinConnection(c, work);
  // The file may have been taken away; a connection opened by its name would be to an empty one.
  await patiently(c, () => c.beforeWrite?.());
  let tried = await onOwnConnection(c, "BEGIN", work);
  if (isBusy(tried.failure)) tried = await onOwnConnection(c, "BEGIN IMMEDIATE", work);
  else if (isReadOnly(tried.failure)) tried = await onCopy(c, work);
  if (tried.failure !== undefined) throw tried.failure;
  return tried.result!;
}

/** A database that may not be written is copied first. */
const onCopy = <Result>(c: Connection, work: (c: Connection) => Promise<Result>): Promise<Outcome<Result>> =>
  inTemporaryFolder("tasks", async (folder) => {
    const path = join(folder, "ralph.db");
    await patiently(c, () => writeCopy(c, path));
    return await onOwnConnection({ ...c, path }, "BEGIN", work);
  });

interface Outcome<Result> {
  readonly result?: Result;
  /** Of SQLite's; `work` may have caught it, and its result is worth nothing. */
  readonly failure: Error | undefined;
}

async function onOwnConnection<Result>(
  c: Connection,
  begin: "BEGIN" | "BEGIN IMMEDIATE",
  work: (c: Connection) => Promise<Result>,
): Promise<Outcome<Result>> {
  const own = connect(c);
  try {
    await patiently(own, () => own.db.exec(begin));
    const tried: Preview = { failure: undefined };
    own.preview = tried;
    try {
      const result = await work(own);
      return { result, failure: tried.failure };
    } catch (error) {
      if (tried.failure === undefined) throw error;
      return tried;
    } finally {
      rollback(own);
    }
  } finally {
    own.db.close();
  }
}

/** A preview inside another one, or of a database that only this connection can see. */
async function withinConnection<Result>(c: Connection, work: (c: Connection) => Promise<Result>): Promise<Result> {
  const tried: Preview = c.preview ?? { failure: undefined };
  c.db.exec("SAVEPOINT preview");
  try {
    const result = await work(Object.assign(Object.create(c), { preview: tried }));
    if (tried.failure !== undefined) throw tried.failure;
    return result;
  } finally {
    rollback(c, "preview");
  }
}
