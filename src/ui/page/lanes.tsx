import { formatDuration } from "../../domain/duration.ts";
import { printableLine } from "../../domain/printable.ts";
import { isProving, type IterationRecord } from "../../domain/run/iteration-record.ts";
import { inRooms, openIterations, type RunRecord } from "../../domain/run/run-record.ts";
import { hasLanes, ownLanes } from "../../domain/run/summary.ts";
import { totalTokens } from "../../domain/usage.ts";
import { heldText } from "../../format/held-text.ts";
import { agentText, formatNumber, moneyTexts, plural } from "../../format/run-text.ts";
import { nowMs } from "./clock.ts";
import { Mark, type MarkState } from "../parts/mark.tsx";
import { TaskLink } from "./task-link.tsx";
import { Since } from "./time.tsx";

/** A damaged log may say any number. */
const MOST_LANES = 100;
/** After this long a silence, it draws attention. */
const LONG_SILENCE_MS = 180_000;

/** L-43: a row for each lane, those at work first. */
export function Lanes({ record }: { readonly record: RunRecord }) {
  const open = openIterations(record).toSorted((one, other) => one.started.lane - other.started.lane);
  const inside = new Set(inRooms(record));
  const busy = new Set(open.map(({ started }) => started.lane));
  const all = Array.from({ length: Math.min(MOST_LANES, ownLanes(record.summary)) }, (_, at) => at + 1);
  const free = all.filter((lane) => !busy.has(lane)).length;
  const why = heldText(record.held);
  return (
    <section aria-labelledby="lanes">
      <h2 id="lanes">{hasLanes(record.summary) ? "Lanes" : "At work"}</h2>
      <ol class="lanes">
        {open.map((each) => (
          <Lane key={each.started.iteration} iteration={each} isInRoom={inside.has(each)} />
        ))}
      </ol>
      {open.length === 0 && <p class="faint">No agent works at the moment. {whyIdle(record)}</p>}
      {open.length > 0 && free > 0 && (
        <p class="faint">
          {plural(free, "lane")} without a task{why === undefined ? "" : `: ${why}`}.
        </p>
      )}
    </section>
  );
}

function whyIdle({ summary, check, hooks }: RunRecord): string {
  if (summary.waiting !== undefined) return "The run waits.";
  if (check !== undefined) return "Gates are checked first.";
  return hooks.length > 0 ? `Hook ${printableLine(hooks[0]!.hook)} runs.` : "The run prepares its work.";
}

interface LaneProps {
  readonly iteration: IterationRecord;
  readonly isInRoom: boolean;
}

function Lane({ iteration, isInRoom }: LaneProps) {
  const { started, usage, startedAtMs, model } = iteration;
  const { task, harness, lane, attempts, attemptLimit, mode } = started;
  const [kind, state] = stateOf(iteration, isInRoom);
  const cost = moneyTexts(usage)[0];
  const tokens = totalTokens(usage);
  return (
    <li class="lane">
      <span class="lane-number" title={`Lane ${lane}, iteration ${started.iteration}`}>
        <span class="hidden">Lane </span>
        {lane}
      </span>
      <div class="lane-task">
        {task === undefined ? <span>{mode === "plan" ? "Planning" : "Working"}</span> : <TaskLink {...task} />}
        <p class="lane-state">
          <Mark state={kind} />
          <span class="word">{state}</span> <Doing iteration={iteration} />
        </p>
      </div>
      <dl class="lane-facts">
        <Fact name="Agent" value={agentText(harness, started.model ?? model)} />
        {task !== undefined && (
          <Fact name="Attempt" value={`${attempts + 1} of ${attemptLimit}`} isWarning={attempts > 0} />
        )}
        <div>
          <dt>Time</dt>
          <dd class="number">
            <Since at={startedAtMs} />
          </dd>
        </div>
        <Fact name="Cost" value={cost ?? (tokens > 0 ? `${formatNumber(tokens)} tokens` : "—")} />
      </dl>
    </li>
  );
}

const Fact = (props: { readonly name: string; readonly value: string; readonly isWarning?: boolean }) => (
  <div>
    <dt>{props.name}</dt>
    <dd class={props.isWarning ? "number warn" : "number"}>{props.value}</dd>
  </div>
);

function stateOf(iteration: IterationRecord, isInRoom: boolean): readonly [MarkState, string] {
  if (isInRoom) return ["look", "is being proven"];
  if (iteration.ended === undefined) return ["in_progress", "works"];
  return isProving(iteration) ? ["waiting", "waits for the room"] : ["in_progress", "ends"];
}

/** What it does at this moment: the last tool call, the last words, the gate. */
function Doing({ iteration: { ended, doing, gates, heardAtMs } }: { readonly iteration: IterationRecord }) {
  const gate = gates.findLast(({ result }) => result === undefined);
  if (ended !== undefined) {
    if (gate === undefined) return null;
    return (
      <span class="doing">
        gate <code>{printableLine(gate.gate)}</code> for <Since at={gate.startedAtMs} />
      </span>
    );
  }
  const silentMs = nowMs.value - heardAtMs;
  return (
    <>
      {doing !== undefined && (
        <bdi class={doing.kind === "tool" ? "doing call" : doing.kind === "text" ? "doing" : "doing faint"}>
          {printableLine(doing.text)}
        </bdi>
      )}
      {silentMs > LONG_SILENCE_MS && <span class="warn"> silent for {formatDuration(silentMs)}</span>}
    </>
  );
}
