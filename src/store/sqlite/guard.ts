import { RalphError } from "../../domain/error.ts";
import { ensureFolderOf, fileFacts, fileKey, moveIntoPlace, readHead, removeFile } from "../../system/store-file.ts";
import type { GuardReport } from "../store.ts";
import { restoreCopy, writeCopy } from "./backup.ts";
import { type Connection, get, openDatabase } from "./connection.ts";
import { takeLock } from "./lock.ts";
import { isDamage } from "./sqlite-error.ts";

/** Which files the handle has open, and what its database looked like when it was last known to be sound. */
export interface Home {
  database: string | undefined;
  wal: string | undefined;
  changedAt: number | undefined;
  generation: number;
}

export function rememberHome(c: Connection): Home {
  // Reading makes sure that the WAL is there.
  const generation = generationOf(c);
  return {
    database: fileKey(c.path),
    wal: fileKey(`${c.path}-wal`),
    changedAt: fileFacts(c.path)?.changedAt,
    generation,
  };
}

type Why = Extract<GuardReport, { kind: "restored" }>["why"];

/** What has become of the files. Cheap: two looks at the folder. */
export function whatHappened(c: Connection, home: Home): Why | undefined {
  const now = fileKey(c.path);
  if (now === undefined) return "deleted";
  if (now !== home.database) return "replaced";
  // A WAL that is gone is as bad: the next process would begin another one, and ours would be for nobody.
  return fileKey(`${c.path}-wal`) === home.wal ? undefined : "deleted";
}

/** The file is the right one, but is it sound? It is read through only when it was written to since the last time. */
export function isDamaged(c: Connection, home: Home): boolean {
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

/** The first bytes of every SQLite file, and as many pages as its header says. */
function hasSoundHead(path: string, size: number): boolean {
  const head = readHead(path, 100);
  if (head.length < 100 || head.toString("latin1", 0, 16) !== "SQLite format 3\0") return false;
  const stored = head.readUInt16BE(16);
  const pageSize = stored === 1 ? 65_536 : stored;
  return size >= head.readUInt32BE(28) * pageSize;
}

/**
 * Writes the store back and opens it again. When another process has done so already, its file, which says so by a
 * higher generation, is taken instead: it may have gone on from there.
 */
export function writeBack(
  c: Connection,
  home: Home,
  { why, copy }: { why: Why; copy: string | undefined },
): GuardReport {
  // The folder may be gone with the file.
  ensureFolderOf(c.path);
  const unlock = takeLock(c.driver, { path: c.path, copy });
  try {
    if (why !== "damaged" && isNewer(c, home)) {
      close(c);
      reopen(c);
      return { kind: "restored", why, from: "handle" };
    }
    const from = why === "damaged" ? useCopy(c, copy) : useHandle(c, home, copy);
    return { kind: "restored", why, from };
  } finally {
    unlock();
  }
}

function useHandle(c: Connection, home: Home, copy: string | undefined): "handle" | "copy" {
  const part = `${c.path}.${c.handle}.part`;
  try {
    writeCopy(c, part);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return useCopy(c, copy);
  }
  close(c);
  const db = openDatabase({ driver: c.driver, path: part });
  db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('generation', ?)").run(String(home.generation + 1));
  db.close();
  // A strange WAL would be taken for ours. The file itself is replaced in one step: whoever dies here loses nothing.
  for (const suffix of ["-wal", "-shm"]) removeFile(`${c.path}${suffix}`);
  moveIntoPlace(part, c.path);
  reopen(c);
  return "handle";
}

function useCopy(c: Connection, copy: string | undefined): "copy" {
  if (copy === undefined || fileKey(copy) === undefined) {
    throw new RalphError("io", `The task database \`${c.path}\` was damaged, and there is no copy of it`, {
      hint: "Look at it with: ralphctl doctor",
    });
  }
  close(c);
  restoreCopy(c.driver, { from: copy, to: c.path });
  reopen(c);
  return "copy";
}

function close(c: Connection): void {
  c.statements.clear();
  c.db.close();
}

function reopen(c: Connection): void {
  c.statements.clear();
  c.db = openDatabase(c);
  c.db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  c.isMarked = false;
}

function isNewer(c: Connection, home: Home): boolean {
  if (fileKey(c.path) === undefined) return false;
  try {
    const db = openDatabase(c);
    try {
      const row = db.prepare("SELECT value FROM meta WHERE key = 'generation'").get();
      return Number(row?.["value"] ?? 0) > home.generation;
    } finally {
      db.close();
    }
  } catch {
    return false; // whatever lies there, it is not a store
  }
}

const generationOf = (c: Connection): number =>
  Number(get(c, "SELECT value FROM meta WHERE key = 'generation'")?.["value"] ?? 0);
