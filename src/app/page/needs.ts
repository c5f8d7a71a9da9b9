import { readAttemptRecord } from "../../domain/run/attempt-record.ts";
import { type Standing, standingOf } from "../../domain/standing.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import { useOf } from "../../lane/lane-row.ts";
import type { Store } from "../../store/store.ts";
import { listWork } from "../../system/git/work-ref.ts";
import { placeName, withPlaces } from "../lanes/places.ts";
import { livingRuns } from "../run/run-logs.ts";
import { workspaceStatus } from "../status.ts";
import { type Caller, reading } from "../task/caller.ts";
import { verbsFor } from "./task-verbs.ts";

/** Everything that waits for a person. */
export interface Need {
  readonly kind: "question" | "failed" | "conflict" | "lane" | "look";
  readonly task: TaskId | null;
  /** Of the task. */
  readonly scope: string | null;
  readonly title: string;
  readonly text: string;
  /** A diff or a report, if there is one. */
  readonly evidence: string | null;
  /** What a person can do about it here. */
  readonly verbs: readonly string[];
  /** What to type where no button can help. */
  readonly type: string | null;
  /** Since when, in milliseconds since 1970; null: nobody knows. */
  readonly sinceMs: number | null;
}

/** More are counted by lists of tasks; nobody answers them in one sitting. */
const MOST = 500;

/** U-08: read-only (W-06). */
export async function listNeeds(caller: Caller): Promise<Need[]> {
  const ofTasks = await reading(caller, async ({ store }) => [
    ...(await leaves(store, "parked", async (task) => await questionOf(store, task))),
    ...(await leaves(store, "failed", async (task) => (task.retry ? undefined : await failureOf(store, task)))),
    ...(await looksOf(store)),
  ]);
  return [...ofTasks, ...(await conflicts(caller)), ...(await lanesLeft(caller))];
}

async function leaves(
  store: Store,
  status: Task["status"],
  need: (task: Task) => Promise<Need | undefined>,
): Promise<Need[]> {
  const found: Need[] = [];
  for (const task of (await store.list({ statuses: [status] }, { limit: MOST })).tasks) {
    const one = task.isParent ? undefined : await need(task);
    if (one !== undefined) found.push(one);
  }
  return found;
}

const last = async (store: Store, id: TaskId) =>
  readAttemptRecord((await store.attempts(id)).findLast(({ outcome }) => outcome !== undefined)?.details);

async function questionOf(store: Store, task: Task): Promise<Need> {
  const verbs = await verbsFor(store, task);
  const evidence = verbs.includes("allow") ? (await last(store, task.id))?.ask?.diff : undefined;
  return { ...about(task), kind: "question", text: task.question ?? "", evidence: evidence ?? null, verbs };
}

/** What could be allowed is looked at first; why it failed is in the text. */
async function failureOf(store: Store, task: Task): Promise<Need> {
  const verbs = await verbsFor(store, task);
  const record = await last(store, task.id);
  const change = verbs.includes("allow") ? record?.ask?.diff : undefined;
  const evidence = change ?? record?.report ?? record?.harnessFailure ?? null;
  return { ...about(task), kind: "failed", text: task.reason ?? "", evidence, verbs };
}

async function looksOf(store: Store): Promise<Need[]> {
  const found: Need[] = [];
  const standings = new Map<TaskId, Standing>();
  for await (const each of store.done({})) {
    const standing = standingOf(each);
    if (standing.kind === "look" || standing.kind === "unrecorded") standings.set(each.id, standing);
    if (standings.size >= MOST) break;
  }
  for (const [id, { kind, reasons }] of standings) {
    const task = await store.get(id);
    if (task === undefined || task.isParent) continue;
    const evidence = (await last(store, id))?.look ?? null;
    found.push({
      ...about(task),
      kind: "look",
      text: reasons.join("; "),
      evidence,
      verbs: await verbsFor(store, task, kind),
    });
  }
  return found;
}

const about = ({ id, scope, title, updatedAt }: Task) => ({ task: id, scope, title, type: null, sinceMs: updatedAt });

async function conflicts(caller: Caller): Promise<Need[]> {
  const { behind } = await workspaceStatus({}, caller);
  return behind.map(({ branch, refusal }) => ({
    kind: "conflict",
    task: null,
    scope: null,
    title: `${branch} does not follow`,
    text: [refusal?.why ?? "It lacks work that landed", refusal?.remedy].filter(Boolean).join(". "),
    evidence: null,
    verbs: ["land"],
    type: refusal?.steps[0] ?? "ralphctl land",
    sinceMs: null,
  }));
}

/**
 * Lanes that a killed run left, and unproven work of tasks that nobody will go on with. A run removes the work of a task a
 * moment after it is done, so this is known for sure when none goes on.
 */
async function lanesLeft(caller: Caller): Promise<Need[]> {
  return await withPlaces(caller, async ({ places, home, workspace: { root } }) => {
    const isRunning = livingRuns(root).length > 0;
    const left = places.filter(({ row }) => useOf(row) === "left").map(placeName);
    const work = await reading(caller, async ({ store }) => {
      const kept: Need[] = [];
      for (const { task: id, keptAtMs } of await listWork(home)) {
        const task = await store.get(id);
        const isOver = task === undefined || task.status === "dropped" || (task.status === "done" && !isRunning);
        if (isOver) kept.push(leftWork(id, task?.title ?? id, keptAtMs));
      }
      return kept;
    });
    return [...(left.length > 0 ? [leftLanes(left)] : []), ...work];
  });
}

/** One for all of them: so is the command. */
const leftLanes = (names: readonly string[]): Need => ({
  kind: "lane",
  task: null,
  scope: null,
  title: names.join(", "),
  text: `A killed run left work in ${names.length === 1 ? "it" : "them"}`,
  evidence: null,
  verbs: [],
  type: "ralphctl doctor --fix",
  sinceMs: null,
});

const leftWork = (id: TaskId, title: string, keptAtMs: number): Need => ({
  kind: "lane",
  task: id,
  scope: null,
  title,
  text: "Unproven work of it is kept, and no run will go on with it",
  evidence: null,
  verbs: [],
  type: `ralphctl lanes take ${id}`,
  sinceMs: keptAtMs,
});
