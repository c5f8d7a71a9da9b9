// One line per store. Only app/ looks in here.
export { createMemoryStore } from "./memory.ts";
export { openSqliteStore, randomId, restoreSqliteStore } from "./sqlite.ts";
export { isDamage } from "./sqlite/sqlite-error.ts";
