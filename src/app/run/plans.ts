import { relative } from "node:path";
import type { Task, TaskId } from "../../domain/task.ts";
import type { Followed, Marked, Plans } from "../../loop/loop.ts";
import type { Scope } from "../../scope/scope.ts";
import type { Store } from "../../store/store.ts";
import { followPlan } from "../follow-plan.ts";
import { markPlan } from "../mark-plan.ts";

export interface PlansPlace {
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  /** The top of the working tree. */
  readonly tree: string;
  readonly scope: Scope;
}

/** The plan files of a scope, as the loop follows and marks them. */
export function plansOf(place: PlansPlace): Plans {
  const { store, root, tree, scope } = place;
  const above = relative(tree, root);
  const inTree = (path: string): string => (above === "" ? path : `${above}/${path}`);
  return {
    files: scope.planFiles.map(inTree),
    specs: scope.specsDirs.map(inTree),
    follow: async ({ editor, assigned }) => await followAll(place, editor, assigned),
    mark: async (task, as) => {
      if (task.source === undefined || !scope.planFiles.includes(task.source.file)) return NOT_MARKED;
      const only = [task.id, ...(await parentsOf(store, task))];
      const asDone = as === "done" ? task.id : undefined;
      const result = await markPlan({ store, root, file: task.source.file, only, asDone });
      if (result.kind === "missing") return NOT_MARKED;
      if (result.kind !== "marked") return { hasChanged: false, problems: [result.message] };
      const problems = result.unmarked.map(
        ({ id, problem }) => `${id} could not be marked in ${result.file}: ${problem}`,
      );
      return { hasChanged: result.changed, problems };
    },
  };
}

const NOT_MARKED: Marked = { hasChanged: false, problems: [] };

async function parentsOf(store: Store, { parent }: Task): Promise<TaskId[]> {
  const task = parent === undefined ? undefined : await store.get(parent);
  return task === undefined ? [] : [task.id, ...(await parentsOf(store, task))];
}

async function followAll(
  { store, root, scope }: PlansPlace,
  editor: "person" | "agent",
  assigned: TaskId | undefined,
): Promise<Followed> {
  let all: Followed = NOTHING;
  for (const file of scope.planFiles) {
    const result = await followPlan({ store, root, file, scope: scope.key, editor, assigned });
    if (result.kind === "missing") continue;
    if (result.kind !== "followed") {
      all = { ...all, problems: [...all.problems, result.message] };
      continue;
    }
    all = {
      added: [...all.added, ...result.added],
      updated: [...all.updated, ...result.updated],
      dropped: [...all.dropped, ...result.dropped],
      revived: [...all.revived, ...result.revived],
      claims: [...all.claims, ...result.claims],
      putBack: [...all.putBack, ...result.putBack],
      problems: all.problems,
    };
  }
  return all;
}

const NOTHING: Followed = { added: [], updated: [], dropped: [], revived: [], claims: [], putBack: [], problems: [] };
