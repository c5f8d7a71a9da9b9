import { createLaneFinder } from "../../domain/run/event-lane.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import type { ViewState } from "./block-view.ts";

/** The last lines of a lane that are kept while others are shown. */
const MOST_KEPT = 20;

export interface LaneFilter {
  /** The lines of an event that are shown now. */
  readonly shown: (event: RunEvent, lines: readonly string[]) => readonly string[];
  /** The last lines of a lane that were not shown. */
  readonly take: (lane: number) => readonly string[];
}

/**
 * L-43: with several lanes, words of agents are shown if their lane is chosen, or with more detail. Otherwise the lines
 * tell only how far the tasks are, because several agents at once cannot be read.
 */
export function createLaneFilter(run: RunRecord, person: () => ViewState): LaneFilter {
  const laneOf = createLaneFinder();
  const kept = new Map<number, readonly string[]>();
  return {
    shown: (event, lines) => {
      const lane = laneOf(event);
      if (!hasLanes(run.summary) || lane === undefined || isShown(event, lane, person())) return lines;
      if (lines.length > 0) kept.set(lane, [...(kept.get(lane) ?? []), ...lines].slice(-MOST_KEPT));
      return [];
    },
    take: (lane) => {
      const lines = kept.get(lane) ?? [];
      kept.delete(lane);
      return lines;
    },
  };
}

function isShown(event: RunEvent, lane: number, { lane: chosen, detail }: ViewState): boolean {
  if (event.type === "run.notice" || lane === chosen) return true;
  return chosen === undefined && (detail === "more" || !isTalk(event));
}

/** The end of a session only ends its last words, unless something went wrong. */
const isTalk = (event: RunEvent): boolean =>
  TALK.has(event.type) || (event.type === "agent.ended" && event.outcome.kind === "done");

const TALK: ReadonlySet<string> = new Set(["agent.text", "agent.thinking", "agent.tool", "agent.tool-result"]);
