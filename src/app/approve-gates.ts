import { RalphError } from "../domain/error.ts";
import type { PinnedGate } from "../domain/gate.ts";
import type { TaskId } from "../domain/task.ts";
import { discoverGates } from "../gate/gate.ts";
import { approveAgentGates, readAgentGates, unapproved } from "../loop/agent-gates.ts";
import { type Caller, writing } from "./task/caller.ts";
import { openWorkspace } from "./workspace.ts";

/** A check of an agent that a person has approved. */
export interface ApprovedGate extends Pick<PinnedGate, "id" | "run"> {
  readonly task: TaskId;
}

/** T-12: approves checks that agents wrote, as they are in the person's files now; all of them if none is named. */
export async function approveGates(ids: readonly string[], caller: Caller): Promise<readonly ApprovedGate[]> {
  const { root } = await openWorkspace(caller);
  const { gates } = await discoverGates(root);
  return await writing(caller, async ({ store }) => {
    const known = await readAgentGates(store);
    const waiting = gates.flatMap((gate) => {
      const record = unapproved(known, gate);
      return record === undefined ? [] : [{ id: gate.id, run: gate.run, task: record.task, record }];
    });
    const others = waiting.map(({ id }) => id);
    for (const id of ids) if (!others.includes(id)) throw notWaiting(id, gates, others);
    const chosen = ids.length === 0 ? waiting : waiting.filter(({ id }) => ids.includes(id));
    await approveAgentGates(
      store,
      chosen.map(({ record }) => record.definition),
    );
    return chosen.map(({ id, run, task }) => ({ id, run, task }));
  });
}

function notWaiting(id: string, gates: readonly PinnedGate[], waiting: readonly string[]): RalphError {
  const isThere = gates.some((gate) => gate.id === id);
  return new RalphError(
    "usage",
    isThere ? `${id} needs no approval: no agent wrote it as it is` : `There is no gate ${JSON.stringify(id)} here`,
    { hint: waiting.length === 0 ? "No gate waits for approval" : `Name one of: ${waiting.join(", ")}` },
  );
}
