import { loadConfig } from "../config/config.ts";
import { RalphError } from "../domain/error.ts";
import { LAYOUTS } from "../domain/layouts.ts";
import { OWN_PLAN } from "./found/plans.ts";
import { findAll } from "./found/find-all.ts";
import type { FoundItem } from "./found/found.ts";
import { foreignSettings } from "./found/settings.ts";
import { importedIn } from "./found/imported-in.ts";
import { type DatabaseFile, importDatabase } from "./task/import-database.ts";
import { type Caller, writing } from "./task/caller.ts";

/** What `init` makes of the things that are there already. */
export interface InitFound {
  readonly found: readonly FoundItem[];
  /** Plan files to follow; undefined: `auto`. */
  readonly plan: readonly string[] | undefined;
  /** Folders of specs and limits that another tool names. */
  readonly specs: readonly string[];
  readonly limits: Readonly<Record<string, string>>;
}

/** `isNew`: the configuration is about to be written, so that what is found decides it. */
export async function findForInit(root: string, isNew: boolean): Promise<InitFound> {
  const place = { root, layouts: LAYOUTS, isImported: importedIn(root) };
  if (!isNew) return { ...NOTHING, found: await findAll({ ...place, ...(await configured(root)) }) };
  const found = await findAll({ ...place, plan: undefined });
  const files = found.flatMap(({ plan }) => plan ?? []);
  const plan = files.length === 0 || files.join() === OWN_PLAN ? undefined : files;
  const others = (await foreignSettings(root)).flatMap(({ settings }) => settings ?? []);
  return {
    found,
    plan,
    specs: others.flatMap(({ specs }) => specs),
    limits: Object.assign({}, ...others.map(({ limits }) => limits)) as InitFound["limits"],
  };
}

const NOTHING: InitFound = { found: [], plan: undefined, specs: [], limits: {} };

/** A configuration that cannot be read is said elsewhere. */
async function configured(root: string) {
  const loaded = await loadConfig({ cwd: root, env: {} }).catch(() => undefined);
  return { plan: loaded?.config.plan ?? ("auto" as const), layouts: loaded?.config.layouts ?? LAYOUTS };
}

/** The files whose tasks were not imported yet. */
export const databasesIn = (found: readonly FoundItem[]): DatabaseFile[] =>
  found.flatMap(({ database }) => database ?? []);

/** Imports the tasks of a file; a sentence says what came of it. */
export async function importFound(file: DatabaseFile, caller: Caller): Promise<string> {
  try {
    const { added, settled, notices } = await writing(
      caller,
      async ({ store }) => await importDatabase(store, file, { scope: "workspace" }),
    );
    const left = settled === 0 ? "" : `, ${settled} that are done or given up were left there`;
    return [`Imported ${added} from ${file.name}${left}`, ...notices].join(". ");
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return `Nothing was imported from ${file.name}: ${error.message}. ${error.hint ?? ""}`.trim();
  }
}
