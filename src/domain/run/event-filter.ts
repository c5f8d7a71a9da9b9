import { createLaneFinder } from "./event-lane.ts";
import type { RunEvent } from "./event.ts";

/** Selects events of a run; an undefined field selects all. */
export interface EventQuery {
  /** An id, or its beginning, with or without `t-`. */
  readonly task?: string | undefined;
  readonly iteration?: number | undefined;
  /** L-43: the number of a lane. Events of the run itself belong to none. */
  readonly lane?: number | undefined;
  /** Types, or families of them: `gate` is `gate.started` and `gate.finished`. */
  readonly types?: readonly string[] | undefined;
}

/**
 * Says of one event after the other whether it is wanted. One without an iteration of its own belongs to the iteration
 * of its lane, if one is under way.
 */
export function createEventFilter({ task, iteration, lane, types }: EventQuery): (event: RunEvent) => boolean {
  const laneOf = createLaneFinder();
  /** By lane, the iteration under way. */
  const open = new Map<number, number>();
  const tasks = new Map<number, string>();
  let isOne = true;
  return (event) => {
    if (event.type === "run.started") isOne = (event.lanes ?? 1) === 1;
    if (event.type === "iteration.started") {
      open.set(event.lane, event.iteration);
      if (event.task !== undefined) tasks.set(event.iteration, event.task.id);
    }
    // With one lane, all that happens in an iteration is of its lane.
    const own = laneOf(event) ?? (isOne && event.type !== "run.finished" ? [...open.keys()].at(-1) : undefined);
    const place =
      ("iteration" in event ? event.iteration : undefined) ?? (own === undefined ? undefined : open.get(own));
    if (event.type === "iteration.finished" && own !== undefined && open.get(own) === event.iteration) open.delete(own);
    if (iteration !== undefined && place !== iteration) return false;
    if (lane !== undefined && own !== lane) return false;
    if (types !== undefined && !types.some((type) => isOfType(event.type, type))) return false;
    if (task === undefined) return true;
    const assigned = place === undefined ? undefined : tasks.get(place);
    return [assigned, ...namedIn(event)].some((id) => id !== undefined && isMeant(id, task));
  };
}

const isOfType = (type: string, asked: string): boolean => type === asked || type.startsWith(`${asked}.`);

const isMeant = (id: string, text: string): boolean => id.startsWith(text) || id.startsWith(`t-${text}`);

/** Tasks that an event names although it is about no iteration. */
function namedIn(event: RunEvent): readonly (string | undefined)[] {
  if (event.type === "tasks.changed") return event.tasks.map(({ id }) => id);
  return event.type === "work.kept" ? [event.task] : [];
}

/** The values that `types` may have: families first, then all types. */
export const eventTypes = (types: readonly string[]): string[] => [
  ...new Set([...types.map((type) => type.split(".")[0]!), ...types]),
];
