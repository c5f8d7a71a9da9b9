import { namesInLine } from "../../domain/verdict-report.ts";
import { taskGates } from "../../domain/distinct-gates.ts";
import { RalphError } from "../../domain/error.ts";
import { evidenceOf, type GateResult, type PinnedGate } from "../../domain/gate.ts";
import { rate, type Strength } from "../../domain/strength.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import { transition } from "../../domain/transition.ts";
import { describeReason } from "../../domain/verdict-report.ts";
import { readAgentGates } from "../../loop/agent-gates.ts";
import { namesIn, wasStopped } from "../../loop/check.ts";
import { definitionName } from "../../loop/proofs.ts";
import { taskEnv } from "../../loop/naming.ts";
import { keepLease, LEASE_MS } from "../../loop/lease.ts";
import type { OpenEvidence } from "../../loop/recover.ts";
import { busyTaskError, parentError, verifiedError } from "../../store/index.ts";
import type { Claim, Store } from "../../store/store.ts";
import { committedBetween } from "../../system/git/snapshot.ts";
import { processIdentity } from "../../system/process/process-identity.ts";
import { type CheckGroup, type CheckHost, type Checks, runGroups, tellSetup, withChecks } from "../run/checks.ts";
import { markTask } from "../run/plans.ts";
import { findGates } from "../run/run-gates.ts";
import { openWorkspace } from "../workspace.ts";
import { writing } from "./caller.ts";
import { isAskedIfDone } from "../../loop/asked-if-done.ts";
import { doneByWord, resolveAll } from "./change-tasks.ts";

export interface CompleteRequest {
  /** Ids, or their beginnings. */
  readonly ids: readonly string[];
  readonly summary: string | undefined;
}

/** The result of a person's claim. */
export type Completed =
  | { readonly kind: "done"; readonly task: Task; readonly strength: Strength | "word" }
  /** The task is unchanged. `reasons`: the failed gates, one line each. */
  | { readonly kind: "rejected"; readonly task: Task; readonly reasons: readonly string[] }
  | { readonly kind: "interrupted"; readonly task: Task };

/**
 * A person's claim: like any other it is the gates that decide, and what they said is recorded. Which files were
 * changed is the person's business, and so is committing them.
 */
export async function completeTasks(request: CompleteRequest, host: CheckHost): Promise<Completed[]> {
  const { settled, ids } = await settleByWord(request, host);
  return ids.length === 0 ? settled : [...settled, ...(await completeByGates({ ...request, ids }, host))];
}

/** T-22: a task that asks whether it is done already is done if a person says so. No gate has to agree. */
async function settleByWord({ ids: texts, summary }: CompleteRequest, host: CheckHost) {
  return await writing(host, async ({ store }) => {
    const all = await resolveAll(store, texts);
    const isAsked = await Promise.all(all.map(async (id) => await isAskedIfDone(store, (await store.get(id))!)));
    const ids = all.filter((_, index) => !isAsked[index]);
    for (const id of ids) await refuse(store, id);
    const settled: Completed[] = [];
    for (const id of all.filter((_, index) => isAsked[index])) {
      const task = await doneByWord(store, (await store.get(id))!, {
        answer: "Yes, it is done",
        summary,
        caller: host,
      });
      settled.push({ kind: "done", task, strength: "word" });
    }
    return { settled, ids };
  });
}

async function completeByGates(request: CompleteRequest, host: CheckHost): Promise<Completed[]> {
  const workspace = await openWorkspace(host);
  return await withChecks({ host, workspace, scope: "workspace", isClean: false, keepsOutputs: true }, async (checks) =>
    writing(host, async ({ store }) => {
      const claims = await claimAll(store, request.ids, checks);
      const letGo = claims.map(({ lease }) => keepLease(store, lease));
      try {
        return await settleAll(checks, { store, claims, summary: request.summary });
      } finally {
        for (const each of letGo) each();
        // Releasing a settled task fails, which is fine.
        for (const { lease } of claims) await store.release(lease).catch(() => undefined);
      }
    }),
  );
}

/** Checks all before claiming any, so that a typo changes nothing. */
async function claimAll(store: Store, texts: readonly string[], { run }: Checks): Promise<Claim[]> {
  const ids = await resolveAll(store, texts);
  for (const id of ids) await refuse(store, id);
  const claims: Claim[] = [];
  for (const id of ids) {
    const owner = processIdentity();
    const claim = await store.claim({ only: [id], anyway: true, owner, leaseMs: LEASE_MS, run });
    if (claim === undefined) {
      for (const { lease } of claims) await store.release(lease);
      throw await notToBeHad(store, id);
    }
    claims.push(claim);
  }
  return claims;
}

