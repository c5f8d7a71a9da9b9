import { tasks } from "./0001-tasks.ts";
import { revisions } from "./0002-revisions.ts";
import { writers } from "./0003-writers.ts";
import { mayChange } from "./0004-may-change.ts";
import { ownWork } from "./0005-own-work.ts";

/** Forward only; the number of a migration is its place. Never edit one that was released: add another. */
export const migrations: readonly string[] = [tasks, revisions, writers, mayChange, ownWork];
