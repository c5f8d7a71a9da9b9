import type { DatabaseFile } from "../task/import-database.ts";

/** Something that people or their other tools left in a repository, and how ralphctl uses it. */
export interface FoundItem {
  /** As a person calls it: `prd.json`, `openspec/`. */
  readonly name: string;
  /** What it holds: `5 open, 2 done`. */
  readonly what: string;
  /** How it is used, or what to type. */
  readonly use: string;
  /** Of a plan file, before `init`: what `plan` has to name. */
  readonly plan?: string;
  /** Of tasks that were not imported yet. */
  readonly database?: DatabaseFile;
}

/** Where to look, and what is settled already. */
export interface FinderPlace {
  readonly root: string;
  /** The setting; undefined before `init`, which decides it. */
  readonly plan: "auto" | readonly string[] | undefined;
  readonly layouts: readonly string[];
  /** Whether the tasks of a file were imported. */
  readonly isImported: (name: string) => Promise<boolean>;
}

/** One kind of thing to look for. It reads files, and starts and writes nothing (W-06). */
export type Finder = (place: FinderPlace) => Promise<readonly FoundItem[]>;
