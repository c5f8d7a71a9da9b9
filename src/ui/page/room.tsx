import { printableLine } from "../../domain/printable.ts";
import type { CheckKind } from "../../domain/run/event.ts";
import type { GateRecord } from "../../domain/run/iteration-record.ts";
import { inRooms, type RunRecord } from "../../domain/run/run-record.ts";
import { durationText, lookup } from "../../format/run-text.ts";
import { Mark } from "../parts/mark.tsx";
import { TaskLink } from "./task-link.tsx";
import { Ago, Since } from "./time.tsx";

const CHECKS: Readonly<Record<CheckKind, string>> = {
  baseline: "Gates before work starts",
  own: "Gates of a task before its first session",
  final: "The final check of all gates",
  extra: "Gates with the old configuration and tests",
};

/** L-10: what is proven at the moment, gate by gate. */
export function Room({ record }: { readonly record: RunRecord }) {
  const proving = inRooms(record);
  const { check } = record;
  const all = record.summary.started?.gates ?? [];
  return (
    <section aria-labelledby="room">
      <h2 id="room">Being proven</h2>
      {check !== undefined && (
        <div class="proof">
          <p>{lookup(CHECKS, check.check) ?? "Gates"}</p>
          <Gates gates={check.gates} all={all} />
        </div>
      )}
      {proving.map(({ started, gates }) => (
        <div class="proof" key={started.iteration}>
          {started.task !== undefined && <TaskLink {...started.task} />}
          <Gates gates={gates} all={all} />
        </div>
      ))}
      {check === undefined && proving.length === 0 && <p class="faint">Nothing: no agent has claimed to be done.</p>}
    </section>
  );
}

interface GatesProps {
  readonly gates: readonly GateRecord[];
  readonly all: readonly { readonly gate: string }[];
}

function Gates({ gates, all }: GatesProps) {
  const seen = new Set(gates.map(({ gate }) => gate));
  return (
    <ul class="gates">
      {gates.map(({ gate, result, startedAtMs }, at) => (
        <li key={`${gate} ${at}`}>
          <Mark state={result === undefined ? "in_progress" : result.passed ? "done" : "failed"} />
          <span>
            {printableLine(gate)}
            <span class="hidden">{result === undefined ? " runs" : result.passed ? " passed" : " failed"}</span>
          </span>
          <span class="number faint">
            {result === undefined ? <Since at={startedAtMs} /> : durationText(result.durationMs)}
          </span>
        </li>
      ))}
      {all
        .filter(({ gate }) => !seen.has(gate))
        .map(({ gate }) => (
          <li key={gate} class="faint">
            <Mark state="ready" />
            <span>{printableLine(gate)}</span>
            <span>to come</span>
          </li>
        ))}
    </ul>
  );
}

const MOST_SHOWN = 5;
const STRENGTHS = { proven: "proven", unbroken: "unbroken", look: "look at it" } as const;

/** The tasks that were done last, newest first. */
export function Landed({ record }: { readonly record: RunRecord }) {
  const landed = record.landed.slice(-MOST_SHOWN).toReversed();
  return (
    <section aria-labelledby="landed">
      <h2 id="landed">Landed</h2>
      {landed.length === 0 && <p class="faint">Nothing in this run yet.</p>}
      <ul class="list">
        {landed.map(({ task, strength, atMs }) => (
          <li key={task.id}>
            <Mark state={strength === "look" ? "look" : "done"} />
            <TaskLink {...task} />
            <span class="faint">
              {lookup(STRENGTHS, strength) ?? strength}, <Ago at={atMs} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
