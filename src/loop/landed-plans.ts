import type { Store } from "../store/store.ts";

/** A plan that landed, as the store knows it: messages of commits are never believed. */
export interface LandedPlan {
  readonly run: string;
  readonly tree: string;
  /** The landing commit under it. */
  readonly parent: string;
}

const KEY = "landed/plans";
const MOST = 500;

/** Remembers a plan before it lands: it has if a history has it. */
export async function rememberPlan(store: Store, plan: LandedPlan): Promise<void> {
  await store.updateMeta(KEY, (before) => [...plansIn(before), plan].slice(-MOST));
}

/** All plans that ever landed, oldest first. */
export const landedPlanRecords = async (store: Store): Promise<LandedPlan[]> => plansIn(await store.getMeta(KEY));

const plansIn = (meta: unknown): LandedPlan[] =>
  (Array.isArray(meta) ? (meta as Partial<LandedPlan>[]) : []).filter(
    (one): one is LandedPlan =>
      typeof one?.run === "string" && typeof one.tree === "string" && typeof one.parent === "string",
  );
