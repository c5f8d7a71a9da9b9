import { RalphError } from "../../domain/error.ts";
import { openWorkspace, type Surroundings } from "../workspace.ts";
import { findDatabases } from "./databases.ts";
import type { Finder, FoundItem, FinderPlace } from "./found.ts";
import { importedIn } from "./imported-in.ts";
import { findPlans } from "./plans.ts";
import { findChanges, findContexts, findSprints } from "./scopes.ts";
import { findForeignGates, findSettings } from "./settings.ts";

/** In the order in which people read them. A new kind of thing is one line here. */
const FINDERS: readonly Finder[] = [
  findPlans,
  findDatabases,
  findChanges,
  findSprints,
  findForeignGates,
  findContexts,
  findSettings,
];

/** All that is there. */
export async function findAll(place: FinderPlace): Promise<FoundItem[]> {
  const lists = await Promise.all(FINDERS.map(async (find) => await find(place)));
  return lists.flat();
}

/** The same for a workspace; nothing if its configuration cannot be read, which others say. */
export async function findInWorkspace(surroundings: Surroundings): Promise<FoundItem[]> {
  try {
    const { root, config } = await openWorkspace(surroundings);
    return await findAll({ root, plan: config.plan, layouts: config.layouts, isImported: importedIn(root) });
  } catch (error) {
    if (error instanceof RalphError) return [];
    throw error;
  }
}
