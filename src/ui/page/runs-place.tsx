import type { ComponentChildren } from "preact";
import { printableLine } from "../../domain/printable.ts";
import { describeScope } from "../../domain/scope-name.ts";
import { countsText, formatNumber, formatUsd, lookup, plural } from "../../format/run-text.ts";
import { Table } from "../parts/table.tsx";
import { CostChart, GateTable } from "./charts.tsx";
import type { GateData, RunData } from "./data.ts";
import { useLoaded } from "./loaded.ts";
import { Mark, type MarkState } from "../parts/mark.tsx";
import { hrefOf } from "./route.ts";
import { Ago, Lasted } from "./time.tsx";
import { Shown } from "./trouble.tsx";

export function RunsPlace() {
  const runs = useLoaded<readonly RunData[]>("/runs");
  return (
    <>
      <h1>Runs</h1>
      <Shown of={runs} what="the runs">
        {(all) =>
          all.length === 0 ? (
            <div class="empty">
              <p>No runs yet.</p>
              <p>
                Start one in a terminal: <code>ralphctl run</code>
              </p>
            </div>
          ) : (
            <>
              <div class="beside">
                <section aria-labelledby="costs">
                  <h2 id="costs">Cost per verified task</h2>
                  <CostChart runs={all} />
                </section>
                <GatesPart />
              </div>
              <RunTable runs={all} />
            </>
          )
        }
      </Shown>
    </>
  );
}

function GatesPart() {
  const gates = useLoaded<readonly GateData[]>("/gates");
  return (
    <section aria-labelledby="gates">
      <h2 id="gates">Gates</h2>
      <Shown of={gates} what="the gates">
        {(all) => <GateTable gates={all} />}
      </Shown>
    </section>
  );
}

const ENDINGS: Readonly<Record<string, readonly [MarkState, string]>> = {
  complete: ["done", "complete"],
  unverified: ["look", "complete, unverified"],
  failure: ["failed", "failed"],
  blocked: ["parked", "blocked"],
  nothing: ["ready", "nothing to do"],
  limit: ["waiting", "stopped at a limit"],
  login: ["failed", "login refused"],
  config: ["failed", "wrong configuration"],
  interrupted: ["ready", "stopped"],
};

type EndedData = Pick<RunData, "ending"> & { readonly state: string };

/** How a run stands, as a shape and a word. */
export function endingOf({ state, ending }: EndedData): readonly [MarkState, string] {
  if (state === "running") return ["in_progress", "running"];
  return ending === null ? ["failed", "crashed or was killed"] : (lookup(ENDINGS, ending) ?? ["ready", ending]);
}

export const costOf = ({ costUsd, isCostPartial }: Pick<RunData, "costUsd" | "isCostPartial">): string =>
  costUsd === null ? "—" : `${isCostPartial ? "≥" : ""}${formatUsd(costUsd)}`;

const MOST_ROWS = 200;

const RunTable = ({ runs }: { readonly runs: readonly RunData[] }) => (
  <section>
    <Table
      isNamed
      isCards
      columns={[
        "Run",
        { long: "End" },
        { long: "Tasks" },
        { number: "Iterations" },
        { number: "Time" },
        { number: "Cost" },
      ]}
      rows={runs.slice(0, MOST_ROWS).map(cellsOf)}
    />
    {runs.length > MOST_ROWS && <p class="faint">{plural(runs.length - MOST_ROWS, "earlier run")} not shown.</p>}
  </section>
);

function cellsOf(run: RunData): ComponentChildren[] {
  const [mark, word] = endingOf(run);
  return [
    <>
      <a href={hrefOf("runs", run.run)} data-row>
        {run.run}
      </a>
      <span class="faint below">
        <Ago at={run.startedAt} />
        {run.scope !== null && run.scope !== "workspace" && <bdi>, {describeScope(run.scope)}</bdi>}
      </span>
    </>,
    <>
      <Mark state={mark} />
      <span class="word">{word}</span>
      {run.reason !== null && <bdi class="faint below">{printableLine(run.reason)}</bdi>}
    </>,
    countsText(Object.entries(run.tasks)) || "—",
    formatNumber(run.iterations),
    <Lasted run={run} />,
    costOf(run),
  ];
}
