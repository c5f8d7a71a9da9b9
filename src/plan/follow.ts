import type { TaskName } from "../domain/run/event.ts";
import type { ChangeWhen, TaskEdits, TaskUpdate } from "../domain/task-edits.ts";
import type { NewTask, TaskPatch } from "../domain/task-input.ts";
import { DEFAULT_PRIORITY, type Task, type TaskId } from "../domain/task.ts";
import type { EntryLinks, MarkChange, PlanEntry } from "./entry.ts";
import { type KeptEntry, matchEntries } from "./identity.ts";
import { type MarkDecision, decideMark, decideNewMark, type MarkedTask } from "./mark-decision.ts";
import { goneReason, knownEntries, memoryKey, type Remembered, seenTasks } from "./memory.ts";
import { type PlanVersions, unfollowed } from "./unfollowed.ts";

export interface FollowInput {
  /** As it is named in the tasks' `source`. */
  readonly file: string;
  /** The scope of new entries. */
  readonly scope: string;
  readonly entries: readonly PlanEntry[];
  /** Every task whose source is the file. */
  readonly tasks: readonly Task[];
  /** The memory of the last reading of this file in this working tree. */
  readonly memory: unknown;
  /** The working tree, if it is not the first. */
  readonly tree?: string | undefined;
  /** An import drops nothing and puts nothing back. */
  readonly mode: "follow" | "import";
  /** Who may have changed the file since: a person's marks count, an agent's are claims (P-52). */
  readonly editor: "person" | "agent";
  /** The task that the agent works on. */
  readonly assigned?: TaskId | undefined;
  /** If the commit that is checked out may lack what landed. */
  readonly versions?: PlanVersions | undefined;
  readonly newId: () => TaskId;
  readonly now: number;
}

/** The consequences of a reading of the file. */
export interface Following {
  readonly edits: TaskEdits;
  /** Marks to put into the file, by key: those that are there do not count. */
  readonly revertMarks: ReadonlyMap<string, MarkChange>;
  readonly added: readonly TaskName[];
  /** With another title, text, place or needs than before. */
  readonly updated: readonly TaskName[];
  /** Their entries are gone. */
  readonly dropped: readonly TaskName[];
  /** Their entries are back. */
  readonly revived: readonly TaskName[];
  /** Marks of a person that became states. */
  readonly marked: readonly MarkedTask[];
  /** The assigned task was marked as done. The mark is put back until that is proven. */
  readonly claims: readonly MarkedTask[];
  /** Marks that do not count. */
  readonly revertedMarks: readonly MarkedTask[];
  /** Entries with links to other files. */
  readonly linked: readonly LinkedTask[];
}

/** A task, the id of its entry, and what that names in other files. */
export interface LinkedTask extends EntryLinks {
  readonly task: TaskId;
  readonly id: string;
}

/** Which tasks come, change and go (P-50, P-51, P-52). Pure: nothing is done yet. */
export function planFollowing(given: FollowInput): Following {
  const input = withoutTheirs(given);
  const all = knownEntries(input.file, input);
  const match = matchEntries(all, input.entries);
  // An entry that was never in this file is not gone from it: it may be in another working tree's.
  const seen = seenTasks(input.memory);
  const isKnownFile = input.memory !== undefined || input.tree !== undefined;
  const elsewhere = new Set(match.gone.filter((id) => isKnownFile && !seen.has(id)));
  const known = all.filter(({ taskId }) => !elsewhere.has(taskId));
  const context: Context = {
    ...input,
    unfollowed: new Set(input.versions && unfollowed(known, input.entries, input.versions)),
    byId: new Map(input.tasks.map((task) => [task.id, task])),
    remembered: new Map(known.map((entry) => [entry.taskId, entry])),
    ids: new Map([
      ...match.kept.map(({ entry, taskId }) => [entry.key, taskId] as const),
      ...match.added.map(({ key }) => [key, input.newId()] as const),
    ]),
  };
  const added = match.added.map((entry, index) => addedTask(entry, context, match.added.length - 1 - index));
  const kept = match.kept.map((one) => keptTask(one, context));
  const decisions = [...added, ...kept].map((one) => one.decision);
  const isLeaving = (id: TaskId): boolean => !elsewhere.has(id) && !context.unfollowed.has(id);
  const leaving = input.mode === "follow" ? match.gone.filter(isLeaving).map((id) => context.byId.get(id)!) : [];
  const memory = remember(context, known, decisions);
  const isSame = JSON.stringify(memory) === JSON.stringify(input.memory);
  return {
    edits: {
      add: added.map(({ task }) => task),
      update: [...kept.flatMap(({ update }) => update ?? []), ...keptParents(context, { added, kept })],
      change: [...kept.flatMap(({ changes }) => changes), ...leaving.map(({ id }) => drop(id, input.file))],
      meta: isSame ? [] : [{ key: memoryKey(input.file, input.tree), value: memory }],
    },
    revertMarks: new Map(
      decisions.flatMap(({ key, revertTo }) => (revertTo === undefined ? [] : [[key, revertTo] as const])),
    ),
    added: added.map(({ task }) => ({ id: task.id!, title: task.title })),
    updated: kept.filter(({ isUpdated }) => isUpdated).map(({ id, entry }) => ({ id, title: entry.title })),
    dropped: leaving.filter(({ status, isParent }) => status === "pending" && !isParent).map(nameOf),
    revived: kept.filter(({ isRevived }) => isRevived).map(({ id, entry }) => ({ id, title: entry.title })),
    marked: decisions.flatMap(({ marked }) => marked ?? []),
    claims: decisions.flatMap(({ claim }) => claim ?? []),
    revertedMarks: decisions.flatMap(({ reverted }) => reverted ?? []),
    linked: input.entries.flatMap(({ key, id, links }) =>
      id === undefined || links === undefined ? [] : [{ task: context.ids.get(key)!, id, ...links }],
    ),
  };
}

