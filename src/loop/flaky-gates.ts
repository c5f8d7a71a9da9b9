import type { GateResult, PinnedGate } from "../domain/gate.ts";
import type { Store } from "../store/store.ts";
import { definitionName, owedGates, type ProvenTree } from "./proofs.ts";

// A gate that fails and passes on the same files blames nobody. It is counted, so that people see which one it is.

export interface FlakyGate {
  readonly id: string;
  /** Names its content. */
  readonly definition: string;
  /** How often it failed and passed on the same files. */
  readonly times: number;
}

interface Remembered extends FlakyGate {
  /** Where it failed last. */
  readonly red: readonly string[];
}

const KEY = "flaky-gates";
const MOST = 200;
const MOST_RED = 20;

export const readFlaky = async (store: Pick<Store, "getMeta">): Promise<readonly FlakyGate[]> =>
  gatesIn(await store.getMeta(KEY)).filter(({ times }) => times > 0);

/** Counts gates that contradict themselves: in one result with retries, or in two on the same tree. Returns these. */
export async function countFlaky(
  store: Store,
  proof: ProvenTree,
  { results, pinned }: { readonly results: readonly GateResult[]; readonly pinned: readonly PinnedGate[] },
): Promise<readonly FlakyGate[]> {
  // A function may say something else each time, and so may a task's own gate for another task.
  const judged = results.filter(
    ({ gate, isEmpty }) => gate.check === undefined && gate.kind !== "reviewer" && !isEmpty,
  );
  const known = gatesIn(await store.getMeta(KEY));
  const at = `${proof.tree} ${proof.setup}`;
  // Two gates may have the same command.
  const seen = new Map<string, Remembered>();
  for (const result of judged) {
    const { id } = result.gate;
    const definition = definitionName(result.gate, pinned);
    const stored = known.find((gate) => gate.definition === definition);
    const before = seen.get(definition) ?? stored ?? { id, definition, times: 0, red: [] };
    const isOwed = result.passed || (await owedGates(store, proof, { gates: [result.gate], pinned })).length > 0;
    const wasRed = result.passed && result.gate.kind !== "task" && before.red.includes(at);
    const isFlaky = wasRed || !isOwed || hasBoth(result);
    const red = before.red.filter((one) => one !== at);
    const now = { ...before, times: before.times + (isFlaky ? 1 : 0), red: result.passed ? red : [...red, at] };
    if (isFlaky || !result.passed) seen.set(definition, { ...now, red: now.red.slice(-MOST_RED) });
  }
  if (seen.size > 0) {
    const others = (all: unknown): Remembered[] => gatesIn(all).filter(({ definition }) => !seen.has(definition));
    await store.updateMeta(KEY, (all) => [...others(all), ...seen.values()].slice(-MOST));
  }
  return [...seen.values()].filter(
    ({ definition, times }) => times > (known.find((gate) => gate.definition === definition)?.times ?? 0),
  );
}

/** Its retry passed. */
const hasBoth = ({ passed, runs }: GateResult): boolean => passed && runs.length > 1;

const gatesIn = (meta: unknown): Remembered[] =>
  (Array.isArray(meta) ? (meta as Partial<Remembered>[]) : []).filter(
    (gate): gate is Remembered =>
      typeof gate?.id === "string" &&
      typeof gate.definition === "string" &&
      typeof gate.times === "number" &&
      Array.isArray(gate.red),
  );
