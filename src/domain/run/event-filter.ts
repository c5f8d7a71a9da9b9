import type { RunEvent } from "./event.ts";

/** Selects events of a run; an undefined field selects all. */
export interface EventQuery {
  /** An id, or its beginning, with or without `t-`. */
  readonly task?: string | undefined;
  readonly iteration?: number | undefined;
  /** L-43: the number of a lane. Events of no iteration belong to the run, and to no lane. */
  readonly lane?: number | undefined;
  /** Types, or families of them: `gate` is `gate.started` and `gate.finished`. */
  readonly types?: readonly string[] | undefined;
}

/**
 * Says of one event after the other whether it is wanted. One without an iteration of its own belongs to the iteration
 * in which it happens.
 */
export function createEventFilter({ task, iteration, lane, types }: EventQuery): (event: RunEvent) => boolean {
  let open: number | undefined;
  const tasks = new Map<number, string>();
  const lanes = new Map<number, number>();
  return (event) => {
    if (event.type === "iteration.started") {
      open = event.iteration;
      lanes.set(event.iteration, event.lane);
      if (event.task !== undefined) tasks.set(event.iteration, event.task.id);
    }
    const place =
      ("iteration" in event ? event.iteration : undefined) ?? (event.type === "run.finished" ? undefined : open);
    if (event.type === "iteration.finished" && event.iteration === open) open = undefined;
    if (iteration !== undefined && place !== iteration) return false;
    if (lane !== undefined && (place === undefined || lanes.get(place) !== lane)) return false;
    if (types !== undefined && !types.some((type) => isOfType(event.type, type))) return false;
    if (task === undefined) return true;
    const own = place === undefined ? undefined : tasks.get(place);
    return [own, ...namedIn(event)].some((id) => id !== undefined && isMeant(id, task));
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
