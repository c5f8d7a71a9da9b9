import { distinctGates } from "../domain/distinct-gates.ts";
import { asAgents, type Gate, gatesWithout, keptGates, notReplaced, type PinnedGate } from "../domain/gate.ts";
import type { Task } from "../domain/task.ts";
import { readAgentGates, unapproved } from "./agent-gates.ts";
import { mayLoseGates } from "./as-base.ts";
import type { Candidate } from "./candidate.ts";
import { type LaneState, tell } from "./run-state.ts";

/** The gates that decide about a claim. */
export interface ClaimGates {
  /** In order: those of the task, of the person, of agents. */
  readonly gates: readonly Gate[];
  /** T-10: discovery would no longer find some of the person's, or would start them otherwise. */
  readonly hasLost: boolean;
  /** As they are in the candidate. */
  readonly pinned: readonly PinnedGate[];
  /** Those that agents wrote, in this session or an earlier one. */
  readonly written: readonly PinnedGate[];
}

/** `head`: what the candidate was built on, with commits that the person made meanwhile. `root`: the candidate's files. */
export async function gatesOfClaim(
  lane: LaneState,
  task: Task,
  { head, tree, root }: Pick<Candidate, "head" | "tree"> & { readonly root: string | undefined },
): Promise<ClaimGates> {
  const { deps, run } = lane;
  const { ofTask, discover, discoverAt, gates, pinned } = deps.gates;
  const own = ofTask(task);
  if (discover === undefined || root === undefined) {
    return { gates: [...own, ...gates, ...run.agentsGates], hasLost: false, pinned, written: [] };
  }
  const [base, now, known] = await Promise.all([discoverAt(head), discover(root), readAgentGates(deps.store)]);
  const found = base.filter((gate) => unapproved(known, gate) === undefined);
  const persons = keptGates(found);
  const isNamed = (list: readonly { readonly id: string }[], id: string): boolean => list.some((one) => one.id === id);
  const written = keptGates(now.filter(({ id }) => !isNamed(found, id)));
  // One that an agent wrote earlier replaces nothing (T-12).
  const still = notReplaced(now.filter((gate) => unapproved(known, gate) === undefined));
  const hasLost = gatesWithout(persons, still).length > 0;
  // A task that may change how proof is done is proven by its own definitions (T-10).
  const isGranted = hasLost && (await mayLoseGates(lane, task, { head, tree }));
  const valid = isGranted ? now.filter(({ id }) => isNamed(persons, id)) : persons;
  // A person may have added, changed and removed some since the run began.
  const pinnedNow = gates.flatMap((gate) =>
    isNamed(pinned, gate.id) ? valid.filter(({ id }) => id === gate.id).map(deps.gates.gateOf) : [gate],
  );
  const more = valid.filter(({ id }) => !isNamed(pinned, id)).map((gate) => deps.gates.gateOf(gate));
  const ofPerson = [...own, ...pinnedNow, ...distinctGates(more, pinnedNow)];
  // P-16: a new one counts from the next claim on.
  const older = written.filter(({ id }) => isNamed(base, id) || isNamed(run.agentsGates, id));
  const agents = distinctGates(
    older.map((gate) => asAgents(deps.gates.gateOf(gate))),
    ofPerson,
  );
  return { gates: [...ofPerson, ...agents], hasLost, pinned: now, written };
}

/** The next claim has to pass the checks that this session wrote. */
export function adoptGates(lane: LaneState, { written, gates }: ClaimGates): void {
  const { deps, run } = lane;
  const fresh = written.map(({ id }) => id).filter((id) => !gates.some((gate) => gate.id === id));
  run.agentsGates = written.map((gate) => asAgents(deps.gates.gateOf(gate)));
  if (fresh.length > 0) tell(lane, `The agent wrote the gates ${fresh.join(", ")}: they count from the next claim on`);
}
