import type { Gate } from "../domain/gate.ts";
import { countedWrites, writeNames } from "../domain/gate-writes.ts";
import type { Room } from "../lane/lane.ts";
import type { Store } from "../store/store.ts";
import { nameTree } from "../system/git/tree.ts";
import { type CheckDeps, type CheckPlace, runChecks } from "./check.ts";
import { knownWrites, owedGates, rememberWrites } from "./proofs.ts";
import type { RunDeps, RunGates } from "./run-deps.ts";

export interface BaseDeps extends CheckDeps, Pick<RunDeps, "home"> {
  readonly room: Room;
  /** Without a store, nothing is remembered. */
  readonly store?: Store | undefined;
  readonly gates: Pick<RunGates, "pinned">;
}

interface Question {
  readonly base: string;
  readonly tree: string;
  readonly room: { readonly prepared: string };
  readonly gates: readonly Gate[];
  readonly place: CheckPlace;
}

export interface BaseAnswer {
  /** The names of what the gates write on the base. */
  readonly names: readonly string[];
  /** The room holds the base now. */
  readonly hasEntered: boolean;
}

/** What gates write on the base. Those that ran there before do not run again. Undefined: the tree is the base. */
export async function askBase(deps: BaseDeps, question: Question): Promise<BaseAnswer | undefined> {
  const { home, store } = deps;
  const { tree } = await nameTree(home, question.base, []);
  if (tree === question.tree) return undefined;
  const { pinned } = deps.gates;
  const {
    gates,
    room: { prepared },
  } = question;
  const known = store && (await knownWrites(store, tree, { gates, pinned }));
  const names = known?.names ?? [];
  const owed =
    store && known ? await owedGates(store, { tree, setup: prepared }, { gates: known.others, pinned }) : gates;
  // The lane's own files are no place to try others.
  if (owed.length === 0 || deps.room.isLane === true) return { names, hasEntered: false };
  const room = await deps.room.enter({ head: question.base, tree });
  if (room.setup?.passed === false) return { names, hasEntered: true };
  const { place } = question;
  const quiet = { ...deps, emit: () => undefined };
  await runChecks(quiet, owed, { ...place, cwd: room.root, name: `${place.name}.base` });
  const changes = countedWrites(await room.files.changes());
  if (store !== undefined && !deps.stop.aborted) await rememberWrites(store, tree, { gates: owed, changes, pinned });
  return { names: [...names, ...writeNames(changes)], hasEntered: true };
}
