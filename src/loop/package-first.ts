import { join, relative } from "node:path";
import type { Gate, GateResult } from "../domain/gate.ts";
import type { EnteredRoom } from "../lane/lane.ts";
import { nameTree } from "../system/git/tree.ts";
import type { Attempted } from "./attempt.ts";
import type { Candidate } from "./candidate.ts";
import { runChecks } from "./check.ts";
import { taskEnv } from "./naming.ts";
import { markEmpty } from "./no-tests.ts";
import { type LaneState, tell } from "./run-state.ts";
import { quietly } from "./varied.ts";

// The gates of one package take less time than all. They can only reject: all gates decide about a claim that passes.

interface Entered {
  readonly built: Candidate;
  readonly room: EnteredRoom;
}

export interface PackageFirst {
  /** Set if the claim is rejected. */
  readonly results: readonly GateResult[] | undefined;
  /** In which no gate has run. */
  readonly room: EnteredRoom;
}

/** Runs the gates of the package that a claim is about. */
export async function runPackageFirst(lane: LaneState, attempt: Attempted, entered: Entered): Promise<PackageFirst> {
  const { deps } = lane;
  const { built, room } = entered;
  const nothing = { results: undefined, room };
  // The lane's own files are no place to try the base, and without the base a red gate says nothing.
  if (deps.gates.ofPackage === undefined || deps.room.isLane === true || room.setup?.passed === false) return nothing;
  const top = relative(deps.home.folder, deps.root);
  const paths = built.paths.flatMap((path) =>
    top === "" ? path : path.startsWith(`${top}/`) ? path.slice(top.length + 1) : [],
  );
  const gates = await deps.gates.ofPackage(room.root, paths);
  if (gates.length === 0) return nothing;
  const results = await markEmpty(await run(lane, attempt, { gates, room, name: "package" }));
  const red = results.filter(({ passed }) => !passed).map(({ gate }) => gate);
  const known = red.length === 0 || deps.stop.aborted ? [] : await redOnBase(lane, attempt, { gates: red, built });
  // After a stop, all gates end at once and say nothing.
  if (!deps.stop.aborted && red.some(({ id }) => !known.includes(id))) {
    return { results: results.filter(({ gate }) => !known.includes(gate.id)), room };
  }
  if (!deps.stop.aborted && known.length > 0)
    tell(lane, `Gate ${known.join(", ")} fails without the work as well, so all gates decide`);
  // All gates begin with the files that would land, and nothing else.
  return { results: undefined, room: await deps.room.enter(built) };
}

interface Run {
  readonly gates: readonly Gate[];
  readonly room: EnteredRoom;
  readonly name: string;
  readonly isQuiet?: boolean;
}

async function run(
  { deps }: LaneState,
  attempt: Attempted,
  { gates, room, name, isQuiet }: Run,
): Promise<GateResult[]> {
  const { claim, iteration, folder } = attempt;
  return await runChecks(isQuiet === true ? quietly(deps) : deps, gates, {
    iteration,
    cwd: room.root,
    outputFolder: join(folder, name),
    env: { ...room.env, ...taskEnv(claim, iteration) },
    name: `${iteration}.${name}`,
  });
}

/** The package may need others that only the gates of all build. */
async function redOnBase(
  lane: LaneState,
  attempt: Attempted,
  { gates, built: { head } }: { readonly gates: readonly Gate[]; readonly built: Candidate },
): Promise<readonly string[]> {
  const { deps } = lane;
  const { tree } = await nameTree(deps.home, head, []);
  const room = await deps.room.enter({ head, tree });
  if (room.setup?.passed === false) return gates.map(({ id }) => id);
  const results = await run(lane, attempt, { gates, room, name: "package-base", isQuiet: true });
  return results.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
}
