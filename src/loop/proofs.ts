import { createHash } from "node:crypto";
import type { Gate, GateResult, PinnedGate } from "../domain/gate.ts";
import type { TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";

// L-20: proof is by tree. Gates that passed on a tree with the same set-up do not run on it again. Red ones do.

/** A tree in a room. */
export interface ProvenTree {
  readonly tree: string;
  /** Names the set-up of the room. */
  readonly setup: string;
}

interface Proof extends ProvenTree {
  /** The definitions of gates that passed. */
  readonly gates: readonly string[];
}

const KEY = "proofs";
const MOST = 200;

/** T-04: names what a gate runs: its command, and the script behind it. */
export function definitionName({ id, run }: Pick<Gate, "id" | "run">, pinned: readonly PinnedGate[]): string {
  const script = pinned.find((gate) => gate.id === id)?.script ?? "";
  return createHash("sha256").update(`${run}\0${script}`).digest("hex").slice(0, 16);
}

interface Definitions {
  readonly pinned: readonly PinnedGate[];
  /** The task whose variables the gates had. Without one, its own gates always run: they depend on more than the tree. */
  readonly task?: TaskId | undefined;
}

/** The gates that have not passed on this tree yet. */
export async function owedGates(
  store: Store,
  { tree, setup }: ProvenTree,
  { gates, ...definitions }: Definitions & { readonly gates: readonly Gate[] },
): Promise<Gate[]> {
  const passed = proofsIn(await store.getMeta(KEY)).find(
    (proof) => proof.tree === tree && proof.setup === setup,
  )?.gates;
  return gates.filter((gate) => passed?.includes(nameOf(gate, definitions) ?? "") !== true);
}

export async function rememberPassed(
  store: Store,
  { tree, setup }: ProvenTree,
  { results, ...definitions }: Definitions & { readonly results: readonly GateResult[] },
): Promise<void> {
  const names = results.flatMap(({ gate, passed }) => (passed ? (nameOf(gate, definitions) ?? []) : []));
  if (names.length === 0) return;
  await store.updateMeta(KEY, (before) => {
    const proofs = proofsIn(before);
    const known = proofs.find((proof) => proof.tree === tree && proof.setup === setup);
    const others = proofs.filter((proof) => proof !== known);
    return [...others, { tree, setup, gates: [...new Set([...(known?.gates ?? []), ...names])] }].slice(-MOST);
  });
}

/** The trees on which a gate passed, with any set-up. */
export async function greenTrees(store: Store, gate: Gate, definitions: Definitions): Promise<string[]> {
  const name = nameOf(gate, definitions);
  const proofs = name === undefined ? [] : proofsIn(await store.getMeta(KEY));
  return proofs.filter(({ gates }) => gates.includes(name!)).map(({ tree }) => tree);
}

/** Undefined for a gate that may say something else each time: a function, or a command that knows its task. */
function nameOf(gate: Gate, { pinned, task }: Definitions): string | undefined {
  if (gate.check !== undefined || gate.kind === "reviewer") return undefined;
  if (gate.kind !== "task") return definitionName(gate, pinned);
  return task === undefined ? undefined : `${definitionName(gate, pinned)} ${task}`;
}

function proofsIn(meta: unknown): Proof[] {
  return (Array.isArray(meta) ? (meta as Partial<Proof>[]) : []).filter(
    (proof): proof is Proof =>
      typeof proof?.tree === "string" && typeof proof.setup === "string" && Array.isArray(proof.gates),
  );
}
