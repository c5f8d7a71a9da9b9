import { EVENT_DOCS } from "./event-docs.ts";
import type { RunEvent } from "./event.ts";

/** L-43: an event as a lane caused it. Events of an iteration have their lane from that. */
export function withLane(event: RunEvent, lane: number): RunEvent {
  const hasOther = "iteration" in event && event.iteration !== undefined;
  return hasOther || !LANE_TYPES.has(event.type) ? event : ({ ...event, lane } as RunEvent);
}

const LANE_TYPES = new Set(
  Object.entries(EVENT_DOCS).flatMap(([type, { fields }]) =>
    "lane" in fields && fields.lane[0] === "number?" ? [type] : [],
  ),
);

/** Says of one event after the other which lane it is about; undefined: the run itself. */
export function createLaneFinder(): (event: RunEvent) => number | undefined {
  const lanes = new Map<number, number>();
  return (event) => {
    if (event.type === "run.started") lanes.clear();
    if (event.type === "iteration.started") lanes.set(event.iteration, event.lane);
    if ("iteration" in event && event.iteration !== undefined) return lanes.get(event.iteration);
    return "lane" in event && typeof event.lane === "number" ? event.lane : undefined;
  };
}
