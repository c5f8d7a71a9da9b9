import type { SqliteRows } from "../domain/sqlite-rows.ts";

export { openTasks } from "./open-tasks.ts";
export { readRalphRc } from "./ralphrc.ts";
export { readRalphToml } from "./ralph-toml.ts";
export type { ForeignSettings } from "./settings.ts";

/** A task as another tool has it. */
export interface ForeignTask {
  /** As it is called here. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptance?: readonly string[];
  readonly priority?: number | undefined;
  readonly tags?: readonly string[];
  /** `settled`: done or given up there. */
  readonly state: "open" | "settled" | { readonly question: string };
  readonly parent?: string | undefined;
  readonly needs: readonly string[];
  readonly createdAtMs?: number | undefined;
}

export interface ForeignTasks {
  readonly tasks: readonly ForeignTask[];
  /** What a person should know of the rest. */
  readonly notices: readonly string[];
}

/**
 * The tasks of another tool, which are imported once: its file is its own. Pure; whatever the file holds, the only thing
 * thrown is a `RalphError`, and reading takes time linear in its length. `index.ts` lists them.
 */
export type TaskDatabase = {
  readonly name: string;
  /** The tool, for sentences. */
  readonly tool: string;
  /** Whether a file with this path is read by it. At most one matches. */
  matches(path: string): boolean;
} & (
  | { readonly kind: "text"; read(text: string): ForeignTasks }
  | { readonly kind: "sqlite"; readonly tables: readonly string[]; read(tables: SqliteRows): ForeignTasks }
);
