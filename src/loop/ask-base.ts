import type { Gate } from "../domain/gate.ts";
import { countedWrites, writeNames } from "../domain/gate-writes.ts";
import type { Room } from "../lane/lane.ts";
import type { Store } from "../store/store.ts";
import { nameTree } from "../system/git/tree.ts";
import { type CheckDeps, type CheckPlace, runChecks } from "./check.ts";
import { markEmpty } from "./no-tests.ts";
import { definitionName, knownHabits, rememberHabits } from "./proofs.ts";
import type { RunDeps, RunGates } from "./run-deps.ts";
import { quietly } from "./varied.ts";

export interface BaseDeps extends CheckDeps, Pick<RunDeps, "home"> {
  readonly room: Room;
  /** Without a store, nothing is remembered. */
  readonly store?: Store | undefined;
  readonly gates: Pick<RunGates, "pinned">;
  /** Warnings that were given. */
  readonly told?: Set<string> | undefined;
}

interface Question {
  readonly base: string;
  readonly tree: string;
  readonly gates: readonly Gate[];
  readonly place: CheckPlace;
}

export interface BaseAnswer {
  /** The names of what the gates write on the base. */
  readonly names: readonly string[];
  /** The definitions of gates that find no tests there. */
  readonly empty: readonly string[];
  /** The room holds the base now. */
  readonly hasEntered: boolean;
}

/** How gates behave on the base. Those that ran there before do not run again. Undefined: the tree is the base. */
export async function askBase(deps: BaseDeps, question: Question): Promise<BaseAnswer | undefined> {
  const {
    store,
    gates: { pinned },
  } = deps;
  const { tree } = await nameTree(deps.home, question.base, []);
  if (tree === question.tree) return undefined;
  const { gates } = question;
  const nothing = { names: [], empty: [], others: gates };
  const known = store === undefined ? nothing : await knownHabits(store, tree, { gates, pinned });
  const owed = known.others;
  const definitions = (list: readonly Gate[]) => list.map((gate) => definitionName(gate, pinned));
  if (owed.length === 0) return { ...known, hasEntered: false };
  // The lane's own files are no place to try others, so nothing is held against its gates.
  if (deps.room.isLane === true) {
    return { ...known, empty: [...known.empty, ...definitions(owed)], hasEntered: false };
  }
  const room = await deps.room.enter({ head: question.base, tree });
  if (room.setup?.passed === false) return { ...known, hasEntered: true };
  const { place } = question;
  const ran = await runChecks(quietly(deps), owed, { ...place, cwd: room.root, name: `${place.name}.base` });
  const results = await markEmpty(ran);
  const changes = countedWrites(await room.files.changes());
  if (store !== undefined && !deps.stop.aborted) await rememberHabits(store, tree, { results, changes, pinned });
  const empty = definitions(results.filter(({ isEmpty }) => isEmpty).map(({ gate }) => gate));
  return { names: [...known.names, ...writeNames(changes)], empty: [...known.empty, ...empty], hasEntered: true };
}