/** T-41: entries that only the checked out branch has are not tasks of this run. */
function withoutTheirs(input: FollowInput): FollowInput {
  const { versions, entries } = input;
  if (versions?.isElsewhere !== true) return input;
  const there = new Set(versions.head.map(({ key }) => key));
  const added = new Set(matchEntries(knownEntries(input.file, input), entries).added.map(({ key }) => key));
  return { ...input, entries: entries.filter(({ key }) => !added.has(key) || !there.has(key)) };
}

/**
 * T-13: parts that a building session writes beneath an entry do not settle its task, which was to be worked on. Planning
 * has no assigned task, and may split one.
 */
function keptParents(
  { editor, assigned, byId }: Context,
  { added, kept }: { readonly added: readonly { readonly task: NewTask }[]; readonly kept: readonly Kept[] },
): TaskUpdate[] {
  if (editor !== "agent" || assigned === undefined) return [];
  const parents = new Set([...added.map(({ task }) => task.parent), ...kept.map(({ update }) => update?.patch.parent)]);
  return [...parents].flatMap((id) => {
    const parent = byId.get(id ?? "");
    const isLeaf = parent !== undefined && !parent.isParent && !parent.keepsWork;
    return isLeaf ? [{ id: parent.id, patch: { keepsWork: true } }] : [];
  });
}

const nameOf = ({ id, title }: Task): TaskName => ({ id, title });

const drop = (id: TaskId, file: string): ChangeWhen => ({
  id,
  when: "pending",
  change: { kind: "drop", reason: goneReason(file) },
  by: "plan",
});

interface Context extends FollowInput {
  /** Tasks whose entries no person has changed. */
  readonly unfollowed: ReadonlySet<TaskId>;
  readonly byId: ReadonlyMap<TaskId, Task>;
  readonly remembered: ReadonlyMap<TaskId, Remembered>;
  /** By key of this reading. */
  readonly ids: ReadonlyMap<string, TaskId>;
}

const parentOf = ({ parentKey }: PlanEntry, { ids }: Context): TaskId | undefined =>
  parentKey === undefined ? undefined : ids.get(parentKey);

const needsOf = ({ needs }: PlanEntry, { ids }: Context): TaskId[] => needs.map((key) => ids.get(key)!);

/** Each a millisecond older than the next: so an export, which is sorted by id, still knows the order of the file. */
function addedTask(entry: PlanEntry, context: Context, before: number): { task: NewTask; decision: MarkDecision } {
  const { file, scope, now } = context;
  const id = context.ids.get(entry.key)!;
  const { task, ...decision } = decideNewMark(entry, id, context);
  return {
    decision,
    task: {
      id,
      scope,
      ...fitEntry(entry),
      parent: parentOf(entry, context),
      needs: needsOf(entry, context),
      source: { file, key: entry.key },
      createdAt: now - before,
      ...task,
    },
  };
}

interface Kept {
  readonly id: TaskId;
  readonly entry: PlanEntry;
  readonly decision: MarkDecision;
  readonly changes: readonly ChangeWhen[];
  readonly update: TaskUpdate | undefined;
  readonly isUpdated: boolean;
  readonly isRevived: boolean;
}

