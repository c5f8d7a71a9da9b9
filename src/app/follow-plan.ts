import { hasConflictMarkers } from "../domain/conflict-markers.ts";
import { RalphError } from "../domain/error.ts";
import type { Task, TaskId } from "../domain/task.ts";
import {
  cycleIn,
  type FollowInput,
  type Following,
  memoryKey,
  PlanError,
  planFollowing,
  type PlanNotice,
  type PlanReading,
  type PlanVersions,
} from "../plan/plan.ts";
import { randomId } from "../store/index.ts";
import type { Store } from "../store/store.ts";
import {
  CONFLICT_HINT,
  linkedTree,
  type PlanFile,
  planFile,
  readPlanText,
  refuseOutside,
  replacePlanText,
  writeMarks,
} from "./plan-file.ts";

export interface FollowRequest {
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  /** Relative to the workspace. */
  readonly file: string;
  /** The scope of new entries. Existing tasks stay in theirs. */
  readonly scope: string;
  /**
   * Who may have changed the file since it was last followed. A person's marks count. An agent's do not (P-52): so after
   * a session, and at the start of a run when the last one ended in the middle of a session, say `agent`.
   */
  readonly editor: "person" | "agent";
  /** The task that the agent works, or worked, on. */
  readonly assigned?: TaskId | undefined;
  /** The file is only read: marks that do not count stay in it. */
  readonly isReadOnly?: boolean | undefined;
  /** The texts in git; undefined if what is checked out has all that landed. */
  readonly versions?: ((file: string) => Promise<PlanVersions<string | undefined> | undefined>) | undefined;
  readonly clock?: (() => number) | undefined;
  readonly newId?: (() => TaskId) | undefined;
}

/** The result of following a file. Only the first kind has changed anything. */
export type FollowResult =
  | FollowedPlan
  /** There is no such file: the tasks stay as they are. */
  | { readonly kind: "missing"; readonly file: string }
  /** P-53: it does not parse; the position is there where it is known. */
  | ({ readonly kind: "unreadable" } & PlanProblem)
  /** It parses, but the DAG cannot become what it says: its needs go round, or it never rests. */
  | ({ readonly kind: "refused" } & PlanProblem);

export interface PlanProblem {
  readonly file: string;
  /** A sentence that names the file, and line and column where they are known. */
  readonly message: string;
  readonly hint: string | undefined;
  readonly line?: number;
  readonly column?: number;
}

/** The result of following a plan, without the edits. */
export interface FollowedPlan extends Omit<Following, "edits" | "revertMarks" | "linked"> {
  readonly kind: "followed";
  /** Entries that name entries of other files; absent without any. */
  readonly linked?: Following["linked"];
  readonly file: string;
  /** How many the file has. */
  readonly entries: number;
  readonly notices: readonly PlanNotice[];
}

/** Syncs the tasks with a plan file (P-50 … P-53), in one transaction. */
export async function followPlan(request: FollowRequest): Promise<FollowResult> {
  const file = planFile(request);
  await refuseOutside(request.root, file);
  return await bringInStep(file, request, "follow");
}

const TRIES = 5;

/** Retries when the file or the ids change meanwhile. */
export async function bringInStep(
  file: PlanFile,
  request: FollowRequest,
  mode: "follow" | "import",
): Promise<FollowResult> {
  for (let left = TRIES; left > 0; left -= 1) {
    const result = await tryOnce(file, request, mode);
    if (result !== "again") return result;
  }
  // A run continues with the tasks it has (P-53); nothing was written.
  const message = `${file.name} keeps changing, so ralphctl could not follow it`;
  return { kind: "refused", file: file.name, message, hint: CONFLICT_HINT };
}

async function tryOnce(
  file: PlanFile,
  request: FollowRequest,
  mode: "follow" | "import",
): Promise<FollowResult | "again"> {
  const read = await readPlan(file);
  if (!("text" in read)) return read;
  const { text, reading } = read;
  const cycle = cycleIn(reading.entries);
  if (cycle) return cycleProblem(file, cycle);
  const { store, scope, editor, assigned, isReadOnly = false, clock = Date.now, newId = randomId } = request;
  const tree = linkedTree(request.root);
  // Read before the tasks: another process that follows the same file and adds tasks changes it.
  const turn = { key: `plan-turn:${file.name}`, value: await store.getMeta(`plan-turn:${file.name}`) };
  const input: FollowInput = {
    file: file.name,
    scope,
    entries: reading.entries,
    tasks: await tasksOf(store, file),
    memory: await store.getMeta(memoryKey(file.name, tree)),
    tree,
    mode,
    editor,
    assigned,
    newId,
    now: clock(),
  };
  const asRead = planFollowing(input);
  const { added, marked, dropped, revertedMarks } = asRead;
  const isEdited = added.length + marked.length + dropped.length + revertedMarks.length > 0;
  const versions = isEdited ? await readVersions(file, request) : undefined;
  const following = versions === undefined ? asRead : planFollowing({ ...input, versions });
  // The file comes first: a reader who trusts marks must not find one that does not count.
  const isRight = isReadOnly || following.revertMarks.size === 0;
  const to = isRight ? text : writeMarks(file, text, following.revertMarks).text;
  if ((await replacePlanText(file, { from: text, to })) === "changed") return "again";
  const refusal = await apply(store, following, turn);
  if (refusal === "again") return "again";
  if (refusal) return problem("refused", file, refusal);
  const { edits: _edits, revertMarks: _marks, linked, ...told } = following;
  const followed = { kind: "followed", file: file.name, entries: reading.entries.length, ...told } as const;
  return { ...followed, ...(linked.length > 0 && { linked }), notices: reading.notices };
}

