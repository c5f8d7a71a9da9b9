import { createHash } from "node:crypto";
import type { Gate, GateResult, PinnedGate } from "../domain/gate.ts";
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
const MOST = 50;

/** T-04: names what a gate runs: its command, and the script behind it. */
export function definitionName({ id, run }: Gate, pinned: readonly PinnedGate[]): string {
  const script = pinned.find((gate) => gate.id === id)?.script ?? "";
  return createHash("sha256").update(`${run}\0${script}`).digest("hex").slice(0, 16);
}

/** The gates that have not passed on this tree yet. Those of a task depend on more than the tree, and always run. */
export async function owedGates(
  store: Store,
  { tree, setup }: ProvenTree,
  { gates, pinned }: { readonly gates: readonly Gate[]; readonly pinned: readonly PinnedGate[] },
): Promise<Gate[]> {
  const passed = proofsIn(await store.getMeta(KEY)).find(
    (proof) => proof.tree === tree && proof.setup === setup,
  )?.gates;
  return gates.filter((gate) => !isOfTree(gate) || !passed?.includes(definitionName(gate, pinned)));
}

export async function rememberPassed(
  store: Store,
  { tree, setup }: ProvenTree,
  { results, pinned }: { readonly results: readonly GateResult[]; readonly pinned: readonly PinnedGate[] },
): Promise<void> {
  const names = results
    .filter(({ gate, passed }) => passed && isOfTree(gate))
    .map(({ gate }) => definitionName(gate, pinned));
  if (names.length === 0) return;
  await store.updateMeta(KEY, (before) => {
    const proofs = proofsIn(before);
    const known = proofs.find((proof) => proof.tree === tree && proof.setup === setup);
    const others = proofs.filter((proof) => proof !== known);
    return [...others, { tree, setup, gates: [...new Set([...(known?.gates ?? []), ...names])] }].slice(-MOST);
  });
}

/** A function, or a command that knows its task, may say something else each time. */
const isOfTree = ({ kind, check }: Gate): boolean =>
  (kind === "workspace" || kind === "command") && check === undefined;

function proofsIn(meta: unknown): Proof[] {
  return (Array.isArray(meta) ? (meta as Partial<Proof>[]) : []).filter(
    (proof): proof is Proof =>
      typeof proof?.tree === "string" && typeof proof.setup === "string" && Array.isArray(proof.gates),
  );
}
