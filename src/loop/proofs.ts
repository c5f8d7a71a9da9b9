import { createHash } from "node:crypto";
import type { FileChange } from "../domain/change.ts";
import type { Gate, GateResult, PinnedGate } from "../domain/gate.ts";
import { writeNames } from "../domain/gate-writes.ts";
import type { TaskId } from "../domain/task.ts";
import type { TestCount } from "../domain/test-count.ts";
import { countTests } from "../gate/gate.ts";
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
  /** By definition what gates counted, red ones too; older versions recorded nothing. */
  readonly tests?: Counts;
}

type Counts = Readonly<Record<string, TestCount>>;

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

/** Also remembers how many tests each gate counted. */
export async function rememberPassed(
  store: Store,
  { tree, setup }: ProvenTree,
  { results, ...definitions }: Definitions & { readonly results: readonly GateResult[] },
): Promise<void> {
  const names = results.flatMap(({ gate, passed }) => (passed ? (nameOf(gate, definitions) ?? []) : []));
  const tests: Record<string, TestCount> = {};
  for (const result of results) {
    const count = await countTests(result);
    if (count !== undefined) tests[definitionName(result.gate, definitions.pinned)] = count;
  }
  if (names.length === 0 && Object.keys(tests).length === 0) return;
  await store.updateMeta(KEY, (before) => {
    const proofs = proofsIn(before);
    const known = proofs.find((proof) => proof.tree === tree && proof.setup === setup);
    const others = proofs.filter((proof) => proof !== known);
    const gates = [...new Set([...(known?.gates ?? []), ...names])];
    return [...others, { tree, setup, gates, tests: { ...known?.tests, ...tests } }].slice(-MOST);
  });
}

/** How many tests a gate counted on a tree, by what it runs. */
export async function countOn(store: Store, tree: string, definition: string): Promise<TestCount | undefined> {
  const proofs = proofsIn(await store.getMeta(KEY)).filter((proof) => proof.tree === tree);
  return proofs.flatMap(({ tests }) => tests?.[definition] ?? []).at(-1);
}

/** Whether a gate has passed on another tree without a word about tests: then it is one that is quiet if all is well. */
export async function isQuiet(store: Store, tree: string, definition: string): Promise<boolean> {
  const proofs = proofsIn(await store.getMeta(KEY)).filter((proof) => proof.tree !== tree);
  return proofs.some(({ gates, tests }) => gates.includes(definition) && tests !== undefined && !(definition in tests));
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

// Gates that change files of the tree, or find no tests, do so on the base as well if the work is not the reason for it.

interface TreeHabits {
  readonly tree: string;
  /** The definitions of all gates that ran. */
  readonly gates: readonly string[];
  /** The names of their writes. */
  readonly names: readonly string[];
  /** The definitions of those that found no tests. */
  readonly empty: readonly string[];
}

const HABITS_KEY = "gate-habits";
const MOST_TREES = 50;
const MOST_NAMES = 1000;

interface RanGates extends Pick<Definitions, "pinned"> {
  readonly results: readonly GateResult[];
  readonly changes: readonly FileChange[];
}

export async function rememberHabits(
  store: Store,
  tree: string,
  { results, changes, pinned }: RanGates,
): Promise<void> {
  const definitions = (list: readonly GateResult[]) => list.map(({ gate }) => definitionName(gate, pinned));
  const now = {
    gates: definitions(results),
    names: writeNames(changes).slice(0, MOST_NAMES),
    empty: definitions(results.filter(({ isEmpty }) => isEmpty)),
  };
  const join = (some: readonly string[] = [], more: readonly string[] = []) => [...new Set([...some, ...more])];
  await store.updateMeta(HABITS_KEY, (before) => {
    const all = habitsIn(before);
    const known = all.find((one) => one.tree === tree);
    const others = all.filter((one) => one !== known);
    const { gates, names, empty } = now;
    const joined = {
      tree,
      gates: join(known?.gates, gates),
      names: join(known?.names, names),
      empty: join(known?.empty, empty),
    };
    return [...others, joined].slice(-MOST_TREES);
  });
}

export interface KnownHabits extends Pick<TreeHabits, "names" | "empty"> {
  /** Gates of which nothing is known on the tree. */
  readonly others: readonly Gate[];
}

export async function knownHabits(
  store: Store,
  tree: string,
  { gates, pinned }: Pick<Definitions, "pinned"> & { readonly gates: readonly Gate[] },
): Promise<KnownHabits> {
  const known = habitsIn(await store.getMeta(HABITS_KEY)).find((one) => one.tree === tree);
  const others = gates.filter((gate) => known?.gates.includes(definitionName(gate, pinned)) !== true);
  return { names: known?.names ?? [], empty: known?.empty ?? [], others };
}

const habitsIn = (meta: unknown): TreeHabits[] =>
  (Array.isArray(meta) ? (meta as Partial<TreeHabits>[]) : []).filter(
    (one): one is TreeHabits =>
      typeof one?.tree === "string" && Array.isArray(one.gates) && Array.isArray(one.names) && Array.isArray(one.empty),
  );