/** Undefined if one of them cannot be read: then the person's file says it all. */
async function readVersions(
  { name, format }: PlanFile,
  { versions }: FollowRequest,
): Promise<PlanVersions | undefined> {
  const texts = await versions?.(name);
  if (texts === undefined) return undefined;
  const entriesIn = (text: string | undefined) => (text === undefined ? [] : format.read(text).entries);
  try {
    const { landing, head, base } = texts;
    return { ...texts, landing: entriesIn(landing), head: entriesIn(head), base: entriesIn(base) };
  } catch (error) {
    if (error instanceof PlanError) return undefined;
    throw error;
  }
}

async function apply(
  store: Store,
  { edits, added }: Following,
  turn: { readonly key: string; readonly value: unknown },
): Promise<RalphError | "again" | undefined> {
  if (Object.values(edits).every((list) => list.length === 0)) return undefined;
  const next = { key: turn.key, value: Number(turn.value ?? 0) + 1 };
  // Two runs in two working trees must not both add the entries of one file.
  const alone = added.length === 0 ? {} : { when: turn, meta: [...(edits.meta ?? []), next] };
  try {
    await store.apply({ ...edits, ...alone }, "plan");
    return undefined;
  } catch (error) {
    if (!(error instanceof RalphError) || error.kind === "io") throw error;
    if (error.kind === "busy") return "again";
    // A random id was taken, or a task was removed meanwhile: read again.
    const { about } = error;
    const isIdTaken = about?.kind === "id taken" && added.some(({ id }) => id === about.id);
    return isIdTaken || about?.kind === "no such task" ? "again" : error;
  }
}

/** `given`: a text that is not in the file. */
export async function readPlan(
  file: PlanFile,
  given?: string,
): Promise<{ readonly text: string; readonly reading: PlanReading } | Exclude<FollowResult, FollowedPlan>> {
  try {
    const text = given ?? (await readPlanText(file));
    if (text === undefined) return { kind: "missing", file: file.name };
    // Both sides of a conflict have their entries, so that some would be there twice.
    if (hasConflictMarkers(file.name, text))
      throw new RalphError("data", `${file.name} has conflict markers`, UNRESOLVED);
    return { text, reading: file.format.read(text) };
  } catch (error) {
    // A folder in its place is unreadable too.
    if (!(error instanceof RalphError) || (error.kind !== "data" && error.kind !== "io")) throw error;
    return problem("unreadable", file, error);
  }
}

const UNRESOLVED = { hint: "Resolve the conflict, and git add the file" };

export async function tasksOf(store: Store, file: PlanFile): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of store.each({ sourceFile: file.name })) tasks.push(task);
  return tasks;
}

function problem<Kind extends "unreadable" | "refused">(
  kind: Kind,
  { name }: PlanFile,
  error: RalphError,
): { kind: Kind } & PlanProblem {
  const place = error instanceof PlanError ? { line: error.line, column: error.column } : undefined;
  // Formats and the store do not know the file's name.
  const message =
    kind === "refused" || place !== undefined
      ? `${name}: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`
      : error.message;
  return { kind, file: name, message, hint: error.hint, ...place };
}

function cycleProblem(file: PlanFile, cycle: readonly { line: number; title: string }[]): FollowResult {
  const shown = cycle.length > 12 ? [...cycle.slice(0, 6), undefined, ...cycle.slice(-5)] : cycle;
  const path = shown.map((entry) => (entry ? `"${entry.title.slice(0, 60)}" (line ${entry.line})` : "…"));
  return {
    kind: "refused",
    file: file.name,
    message: `${file.name}: these entries would wait for each other: ${path.join(" → ")}`,
    hint: "Remove one of these needs",
    line: cycle[0]!.line,
  };
}
