import type { FileChange } from "./change.ts";

/** How a task that landed changed files: by path, git's hashes of the content before and after. */
export interface LandedWork {
  readonly task: string;
  readonly files: Readonly<Record<string, readonly [before: string, after: string]>>;
}

/** No file. */
const NONE = "";

/** With the work of one more task. Files that it only gave their earlier content are left off: that may be done again. */
export function withWork(landed: readonly LandedWork[], task: string, changes: readonly FileChange[]): LandedWork[] {
  const reverted = new Set(takenBack(changes, landed).flatMap(({ paths }) => paths));
  const files = changes
    .filter(({ path }) => !reverted.has(path))
    .map(({ path, before, after }) => [path, [before?.hash ?? NONE, after?.hash ?? NONE] as const]);
  return files.length === 0
    ? [...landed]
    : [...landed, { task, files: Object.fromEntries(files) as LandedWork["files"] }];
}

export interface RevertedWork {
  readonly task: string;
  readonly paths: readonly string[];
}

/**
 * The tasks whose landed work a candidate takes back: it gives files the exact content that they had before. A file that
 * such a task made counts only if nothing of the task's work is left: files move, and become others.
 */
export function takenBack(changes: readonly FileChange[], landed: readonly LandedWork[]): RevertedWork[] {
  const states = new Map(changes.map((change) => [change.path, change]));
  const found = new Map<string, Set<string>>();
  for (const { path, before, after } of changes) {
    if (GENERATED.test(path)) continue;
    const tasks = undone(path, { now: before?.hash ?? NONE, again: after?.hash ?? NONE }, landed);
    for (const work of tasks) {
      const isWhole = Object.entries(work.files).every(
        ([other, [old]]) => states.has(other) && (states.get(other)!.after?.hash ?? NONE) === old,
      );
      // What comes back with it does not replace it.
      const more = changes.filter((change) => change.path === path || work.files[change.path] === undefined);
      if (after !== undefined || (isWhole && !isReplaced(path, more)))
        found.set(work.task, (found.get(work.task) ?? new Set()).add(path));
    }
  }
  return [...found].map(([task, paths]) => ({ task, paths: [...paths].sort() }));
}

const GENERATED = /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|[\w.-]*\.lock|go\.sum)$/;

/** The last tasks that changed a file, back to the one before which it was as it would be again. */
function undone(
  path: string,
  { now, again }: { now: string; again: string },
  landed: readonly LandedWork[],
): LandedWork[] {
  const tasks: LandedWork[] = [];
  let expected = now;
  for (const work of landed.toReversed()) {
    const [before, after] = work.files[path] ?? [];
    if (before === undefined) continue;
    if (after !== expected) return [];
    tasks.push(work);
    if (before === again) return tasks;
    expected = before;
  }
  return [];
}

/** Whether a new file has the name, without its ending, or the content. */
function isReplaced(path: string, changes: readonly FileChange[]): boolean {
  const stem = (of: string): string => of.slice(of.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  const old = changes.find((change) => change.path === path)?.before?.hash;
  return changes.some(
    ({ kind, path: other, after }) => kind === "added" && (stem(other) === stem(path) || after?.hash === old),
  );
}

/** Whether a task says by its title that something goes. */
export const asksToTakeBack = (title: string): boolean =>
  /\b(?:revert|undo|roll(?:s|ed|ing)?[ -]?back|back out|remov|delet|drop|retire|get rid|replac|renam|mov|rewrit|clean)/i.test(
    title,
  );
