// One line per store. Only app/ looks in here.
export { createMemoryStore } from "./memory.ts";
export { openSqliteStore, randomId } from "./sqlite.ts";
export { isHeld, isParent, isVerified } from "./refusal.ts";
export { isDamage } from "./sqlite/sqlite-error.ts";
