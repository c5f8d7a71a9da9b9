// One line per store. Only app/ looks in here.
export { openSqliteStore, randomId, type SqliteStore } from "./sqlite.ts";
export { isHeld, isParent, isVerified } from "./refusal.ts";
export { isDamage } from "./sqlite/sqlite-error.ts";
