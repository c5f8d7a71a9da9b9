import { RalphError } from "../../domain/error.ts";
import { ensureFolderOf, fileFacts, fileKey, linkAs } from "../../system/store-file.ts";
import { moveIntoPlace, readHead, removeFile } from "../../system/store-file.ts";
import type { SqliteDatabase } from "../../system/sqlite-driver.ts";
import { TABLES } from "../migrations/0003-writers.ts";
import type { GuardReport } from "../store.ts";
import { removeWal, restoreCopy, storeName, writeCopy } from "./backup.ts";
import { all, connect, type Connection, dataVersion, openDatabase, rollback, run } from "./connection.ts";
import { forgetReplacement, isNameOf, replacementOf, takeLock } from "./lock.ts";
import { mergeNewer } from "./merge.ts";
import { DamageError, isBusy, isDamage, TurnError } from "./sqlite-error.ts";

/** Looks after the file of a connection before every write (W-03). The returned function does so at any other time. */
export function fileGuard(
  c: Connection,
  { copy, opened }: { copy: string | undefined; opened: string | undefined },
): () => GuardReport {
  const home = rememberHome(c, opened);
  let report: GuardReport = { kind: "intact" };
  const keepHome = (): void => {
    forgetReplacement(c, copy);
    const why = whatHappened(c, home);
    if (why !== undefined) report = writeBack(c, home, { why, copy });
  };
  c.beforeWrite = keepHome;
  // `keepHome` has just checked the WAL.
  c.isAtHome = () => isNameOf(c.path, home.database);
  return () => {
    keepHome();
    if (isDamaged(c, home) || hasLostTable(c)) report = writeBack(c, home, { why: "damaged", copy });
    const told = report;
    report = { kind: "intact" };
    return told;
  };
}

/** The files that the connection has open, and the state of the database when it was last known to be sound. */
interface Home {
  database: string | undefined;
  wal: string | undefined;
  changedAt: number | undefined;
  generation: number;
}

/** `database` is the file that was opened; another one may have its name by now. */
function rememberHome(c: Connection, database = fileKey(c.path)): Home {
  // Reading makes sure that the WAL is there.
  const generation = generationOf(c.db);
  return { database, wal: fileKey(`${c.path}-wal`), changedAt: fileFacts(c.path)?.changedAt, generation };
}

type Why = Extract<GuardReport, { kind: "restored" }>["why"];

/** Whether the files were deleted or replaced. Costs two calls of `stat`. */
function whatHappened(c: Connection, home: Home): Why | undefined {
  const now = fileKey(c.path);
  if (now === undefined) return "deleted";
  if (now !== home.database) return "replaced";
  // Without the WAL, the next process would begin another one, and nobody would see ours.
  return fileKey(`${c.path}-wal`) === home.wal ? undefined : "deleted";
}

/** Whether the file is damaged. Reads all of it, but only if it was written since the last time. */
function isDamaged(c: Connection, home: Home): boolean {
  const facts = fileFacts(c.path);
  if (facts === undefined || facts.changedAt === home.changedAt) return false;
  if (!hasSoundHead(c.path, facts.size)) return true;
  try {
    const found = c.db.prepare("PRAGMA quick_check(1)").get();
    home.changedAt = facts.changedAt;
    return found?.["quick_check"] !== "ok";
  } catch (error) {
    if (isDamage(error)) return true;
    throw error;
  }
}

/** Triggers cannot prevent that a table is dropped. */
const hasLostTable = (c: Connection): boolean =>
  all(c, "SELECT name FROM sqlite_schema WHERE type = 'table'").filter(({ name }) => TABLES.includes(String(name)))
    .length < TABLES.length;

/** It begins as every SQLite file does, and has as many pages as its header says. */
function hasSoundHead(path: string, size: number): boolean {
  const head = readHead(path, 100);
  if (head.length < 100 || head.toString("latin1", 0, 16) !== "SQLite format 3\0") return false;
  const stored = head.readUInt16BE(16);
  const pageSize = stored === 1 ? 65_536 : stored;
  return size >= head.readUInt32BE(28) * pageSize;
}

/**
 * Restores the store and opens it again. If another process has done so already, which a higher generation tells, it
 * opens that file: it may have newer changes.
 */
