import { afterSettlement, cleanSettlement, type Settlement } from "../../src/domain/settlement.ts";
import { sameOwner } from "../../src/domain/task.ts";
import type { Claim, ClaimRequest, Lease, OpenVerdict, SettleResult, Store } from "../../src/store/store.ts";
import type { Entry } from "./entry.ts";
import { all, derived, entered, gone, holderOf, keep, logged, put, show, type State, sweep } from "./state.ts";

export function claims(
  state: State,
): Pick<Store, "claim" | "heartbeat" | "release" | "settle" | "recordVerdict" | "openVerdicts" | "adopt"> {
  return {
    claim: async (request) => claim(state, request),
    async heartbeat(lease) {
      const entry = holderOf(state, lease);
      if (entry?.lease === undefined) return "fenced";
      const untilMs = state.clock() + entry.lease.leaseMs;
      keep(state, { ...entry, lease: { ...entry.lease, untilMs } });
      return "held";
    },
    release: async (lease, reason) =>
      settle(state, lease, { outcome: "released", to: "pending", counted: false, reason }),
    settle: async (lease, settlement) => settle(state, lease, settlement),
    async recordVerdict(lease, verdict) {
      const entry = holderOf(state, lease);
      if (entry === undefined) return "fenced";
      const recordedAt = state.clock();
      const attemptLog = entry.attemptLog.map((one) =>
        one.fence === lease.fence ? { ...one, verdict, recordedAt } : one,
      );
      put(state, { ...entry, attemptLog });
      return "recorded";
    },
    openVerdicts: async () => all(state).flatMap((entry) => openVerdict(state, entry)),
    async adopt(lease, owner) {
      const entry = holderOf(state, lease);
      if (!entry?.lease || entry.attemptLog.at(-1)?.verdict === undefined || !gone(state, entry.lease))
        return undefined;
      const attemptLog = entry.attemptLog.map((one) => (one.fence === lease.fence ? { ...one, owner } : one));
      const untilMs = state.clock() + entry.lease.leaseMs;
      keep(state, { ...entry, attemptLog, lease: { ...entry.lease, owner, untilMs } });
      return { ...lease, owner };
    },
  };
}

function claim(state: State, request: ClaimRequest): Claim | undefined {
  sweep(state);
  const now = derived(state);
  const isPossible = (entry: Entry): boolean =>
    (request.scopes?.includes(entry.scope) ?? true) && (request.only?.includes(entry.id) ?? true);
  const anyway = request.anyway === true && request.only !== undefined;
  const choice = anyway ? all(state).filter((one) => one.own === "pending" && !now.isParent(one)) : now.queue();
  const entry = choice.find(isPossible);
  if (entry === undefined) return undefined;
  const { owner, leaseMs, run, iteration } = request;
  const fence = entry.fence + 1;
  const attempt = {
    fence,
    run,
    iteration,
    owner,
    startedAt: state.clock(),
    endedAt: undefined,
    outcome: undefined,
    counted: false,
    reason: undefined,
    costUsd: undefined,
    tokens: undefined,
    session: undefined,
    verdict: undefined,
    details: undefined,
    recordedAt: undefined,
  };
  put(state, {
    ...entry,
    own: "in_progress",
    fence,
    retry: false,
    startedAt: state.clock(),
    lease: { owner, leaseMs, untilMs: state.clock() + leaseMs, run },
    attemptLog: [...entry.attemptLog, attempt],
  });
  return { task: show(state, entry.id), lease: { task: entry.id, fence, owner } };
}

function settle(state: State, lease: Lease, told: Settlement): SettleResult {
  const entry = holderOf(state, lease);
  if (entry === undefined) {
    const past = state.entries.get(lease.task)?.attemptLog.find((attempt) => attempt.fence === lease.fence);
    const isOurs = past?.endedAt !== undefined && past.outcome !== "lost" && sameOwner(past.owner, lease.owner);
    return isOurs ? { kind: "settled", task: show(state, lease.task), repeated: true } : { kind: "fenced" };
  }
  const settlement = cleanSettlement(told);
  const { outcome, counted, reason, costUsd, tokens, session, details } = settlement;
  const close = { outcome, counted, reason, costUsd, tokens, session, details };
  const fields = afterSettlement({ ...entry, status: entry.own }, settlement);
  const after = entered(state, entry, { fields, close });
  put(state, logged(state, after, { by: settlement.by ?? "loop", kind: outcome, text: reason ?? "" }));
  return { kind: "settled", task: show(state, lease.task), repeated: false };
}

function openVerdict(state: State, entry: Entry): OpenVerdict[] {
  const last = entry.attemptLog.at(-1);
  if (entry.lease === undefined || last?.verdict === undefined) return [];
  const { verdict, run, iteration, recordedAt } = last;
  const lease = { task: entry.id, fence: entry.fence, owner: entry.lease.owner };
  const holder = gone(state, entry.lease) ? "gone" : "live";
  return [{ task: show(state, entry.id), lease, verdict, run, iteration, recordedAt: recordedAt ?? 0, holder }];
}
