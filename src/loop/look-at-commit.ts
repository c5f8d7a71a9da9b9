import { join } from "node:path";
import type { CommitLook } from "../domain/culprit.ts";
import type { Check } from "../domain/decay.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import type { EnteredRoom } from "../lane/lane.ts";
import { NotReproducible } from "../lane/place.ts";
import type { Store } from "../store/store.ts";
import type { LineCommit } from "../system/git/line.ts";
import { randomUuid } from "../system/random-name.ts";
import type { BaseDeps } from "./ask-base.ts";
import type { CheckDeps } from "./check.ts";
import { taskEnv } from "./naming.ts";
import { owedGates } from "./proofs.ts";
import type { RunDeps, RunGates } from "./run-deps.ts";
import { runOnTree } from "./run-on-tree.ts";
import { varied } from "./varied.ts";

/** `ralphctl verify --all` has no run. */
export interface DecayDeps extends CheckDeps, Pick<RunDeps, "home" | "room" | "folder" | "told"> {
  readonly store: Store;
  readonly gates: Pick<RunGates, "discover" | "pinned">;
}

export interface LookRequest {
  readonly commit: Pick<LineCommit, "id" | "tree" | "parent">;
  /** The commit that everything is about. On others, a gate that does not exist yet is not red. */
  readonly isNewest: boolean;
  /** Whether it has to run even if a record says that it passed on this tree. */
  readonly isAgain: boolean;
}

export interface Looked extends Omit<CommitLook, "at"> {
  /** Undefined if nothing ran. */
  readonly result?: GateResult | undefined;
}

const UNCHECKED: Looked = { passed: undefined };

/** The exit code by which a program tells `git bisect` to skip a commit. */
const SKIP = 125;

/** Runs one gate once in the room, on the files of a commit and nothing else. */
export async function lookAtCommit(deps: DecayDeps, check: Check, request: LookRequest): Promise<Looked> {
  const { commit, isNewest } = request;
  const room = await enter(deps, commit);
  if (room === undefined) return UNCHECKED;
  if (room.setup?.passed === false) return UNCHECKED;
  const found = (await deps.gates.discover?.(room.root)) ?? [];
  const isAbsent = isDiscovered(deps, check.gate) && !found.some(({ id }) => id === check.gate.id);
  if (isAbsent && !isNewest) return { passed: true };
  const proof = { tree: commit.tree, setup: room.prepared };
  const about = { pinned: found, task: check.task?.id };
  const { gate } = check;
  const hasMemory = deps.room.isLane !== true;
  if (hasMemory && !request.isAgain && (await owedGates(deps.store, proof, { gates: [gate], ...about })).length === 0) {
    return { passed: true, isRemembered: true };
  }
  const store = hasMemory ? deps.store : undefined;
  const [result] = await runOnce(varied(deps, { store, gates: { pinned: found } }), check, { room, commit });
  if (result === undefined || deps.stop.aborted) return UNCHECKED;
  const end = result.runs.at(-1)?.end;
  const isSkipped = !isNewest && end?.kind === "exit" && end.code === SKIP;
  return isSkipped ? UNCHECKED : { passed: result.passed, result };
}

/** Only such a gate can be missing in an older commit; the others are the same for all. */
const isDiscovered = ({ gates }: DecayDeps, { id, kind, isAgents }: Gate): boolean =>
  kind === "workspace" && (isAgents === true || gates.pinned.some((gate) => gate.id === id));

async function enter({ room }: DecayDeps, { id, tree }: LookRequest["commit"]): Promise<EnteredRoom | undefined> {
  try {
    return await room.enter({ head: id, tree });
  } catch (error) {
    if (error instanceof NotReproducible) return undefined;
    throw error;
  }
}

async function runOnce(
  deps: BaseDeps & Pick<DecayDeps, "folder">,
  { gate, task }: Check,
  { room, commit }: Pick<LookRequest, "commit"> & { readonly room: EnteredRoom },
): Promise<readonly GateResult[]> {
  const env = task === undefined ? {} : taskEnv({ task });
  const name = `look-${randomUuid().slice(0, 8)}`;
  const outputFolder = join(deps.folder, name);
  const place = { cwd: room.root, outputFolder, env: { ...room.env, ...env }, name };
  const start = { head: commit.id, tree: commit.tree, base: commit.parent };
  return await runOnTree(deps, { ...start, room, gates: [gate], place, task: task?.id });
}
