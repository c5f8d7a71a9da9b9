import { knownValues, type ValueKind } from "../app/known-values.ts";
import { printableLine } from "../domain/printable.ts";
import type { Argument, Command } from "./command.ts";
import { surroundings } from "./flags.ts";
import type { Io } from "./io.ts";

const TASKS: ReadonlySet<string> = new Set<ValueKind>(["task", "open-task", "parked-task", "ended-task"]);

/** The kind of task that a command needs as its first argument. */
export const taskNeededBy = ({ args: [first] = [] }: Command): ValueKind | undefined =>
  first !== undefined && isTask(first) && first.isOptional !== true ? (first.completes as ValueKind) : undefined;

const isTask = ({ completes }: Argument): boolean => completes !== undefined && TASKS.has(completes);

const MOST = 50;

/** Lets the person at the terminal choose a task. Undefined: there is none, or they do not want to. */
export async function pickTask(kind: ValueKind, io: Io): Promise<string | undefined> {
  const values = await knownValues({ kind, typed: "" }, surroundings({ args: [], options: {} }, io));
  if (values.length === 0) return undefined;
  const options = values.slice(-MOST).map(({ value, doc }) => ({ value, label: `${value}  ${printableLine(doc)}` }));
  return await io.choose("Which task?", options);
}
