import type { Config } from "../../config/config.ts";
import type { Spent } from "../../domain/run/ready-changes.ts";
import { readDocument } from "../../scope/scope.ts";
import { laneCount } from "./lane-count.ts";
import { changesIn, type ListedScope, scopeStates } from "../scopes.ts";
import { previewStore } from "../task-store.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings, type Workspace } from "../workspace.ts";

export interface ReadyChangesRequest {
  /** Only changes of this module: those whose id begins with its id. */
  readonly module: string | undefined;
  /** Changes that already ran. */
  readonly tried: ReadonlySet<string>;
  readonly spent: Spent;
}

export type NextChange =
  | { readonly kind: "change"; readonly id: string; /** How many agents work at once. */ readonly lanes: number }
  | { readonly kind: "none" }
  /** Something is ready, but cost, tokens or time are used up. */
  | { readonly kind: "spent"; readonly id: string };

/** The change with the lowest id that has a task which can be worked on now, and did not have its turn yet. */
export async function nextReadyChange(request: ReadyChangesRequest, surroundings: Surroundings): Promise<NextChange> {
  const workspace = await openWorkspace(surroundings);
  const isOfModule = await moduleFilter(workspace, request.module);
  const candidates = (await changesIn(workspace)).filter(({ name }) => isOfModule(name) && !request.tried.has(name));
  if (candidates.length === 0) return { kind: "none" };
  const ready = await previewStore(workspace.root, async (store) => {
    for (const candidate of candidates) {
      const [found] = await scopeStates(store, workspace, [candidate]);
      if (found !== undefined && hasItsTurn(found)) return found.name;
    }
    return undefined;
  });
  if (ready === undefined) return { kind: "none" };
  if (isSpent(workspace.config, request.spent)) return { kind: "spent", id: ready };
  return { kind: "change", id: ready, lanes: laneCount(workspace.config) };
}

/** A change without tasks needs a plan first. An unreadable one runs, so that its run reports why. */
const hasItsTurn = ({ next, counts, problems }: ListedScope): boolean =>
  next === "build" ? counts !== undefined : next === "nothing" && problems.length > 0;

export async function moduleFilter(
  workspace: Workspace,
  module: string | undefined,
): Promise<(change: string) => boolean> {
  if (module === undefined) return () => true;
  // Throws if the module does not exist.
  await openWorkspaceScope(workspace, { module });
  const { root, config } = workspace;
  const id = (await readDocument({ root, layouts: config.layouts }, "module", module))?.id;
  return (change) => change.startsWith(`${id}-`);
}

const isSpent = ({ limits: { cost, tokens, time } }: Config, spent: Spent): boolean =>
  (cost !== null && spent.costUsd >= cost) ||
  (tokens !== null && spent.tokens >= tokens) ||
  (time !== null && spent.durationMs >= time);
