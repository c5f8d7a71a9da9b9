// One name per database. No two match the same path.
export { beads } from "./beads.ts";
export { progressDb } from "./progress-db.ts";
export { taskMaster } from "./task-master.ts";
