import { RalphError } from "../domain/error.ts";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "./error-code.ts";
import { makeFolder, writeAtomicUnsynced } from "./folder.ts";
import { loadSqlite, type SqliteDriver } from "./sqlite-driver.ts";

/**
 * Runs work in one process at a time. SQLite's lock on an empty file, made where it is missing, does it: the system frees
 * it when its holder dies, so it is never stale. The work is synchronous: a second caller in the same process would wait
 * forever. `waitMs` is the longest wait.
 */
export function withFileLock<Result>(
  { driver, file, waitMs }: { readonly driver: SqliteDriver; readonly file: string; readonly waitMs: number },
  work: () => Result,
): Result {
  let db: ReturnType<SqliteDriver["open"]> | undefined;
  try {
    db = driver.open(file);
    db.exec(`PRAGMA busy_timeout = ${waitMs}; BEGIN EXCLUSIVE`);
  } catch (cause) {
    db?.close();
    throw new RalphError("io", `Cannot lock ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: "Try again; if that does not help, remove the file",
      cause,
    });
  }
  try {
    return work();
  } finally {
    db.close();
  }
}

const WRITE_MS = 60_000;

/**
 * Rewrites a text file under a lock, so that concurrent additions all survive. A reader sees the old text or the new
 * one. `before` is undefined if the file does not exist.
 */
export async function rewriteLocked(path: string, change: (before: string | undefined) => string): Promise<void> {
  await makeFolder(dirname(path));
  const driver = await loadSqlite();
  withFileLock({ driver, file: join(dirname(path), ".turn"), waitMs: WRITE_MS }, () =>
    writeAtomicUnsynced(path, change(textAt(path))),
  );
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new RalphError("io", `Cannot read ${path}: ${codeOf(cause)}`, { hint: "Check its permissions", cause });
  }
}
