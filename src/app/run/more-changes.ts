import { RalphError } from "../../domain/error.ts";
import { changeIn } from "../../domain/run/ready-changes.ts";
import type { NextScope, RunDeps } from "../../loop/run-deps.ts";
import { reportFollowed } from "../../loop/session-effects.ts";
import { changesIn, freeLost } from "../scopes.ts";
import { openWorkspaceScope, type ScopeChoice } from "../workspace.ts";
import { checkPrompts, type Chosen, proofWarnings } from "./check-work.ts";
import { chooseWork } from "./choose-work.ts";
import { moduleFilter } from "./ready-changes.ts";
import { isElsewhere, planEditor, versionsOf } from "./plan-editor.ts";
import { plansOf } from "./plans.ts";
import { type PartsRequest, partsOf } from "./run-deps.ts";

export interface MoreChanges {
  /** Only changes of this module. */
  readonly module: string | undefined;
  /** Changes that had their turn. */
  readonly tried: ReadonlySet<string>;
}

/** Opens one change after the other that has a ready task, lowest id first. Each has its turn once. */
export function moreChanges(
  parts: PartsRequest,
  more: MoreChanges & { /** An earlier run was killed. */ readonly isCrashed: boolean },
  deps: RunDeps,
): NonNullable<RunDeps["nextScope"]> {
  const { workspace } = parts;
  let isUnderWay = false;
  const taken = new Set([...more.tried, changeIn(parts.scope.key)]);
  return async () => {
    const isOfModule = await moduleFilter(workspace, more.module);
    for (const change of await changesIn(workspace)) {
      if (taken.has(change.name) || !isOfModule(change.name)) continue;
      // Once sessions and gates have run, a mark need not be a person's.
      const editor = isUnderWay ? "agent" : async (own: RunDeps) => await planEditor(own, more);
      const next = await openChange({ ...change.choice, module: more.module }, parts, { deps, editor });
      if (next === undefined) continue;
      taken.add(change.name);
      return next;
    }
    isUnderWay = true;
    return undefined;
  };
}

interface Opening {
  readonly deps: RunDeps;
  readonly editor: "agent" | ((deps: RunDeps) => Promise<"person" | "agent">);
}

/** Undefined if it has no ready task: another change may unblock it. */
async function openChange(
  choice: ScopeChoice,
  parts: PartsRequest,
  { deps, editor }: Opening,
): Promise<NextScope | undefined> {
  const key = `change/${choice.change}`;
  const { workspace, opened, home, landing } = parts;
  const { store } = opened;
  // Sessions may have written its plan by now. Entries that no task has yet are work of the next run, which follows them.
  if (editor === "agent" && !(await hasReady(store, key))) return undefined;
  try {
    const scope = await openWorkspaceScope(workspace, choice);
    const { folder: tree, env } = home;
    const { target } = landing;
    const read = plansOf({
      store,
      root: workspace.root,
      tree,
      env,
      scope,
      versions: async (path) => await versionsOf(home, target, path),
      isElsewhere: async () => await isElsewhere(home, target),
    });
    const by = editor === "agent" ? editor : await editor({ ...deps, plans: read });
    const followed = await read.follow({ editor: by });
    if (!(await hasReady(store, key))) {
      return followed.problems.length === 0 ? undefined : { scope: key, problem: followed.problems.join("; ") };
    }
    const work = await chooseWork({ store, workspace, scope, request: { mode: "build" } });
    if (work.kind !== "build") return undefined;
    const own: PartsRequest = { ...parts, scope };
    const { plans, prompt, rules } = (await partsOf(own)).deps;
    reportFollowed({ deps: { emit: parts.emit } }, followed);
    const { only, size } = work;
    const chosen: Chosen = { mode: "build", only, size, buildsAfterPlan: false };
    const scopeDeps = { scope: key, plans, prompt, rules };
    await checkPrompts({ ...deps, ...scopeDeps }, chosen);
    const notices = [...scope.warnings, ...work.notices, ...(await proofWarnings(own, chosen))];
    return { deps: scopeDeps, only, size, notices };
  } catch (error) {
    // One change that cannot be read must not keep the others from their turn.
    if (!(error instanceof RalphError)) throw error;
    return { scope: key, problem: error.message };
  }
}

async function hasReady(store: PartsRequest["opened"]["store"], key: string): Promise<boolean> {
  await freeLost(store);
  const [counts] = await store.counts([key]);
  return counts !== undefined && counts.ready + counts.retry > 0;
}