function writeBack(c: Connection, home: Home, { why, copy }: { why: Why; copy: string | undefined }): GuardReport {
  // The folder may be gone with the file.
  ensureFolderOf(c.path);
  const unlock = takeLock(c.driver, { path: c.path, copy });
  try {
    if (why !== "damaged" && isNewer(c, home)) {
      c.db.close();
      reopen(c);
      Object.assign(home, rememberHome(c));
      return { kind: "restored", why, from: "handle" };
    }
    const from = why === "damaged" ? useCopy(c, copy) : useHandle(c, home, copy);
    // Before others may replace it again.
    Object.assign(home, rememberHome(c));
    return { kind: "restored", why, from };
  } finally {
    unlock();
  }
}

/**
 * Restores what the connection sees, merged with what a person has added meanwhile to a file restored from the copy.
 * Both are locked until the new file is in place, so that nobody commits to a file that is about to be replaced.
 */
function useHandle(c: Connection, home: Home, copy: string | undefined): "handle" | "copy" {
  const part = replacementOf(c.path);
  const before = dataVersion(c);
  try {
    writeCopy(c, part);
  } catch (error) {
    removeFile(part);
    if (!isDamage(error)) throw error;
    return useCopy(c, copy);
  }
  const other = lockCopyOfSame(c, home);
  try {
    c.db.exec("BEGIN IMMEDIATE");
    if (dataVersion(c) !== before) throw new TurnError("Another process has written since");
    complete(connect({ ...c, path: part, onWrite: undefined }), home.generation + 1, other);
    // SQLite would take another file's WAL for ours. The rename is atomic, so a crash here loses nothing.
    moveIntoPlace(part, c.path, () => removeWal(c.path));
  } catch (error) {
    rollback(c);
    throw error;
  } finally {
    removeFile(part);
    other?.db.close();
  }
  c.db.close();
  reopen(c);
  return "handle";
}

function complete(made: Connection, generation: number, other: Connection | undefined): void {
  try {
    run(made, "INSERT OR REPLACE INTO meta (key, value) VALUES ('generation', ?)", String(generation));
    if (other !== undefined) mergeOrKeep(made, other);
  } finally {
    made.db.close();
  }
}

function mergeOrKeep(made: Connection, other: Connection): void {
  made.db.exec("BEGIN");
  try {
    mergeNewer(made, other);
    made.db.exec("COMMIT");
  } catch (error) {
    made.db.exec("ROLLBACK");
    if (!(error instanceof RalphError)) throw error;
    // They contradict each other, for example by a cycle: a person has to choose, so both stay.
    linkAs(other.path, `${other.path}.${other.handle()}.kept`);
  }
}

/** Opens and locks the file that is there now, if it is a copy of this store. Its WAL is emptied first. */
function lockCopyOfSame(c: Connection, home: Home): Connection | undefined {
  const now = fileKey(c.path);
  if (now === undefined || now === home.database || !isSameStore(c)) return undefined;
  const other = connect({ ...c, onWrite: undefined });
  try {
    other.db.exec("PRAGMA wal_checkpoint(TRUNCATE); BEGIN IMMEDIATE");
    if ((fileFacts(`${c.path}-wal`)?.size ?? 0) > 0) throw new TurnError("Somebody reads or writes it just now");
    return other;
  } catch (error) {
    other.db.close();
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function isSameStore(c: Connection): boolean {
  const name = storeName(c.db);
  return name !== undefined && look(c, storeName) === name;
}

function useCopy(c: Connection, copy: string | undefined): "copy" {
  if (copy === undefined || fileKey(copy) === undefined) {
    throw new RalphError("io", `The task database \`${c.path}\` was damaged, and there is no copy of it`, {
      hint: "Look at it with: ralphctl doctor",
      cause: new DamageError("quick_check"),
    });
  }
  c.db.close();
  restoreCopy(c.driver, { from: copy, to: c.path });
  reopen(c);
  return "copy";
}

function reopen(c: Connection): void {
  c.statements.clear();
  c.db = openDatabase(c);
  c.db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  c.isMarked = false;
}

const isNewer = (c: Connection, home: Home): boolean => (look(c, generationOf) ?? 0) > home.generation;

/** Reads from the file that is there now; undefined if there is none, or if it is not a store. */
function look<Result>(c: Connection, question: (db: SqliteDatabase) => Result): Result | undefined {
  if (fileKey(c.path) === undefined) return undefined;
  try {
    const db = openDatabase(c);
    try {
      return question(db);
    } finally {
      db.close();
    }
  } catch (error) {
    if (isBusy(error)) throw error;
    return undefined; // whatever lies there, it is not a store
  }
}

const generationOf = (db: SqliteDatabase): number =>
  Number(db.prepare("SELECT value FROM meta WHERE key = 'generation'").get()?.["value"] ?? 0);
