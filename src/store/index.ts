// One line per store. Only app/ looks in here.
export { createMemoryStore } from "./memory.ts";
export { openSqliteStore, randomId, restoreSqliteStore, type SqliteOptions } from "./sqlite.ts";
