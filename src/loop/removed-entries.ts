import type { Followed } from "./run-deps.ts";
import type { RunState } from "./run-state.ts";

/**
 * A task whose entry is gone from the plan is dropped (P-51). A session that builds could make its work disappear that
 * way, and dropping is not an agent's to decide: a person is asked. Returns those that were parked.
 */
export async function askAboutRemoved(state: RunState, dropped: Followed["dropped"]): Promise<Followed["dropped"]> {
  const { deps } = state;
  if (state.mode === "plan") return [];
  const asked: { readonly id: string; readonly title: string }[] = [];
  for (const { id, title } of dropped) {
    const task = await deps.store.get(id);
    if (task?.status !== "dropped" || task.isParent) continue;
    const file = task.source?.file ?? "the plan";
    const question = `A session removed it from ${file}. If it is still to be done, put it back there before you answer; if not, drop it afterwards`;
    await deps.store.change(id, { kind: "reset", reason: `Its entry in ${file} was removed by a session` }, "plan");
    await deps.store.change(id, { kind: "park", question }, "loop");
    asked.push({ id, title });
  }
  if (asked.length > 0) deps.emit({ type: "tasks.changed", change: "parked", tasks: asked });
  return asked;
}

/** What the agent is told of it. */
export const removedNote = ({ id, title }: { readonly id: string; readonly title: string }): string =>
  `You removed ${id} "${title}" from the plan: a person will be asked whether it is still to be done. Leave entries of other tasks alone.`;
