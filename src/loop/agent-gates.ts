import type { PinnedGate } from "../domain/gate.ts";
import type { TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import { definitionName } from "./proofs.ts";

// T-12: the store remembers checks that agents wrote, by content. They run and can reject, but verify nothing by
// themselves, and no later session needs leave to change them, until a person approves them.

export interface AgentGate {
  readonly id: string;
  /** Names its content. */
  readonly definition: string;
  readonly task: TaskId;
  readonly run: string;
  readonly isApproved?: true;
}

const KEY = "agent-gates";
const MOST = 1000;

export const readAgentGates = async (store: Pick<Store, "getMeta">): Promise<readonly AgentGate[]> =>
  gatesIn(await store.getMeta(KEY));

/** The record of an agent that wrote a gate as it is now, while no person has approved it. */
export const unapproved = (known: readonly AgentGate[], gate: PinnedGate): AgentGate | undefined =>
  known.find(({ definition, isApproved }) => isApproved !== true && definition === definitionName(gate, [gate]));

/** Whether a person has approved a gate of an agent's as it is now. */
export const isApprovedAs = ({ definition, isApproved }: AgentGate, gate: PinnedGate): boolean =>
  isApproved === true && definition === definitionName(gate, [gate]);

/** Called before their work lands: a crash in between must not make them a person's. */
export async function rememberAgentGates(
  store: Store,
  gates: readonly PinnedGate[],
  by: Pick<AgentGate, "task" | "run">,
): Promise<void> {
  const known = new Set((await readAgentGates(store)).map(({ definition }) => definition));
  const news = gates
    .map((gate): AgentGate => ({ id: gate.id, definition: definitionName(gate, [gate]), ...by }))
    .filter(({ definition }) => !known.has(definition));
  if (news.length > 0) await store.updateMeta(KEY, (before) => [...gatesIn(before), ...news].slice(-MOST));
}

/** From now on they are as a person's. */
export async function approveAgentGates(store: Store, definitions: readonly string[]): Promise<void> {
  await store.updateMeta(KEY, (before) =>
    gatesIn(before).map((gate) => (definitions.includes(gate.definition) ? approved(gate) : gate)),
  );
}

const approved = (gate: AgentGate): AgentGate => ({ ...gate, isApproved: true });

function gatesIn(meta: unknown): AgentGate[] {
  return (Array.isArray(meta) ? (meta as Partial<AgentGate>[]) : []).filter(
    (gate): gate is AgentGate => typeof gate?.id === "string" && typeof gate.definition === "string",
  );
}