function keptTask({ taskId: id, entry, changed, revived }: KeptEntry, context: Context): Kept {
  const { file, mode } = context;
  const task = context.byId.get(id)!;
  const old = context.remembered.get(id)!;
  const isRevived = revived === true && task.status === "dropped" && task.reason === goneReason(file);
  const alive: Task = isRevived ? { ...task, status: "pending" } : task;
  // One that was gone comes back as a new line: that it is not marked does not undo what was done.
  const stays = context.unfollowed.has(id) ? (context.versions?.isElsewhere === true ? "file" : "task") : undefined;
  const decision = decideMark(entry, alive, { ...context, stays, before: revived ? "open" : old.status });
  const patch: TaskPatch = {
    ...textPatch(entry, task, old),
    ...(changed.parent && { parent: parentOf(entry, context) ?? null }),
  };
  const needs = newNeeds(task, old.needs, needsOf(entry, context));
  const source = task.source!.key === entry.key ? {} : { source: { file, key: entry.key } };
  const isUpdated = Object.keys(patch).length > 0 || needs !== undefined;
  const reset: ChangeWhen = { id, when: "dropped", change: { kind: "reset" }, by: "plan" };
  return {
    id,
    entry,
    decision: mode === "import" ? { ...decision, mark: entry.status, revertTo: undefined } : decision,
    changes: [...(isRevived ? [reset] : []), ...decision.changes],
    update: isUpdated || "source" in source ? { id, patch: { ...patch, ...source }, needs } : undefined,
    isUpdated,
    isRevived,
  };
}

/** Only changes in the file since the last reading: changes of the task itself stay. */
function textPatch(entry: PlanEntry, task: Task, old: Remembered): TaskPatch {
  const { title, description, acceptance, priority } = fitEntry(entry);
  return {
    ...(entry.title !== old.title && title !== task.title && { title }),
    ...(entry.description !== old.description && { description: withAdditions(description, task, old) }),
    ...(JSON.stringify(entry.acceptance) !== JSON.stringify(old.acceptance) && { acceptance }),
    ...(entry.priority !== old.priority && priority !== task.priority && { priority }),
  };
}

/** Answers to questions are added to a description: they stay when the file's part of it changes. */
const withAdditions = (description: string, task: Task, old: Remembered): string =>
  old.description !== "" && task.description.startsWith(old.description)
    ? description + task.description.slice(old.description.length)
    : description;

/** The file's edges change as the file does; those that others added stay. */
function newNeeds(task: Task, before: readonly TaskId[], now: readonly TaskId[]): TaskId[] | undefined {
  const isSame = before.length === now.length && now.every((need) => before.includes(need));
  if (isSame) return undefined;
  const file = new Set(before);
  return [...new Set([...task.needs.filter((need) => !file.has(need)), ...now])];
}

function remember(context: Context, known: readonly Remembered[], decisions: readonly MarkDecision[]): Remembered[] {
  const marks = new Map(decisions.map(({ key, mark }) => [key, mark]));
  const here = context.entries.map((entry): Remembered => {
    const { key, kind, title, description, acceptance, parentKey, priority } = entry;
    return {
      taskId: context.ids.get(key)!,
      key,
      kind,
      title,
      description,
      acceptance,
      status: marks.get(key)!,
      needs: needsOf(entry, context),
      ...(parentKey === undefined ? {} : { parentKey }),
      ...(priority === undefined ? {} : { priority }),
    };
  });
  const present = new Set(context.ids.values());
  const away = known.filter(({ taskId }) => !present.has(taskId));
  const asAway = (entry: Remembered): Remembered =>
    context.mode === "import" || context.unfollowed.has(entry.taskId) ? entry : { ...entry, isGone: true };
  return [...here, ...away.map(asAway)];
}

// An entry may be longer than a task can be. It is cut, not refused: one long line must not stop the rest.
const MAX_TITLE = 1_000;
const MAX_TEXT = 1_000_000;
const MAX_ITEMS = 10_000;
const MAX_PRIORITY = 2 ** 31;

/** The fields that a task takes from an entry. */
function fitEntry({ title, description, acceptance, priority }: PlanEntry) {
  const isLong = title.length > MAX_TITLE;
  const words = [...(isLong ? [title] : []), ...(description === "" ? [] : [description])].join("\n\n");
  return {
    title: cut(title, MAX_TITLE).replace(/^[\s\u0000-\u001f\u007f-\u009f]*$/u, "(untitled)"),
    description: cut(words, MAX_TEXT),
    acceptance: acceptance.slice(0, MAX_ITEMS).map((item) => cut(item, MAX_TEXT)),
    priority:
      priority === undefined || Number.isNaN(priority)
        ? DEFAULT_PRIORITY
        : Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, Math.round(priority))),
  };
}

const cut = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit - 1)}…`);
