import type { Gate } from "./gate.ts";
import type { Task } from "./task.ts";

/**
 * Gates whose ids tell them apart, also from those that have theirs already: of two that are called `test`, the second
 * is `test-2`. Capitals do not tell apart: each gate's output has a file of its name.
 */
export function distinctGates(gates: readonly Gate[], besides: readonly Gate[] = []): Gate[] {
  const taken = new Set(besides.map(({ id }) => id.toLowerCase()));
  return gates.map((gate) => {
    let id = gate.id;
    for (let number = 2; taken.has(id.toLowerCase()); number += 1) {
      const ending = `-${number}`;
      id = `${gate.id.slice(0, MAX_ID - ending.length)}${ending}`;
    }
    taken.add(id.toLowerCase());
    return { ...gate, id };
  });
}

const MAX_ID = 64;

/** A task's own gates, told apart from those of the workspace, which keep their ids. */
export const taskGates = (
  { gates }: Pick<Task, "gates">,
  defaultTimeoutMs: number,
  besides: readonly Gate[] = [],
): Gate[] =>
  distinctGates(
    gates.map(({ timeoutMs = defaultTimeoutMs, ...gate }) => ({ ...gate, kind: "task", timeoutMs })),
    besides,
  );

/** `CI=1 npm run test`, as discovery writes it, is the `npm test` that a person writes. */
export const isSameCommand = (one: Pick<Gate, "run">, other: Pick<Gate, "run">): boolean =>
  plainCommand(one) === plainCommand(other);

const plainCommand = ({ run }: Pick<Gate, "run">): string =>
  run
    .trim()
    .replace(/^CI=\w+\s+/, "")
    .replace(/^(npm|pnpm|yarn)\s+run\s+/, "$1 ");
