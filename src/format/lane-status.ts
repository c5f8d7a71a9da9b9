import { printableLine } from "../domain/printable.ts";
import type { TaskName } from "../domain/run/event.ts";
import { isProving, type IterationRecord } from "../domain/run/iteration-record.ts";
import { inRooms, openIterations, type RunRecord } from "../domain/run/run-record.ts";
import { ownLanes } from "../domain/run/summary.ts";
import { heldText } from "./held-text.ts";
import type { Fact } from "./page-parts.ts";
import { agentText, iterationNumber, listSome, truncate } from "./run-text.ts";

const TITLE = 56;
/** A damaged log may say any number. */
const MOST_LANES = 1000;

/** L-43: what each lane does, and since when. `since`: the time since a moment, in words. */
export function laneFacts(run: RunRecord, since: (ms: number) => string): Fact[] {
  const open = openIterations(run).toSorted((one, other) => one.started.lane - other.started.lane);
  const inside = inRooms(run);
  const working = new Set(open.map(({ started }) => started.lane));
  const checked = working.has(run.check?.lane ?? 0) ? undefined : run.check?.lane;
  const { held } = run;
  const next = held?.task === undefined || working.has(held.lane ?? 0) ? undefined : held;
  const why = heldText(held);
  const all = Array.from({ length: Math.min(MOST_LANES, ownLanes(run.summary)) }, (_, at) => at + 1);
  const free = all.filter((lane) => !working.has(lane) && lane !== checked && lane !== next?.lane);
  return [
    ...open.map((record): Fact => {
      const { task, harness, model, mode, lane, ...number } = record.started;
      const about = task === undefined ? mode : nameOf(task);
      const state = inside.includes(record) ? roomText(record, since) : stateText(record, since);
      return [`Lane ${lane}`, [about, `${agentText(harness, model)}, iteration ${iterationNumber(number)}, ${state}`]];
    }),
    ...(checked === undefined
      ? []
      : [[`Lane ${checked}`, "in the room, with a task before its first session"] as const]),
    ...(next === undefined
      ? []
      : [[`Lane ${next.lane}`, [nameOf(next.task!), "waiting until no other lane works"]] as const]),
    [
      "No task",
      free.length === 0
        ? undefined
        : `${free.length === 1 ? "lane" : "lanes"} ${listSome(free.map(String), 20)}${why === undefined ? "" : `: ${why}`}`,
    ],
  ];
}

const nameOf = ({ id, title }: TaskName): string => `${id}  ${truncate(printableLine(title), TITLE)}`;

function stateText(record: IterationRecord, since: (ms: number) => string): string {
  const { ended, startedAtMs, claimedAtMs } = record;
  if (ended === undefined) return `working for ${since(startedAtMs)}`;
  return isProving(record) && claimedAtMs !== undefined
    ? `waiting for the room for ${since(claimedAtMs)}`
    : `ending after ${since(startedAtMs)}`;
}

function roomText({ gates }: IterationRecord, since: (ms: number) => string): string {
  const gate = gates.findLast(({ result }) => result === undefined);
  // How long it waited for the room before the first gate, nobody has said.
  const text = gates[0] === undefined ? "in the room" : `in the room for ${since(gates[0].startedAtMs)}`;
  return gate === undefined ? text : `${text}, gate ${printableLine(gate.gate)}`;
}
