import { namesInLine } from "../../domain/verdict-report.ts";
import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { pathExists } from "../../system/folder.ts";
import { changeOf } from "../../domain/change.ts";
import { parseShelvedWork } from "../../domain/run/shelved-work.ts";
import { isSettled } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";
import { mergeTrees } from "../../system/git/merge-trees.ts";
import type { Repository } from "../../system/git/repository.ts";
import { restoreFiles } from "../../system/git/restore.ts";
import { committedBetween, snapshot } from "../../system/git/snapshot.ts";
import { readWork, readWorkAt, renameWork } from "../../system/git/work-ref.ts";
import { withHome } from "../run/with-home.ts";
import { type Caller, reading } from "../task/caller.ts";
import { openWorkspace } from "../workspace.ts";

export interface TakenWork {
  readonly task: string;
  readonly title: string;
  /** The paths that changed; none: the tree had all of it. */
  readonly paths: readonly string[];
}

/**
 * L-42: brings the unproven work of a task into the person's tree, as uncommitted changes. Refused whole where it meets
 * changes of the person's; the ref stays.
 */
export async function takeWork(asked: string, caller: Caller): Promise<TakenWork> {
  const workspace = await openWorkspace(caller);
  const { task, shelved } = await reading(caller, async ({ store }) => await findTask(store, asked));
  const { id, title } = task;
  return await withHome({ host: caller, root: workspace.root, scope: "workspace" }, async ({ home }) => {
    const work = (await readWork(home, id)) ?? (shelved && (await readWorkAt(home, shelved.ref)));
    if (work === undefined) throw noWork(id);
    const now = await snapshot(home);
    const head = now.head ?? work.base;
    const merged = await mergeTrees(home, { base: work.base, ours: head, theirs: work.tree });
    if (merged.kind === "conflict") {
      throw new RalphError(
        "usage",
        `The work of ${id} conflicts with your last commit, in ${namesInLine(merged.paths, 10)}`,
        {
          hint: `Take it by hand: git cherry-pick --no-commit -m 1 ${work.commit}`,
        },
      );
    }
    const changes = [...(await committedBetween(home, head, merged.tree)).values()];
    const states = new Map(now.changed.map((state) => [state.path, state]));
    // After a kill a part of it is there already.
    const wanted = changes.filter(({ path, after }) => {
      const state = states.get(path);
      return state === undefined || changeOf(path, state.now, after) !== undefined;
    });
    refuseChanged(home, { id, wanted, states });
    const { left } = await restoreFiles(
      home,
      wanted.map(({ path, after }) => ({ path, state: after })),
    );
    if (left.length > 0) {
      throw new RalphError("usage", `ralphctl took the work of ${id} except ${namesInLine(left, 10)}`, {
        hint: `See the rest: git diff ${work.base.slice(0, 10)} ${work.commit.slice(0, 10)}`,
      });
    }
    return { task: id, title, paths: wanted.map(({ path }) => path) };
  });
}

/** T-24: a task that failed has its last work under a ref of the run. */
async function findTask(store: Store, asked: string) {
  const task = (await store.get(await store.resolve(asked)))!;
  const kept = isSettled(task.status) ? [] : await store.log(task.id, ["kept"]);
  const shelved = kept.flatMap(({ by, text }) => (by === "loop" ? [parseShelvedWork(text)] : [])).at(-1);
  return { task, shelved };
}

export interface DroppedWork extends Pick<TakenWork, "task" | "title"> {
  /** Keeps it until nobody needs it. */
  readonly ref: string;
}

/** Lets the next session of a task begin without its unproven work, which a ref keeps. */
export async function dropUnproven(asked: string, caller: Caller): Promise<DroppedWork> {
  const { root } = await openWorkspace(caller);
  const { id, title } = (await reading(caller, async ({ store }) => await findTask(store, asked))).task;
  return await withHome({ host: caller, root, scope: "workspace" }, async ({ home }) => {
    const work = await readWork(home, id);
    const ref = `refs/ralph/lost/${work?.commit.slice(0, 16)}`;
    if (work === undefined || (await renameWork(home, id, ref)) === undefined) throw noWork(id);
    return { task: id, title, ref };
  });
}

const noWork = (id: string): RalphError =>
  new RalphError("usage", `${id} has no unproven work`, { hint: "Run ralphctl lanes to see which tasks have" });

type Change = { readonly path: string; readonly before?: unknown };

function refuseChanged(
  home: Repository,
  about: { readonly id: string; readonly wanted: readonly Change[]; readonly states: ReadonlyMap<string, unknown> },
): void {
  const { id, wanted, states } = about;
  const isBelow = (path: string, other: string): boolean => path.startsWith(`${other}/`);
  const dirty = [...states.keys()];
  const isInTheWay = ({ path, before }: Change): boolean =>
    dirty.some((other) => other === path || isBelow(other, path) || isBelow(path, other)) ||
    // Git ignores a file that lies there: only the person has it.
    (before === undefined && pathExists(join(home.folder, path)));
  const paths = wanted.filter(isInTheWay).map(({ path }) => path);
  if (paths.length === 0) return;
  throw new RalphError(
    "usage",
    `The work of ${id} and your uncommitted changes are in the same files: ${namesInLine(paths, 10)}`,
    {
      hint: "Commit, stash or move yours, and run this command again",
    },
  );
}