async function refuse(store: Store, id: TaskId): Promise<void> {
  const task = (await store.get(id))!;
  if (task.isParent) throw parentError(id);
  // Claiming it shows whether its holder is alive.
  if (task.status !== "in_progress") transition(task, { kind: "complete" }, "person");
}

async function notToBeHad(store: Store, id: TaskId): Promise<RalphError> {
  const task = await store.get(id);
  const isOpen = (await store.openVerdicts()).some((open) => open.task.id === id && open.holder === "gone");
  if (isOpen) return verifiedError(id);
  if (task?.lease !== undefined) return busyTaskError(id, task.lease.owner);
  return new RalphError("busy", `${id} was just changed by another process`, {
    hint: `See it: ralphctl task show ${id}`,
  });
}

interface Claimed {
  readonly store: Store;
  readonly claims: readonly Claim[];
  readonly summary: string | undefined;
}

/** The gates of the workspace run once for all of them. */
async function settleAll(checks: Checks, { store, claims, summary }: Claimed): Promise<Completed[]> {
  const { host, workspace, root, setup } = checks;
  const found = await findGates({ workspace, folder: root, agents: await readAgentGates(store) });
  const groups = claims.map(({ task }): CheckGroup => ({
    gates: taskGates(task, workspace.config.limits.gate, found.gates),
    env: taskEnv({ task }),
  }));
  const common = { gates: found.gates, env: groups.length === 1 ? groups[0]!.env : {} };
  const gates = [...groups, common].flatMap((group) => group.gates);
  await tellFiles(checks);
  host.announce([...(setup === undefined ? [] : [setup.gate]), ...gates], root);
  tellSetup(checks);
  for (const notice of found.warnings) host.notice(notice);
  const results = setup?.passed === false ? [[setup]] : await runGroups(checks, [...groups, common]);
  const completed: Completed[] = [];
  for (const [index, claim] of claims.entries()) {
    const all = [...(results[index] ?? []), ...(results.at(-1) ?? [])];
    completed.push(await settleOne(checks, { store, claim, summary, results: all, pinned: found.pinned }));
  }
  return completed;
}

/** T-01: the proof is about the files that git would commit. Committing them is the person's business. */
async function tellFiles({ host, home, head, tree, leftOut }: Checks): Promise<void> {
  const paths = [...(await committedBetween(home, head, tree)).keys()];
  for (const { path, why } of leftOut) host.notice(`${path} is not checked, because git would not commit it: ${why}`);
  if (paths.length === 0) return;
  host.notice(`The gates check your uncommitted changes too, which stay uncommitted: ${namesInLine(paths, 5)}`);
}

interface Judged extends Pick<Claimed, "store" | "summary"> {
  readonly claim: Claim;
  readonly results: readonly GateResult[];
  readonly pinned: readonly PinnedGate[];
}

async function settleOne(checks: Checks, judged: Judged): Promise<Completed> {
  const { host, workspace, tree, head, prepared, env } = checks;
  const { store, claim, summary, results } = judged;
  const { task, lease } = claim;
  if (wasStopped(results, host)) return { kind: "interrupted", task };
  const red = results.filter(({ passed }) => !passed);
  if (red.length > 0) {
    return { kind: "rejected", task, reasons: red.map((result) => describeReason({ kind: "gate", result }, task.id)) };
  }
  const isOnLane = checks.room.isLane === true;
  const rated = rate({ results, look: [], redFirst: [], shownLittle: [], isOnLane });
  const outcome = rated.strength === "look" ? "complete" : "verified";
  const settlement = { outcome, to: "done", counted: false, by: "person", summary } as const;
  const at = { tree, commit: head };
  const where = { ...at, root: workspace.root, ...(isOnLane && { isOnLane }) };
  const evidence: OpenEvidence = {
    v: 2,
    target: undefined,
    lands: false,
    message: "",
    settlement,
    ...rated,
    gates: results.map((result) =>
      evidenceOf(result, { ...where, definition: definitionName(result.gate, judged.pinned) }),
    ),
    setup: prepared,
    variables: namesIn(env),
  };
  await store.recordVerdict(lease, { ...at, evidence });
  const settled = await store.settle(lease, settlement);
  if (settled.kind === "fenced") throw busyTaskError(task.id, lease.owner);
  for (const problem of (await markTask({ store, root: workspace.root }, settled.task, "is")).problems) {
    host.notice(problem);
  }
  return { kind: "done", task: settled.task, strength: rated.strength };
}
