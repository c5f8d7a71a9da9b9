// One line per store. Only app/ looks in here.
export { openSqliteStore, randomId, type SqliteStore } from "./sqlite.ts";
export { openPostgresStore } from "./postgres.ts";
export { openPostgresFleet } from "./postgres-fleet.ts";
export { fleetSchema, setUpPostgres } from "./postgres/set-up.ts";
export type { MachineLeases } from "./postgres/machines.ts";
export { busyTaskError, parentError, verifiedError } from "./task-errors.ts";
export { isDamage } from "./sqlite/sqlite-error.ts";
