import { relative } from "node:path";
import type { Task, TaskId } from "../../domain/task.ts";
import type { Followed, Marked, Plans } from "../../loop/parts.ts";
import type { Scope } from "../../scope/scope.ts";
import type { Store } from "../../store/store.ts";
import { followPlan, type FollowResult } from "../follow-plan.ts";
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
  const results: FollowResult[] = [];
  for (const file of scope.planFiles) {
    results.push(await followPlan({ store, root, file, scope: scope.key, editor, assigned }));
  }
  const followed = results.filter((result) => result.kind === "followed");
  return {
    added: followed.flatMap(({ added }) => added),
    updated: followed.flatMap(({ updated }) => updated),
    dropped: followed.flatMap(({ dropped }) => dropped),
    revived: followed.flatMap(({ revived }) => revived),
    claims: followed.flatMap(({ claims }) => claims),
    putBack: followed.flatMap(({ putBack }) => putBack),
    problems: results.flatMap((result) => ("message" in result ? [result.message] : [])),
  };
}
