import { estimateOf } from "../../domain/run/estimate.ts";
import { progressOf, type RunRecord, spentOf } from "../../domain/run/run-record.ts";
import { describeScope } from "../../domain/scope-name.ts";
import { printableLine } from "../../domain/printable.ts";
import { estimateText } from "../../format/estimate-text.ts";
import { headline } from "../../format/run-summary.ts";
import { costSign, formatNumber, formatUsd, limitsText, lookup, plural } from "../../format/run-text.ts";
import { nowMs } from "./clock.ts";
import type { StatusData } from "./data.ts";
import { Lanes } from "./lanes.tsx";
import { live, type LiveRun } from "./live.ts";
import { type Loaded, useLoaded } from "./loaded.ts";
import { Mark } from "../parts/mark.tsx";
import { Landed, Room } from "./room.tsx";
import { hrefOf } from "./route.ts";
import { RunControls, TellAgents } from "./run-controls.tsx";
import { connection } from "./stream.ts";
import { TaskLink } from "./task-link.tsx";
import { Ago, Since, Until } from "./time.tsx";
import { MaybeOld, Trouble } from "./trouble.tsx";

export function NowPlace() {
  const loaded = useLoaded<StatusData>("/status");
  const status = loaded.value;
  const now = live.value;
  return (
    <>
      <MaybeOld of={loaded} />
      {now === undefined ? <NoRun of={loaded} /> : <RunHead now={now} />}
      <div class={now?.isRunning ? "desk" : undefined}>
        {now?.isRunning && <Lanes record={now.record} />}
        <div>
          {now?.isRunning && <Room record={now.record} />}
          {now !== undefined && <Notices record={now.record} />}
          <div class="beside">
            {now !== undefined && <Landed record={now.record} />}
            <Next status={status} />
          </div>
          <OtherRuns status={status} shown={now?.run} />
        </div>
      </div>
    </>
  );
}

function NoRun({ of: { value: status, error } }: { readonly of: Loaded<StatusData> }) {
  if (status === undefined && error !== undefined && error.status !== 0) {
    return (
      <>
        <h1>Now</h1>
        <Trouble error={error} />
      </>
    );
  }
  if (status === undefined) return <p class="faint">{WORDS[connection.value.kind]}</p>;
  const open = status.tasks.reduce((sum, { ready, blocked }) => sum + ready + blocked, 0);
  return (
    <>
      <h1>No run yet</h1>
      {open === 0 ? (
        <p>
          There are no open tasks. Add one: <code>ralphctl task add "TITLE"</code>, or let an agent write a plan:{" "}
          <code>ralphctl run plan</code>
        </p>
      ) : (
        <p>
          {plural(open, "open task")}. Start a run in a terminal: <code>ralphctl run</code>
        </p>
      )}
      <p class="faint">This page shows a run as soon as it begins.</p>
    </>
  );
}

const WORDS = {
  connecting: "Asking the server what goes on…",
  live: "Reading the state of the workspace…",
  resting: "This tab rests.",
  offline: "The server does not answer.",
} as const;

function RunHead({ now }: { readonly now: LiveRun }) {
  const { record, isRunning, run } = now;
  return (
    <header class="run">
      <h1>{titleOf(now)}</h1>
      <RunFacts record={record} run={run} isRunning={isRunning} />
      {/* A run that was killed waits for nothing, and will not be done. */}
      {isRunning && <Waiting record={record} />}
      <Progress record={record} isRunning={isRunning} />
      {isRunning ? <RunControls live={now} /> : <EndOfRun run={run} />}
    </header>
  );
}

function titleOf({ record: { summary }, isRunning }: LiveRun): string {
  if (summary.finished !== undefined) return headline(summary.finished);
  if (!isRunning) return "The last run crashed or was killed";
  if (summary.waiting?.for === "pause") return "Paused";
  return summary.waiting === undefined ? (summary.started?.mode === "plan" ? "Planning" : "Working") : "Waiting";
}

function RunFacts({ record, run, isRunning }: LiveRun) {
  const { started } = record.summary;
  return (
    <p class="fact-line">
      <a href={hrefOf("runs", run)}>{run}</a>
      {started !== undefined && <span>{describeScope(started.scope)}</span>}
      {started?.branch !== undefined && <bdi>{printableLine(started.branch)}</bdi>}
      {isRunning ? (
        <span>
          for <Since at={record.startedAtMs} />
        </span>
      ) : (
        <span>
          ended <Ago at={record.lastAtMs} />
        </span>
      )}
      {started !== undefined && <span>at most {limitsText(started.limits)}</span>}
    </p>
  );
}

const WAITS = {
  limit: "Waiting for the usage limit to end",
  outage: "Waiting for the model's server",
  pause: "Paused by a person",
} as const;

/** P-43: with a countdown. */
function Waiting({ record: { summary } }: { readonly record: RunRecord }) {
  const { waiting } = summary;
  if (waiting === undefined) return null;
  return (
    <p class="banner warn">
      <Mark state="waiting" />
      {lookup(WAITS, waiting.for) ?? "Waiting"}
      {waiting.untilMs !== undefined && (
        <>
          : <Until at={waiting.untilMs} />
        </>
      )}
    </p>
  );
}

function Progress({ record, isRunning }: Pick<LiveRun, "record" | "isRunning">) {
  const progress = progressOf(record);
  const spent = spentOf(record);
  const estimate = isRunning ? estimateText(estimateOf(record, nowMs.value), nowMs.value) : undefined;
  const { costUsd: mostUsd } = record.summary.started?.limits ?? {};
  return (
    <div class="progress">
      {progress !== undefined && (
        <>
          <progress max={Math.max(1, progress.total)} value={progress.done} aria-label="Tasks done" />
          <p class="fact-line">
            <span>
              {formatNumber(progress.done)} of {plural(progress.total, "task")} done
            </span>
            {progress.failed > 0 && <span class="bad">{formatNumber(progress.failed)} failed</span>}
            {progress.waiting > 0 && <a href={hrefOf("needs")}>{formatNumber(progress.waiting)} parked</a>}
            <span class="number">
              {spent.costUsd === undefined ? "no cost reported" : `${costSign(spent)}${formatUsd(spent.costUsd)}`}
              {spent.costUsd !== undefined && mostUsd !== undefined && ` of ${formatUsd(mostUsd)}`}
            </span>
            {spent.tokens > 0 && <span class="number">{formatNumber(spent.tokens)} tokens</span>}
            <span>{plural(record.summary.commits, "commit")}</span>
          </p>
        </>
      )}
      {estimate !== undefined && <p class="faint">Probably {estimate}.</p>}
    </div>
  );
}

const EndOfRun = ({ run }: { readonly run: string }) => (
  <>
    <p>
      <a href={hrefOf("runs", run)}>What it did</a>. Go on in a terminal: <code>ralphctl run</code>
    </p>
    <div class="buttons">
      <TellAgents />
    </div>
  </>
);

function Next({ status }: { readonly status: StatusData | undefined }) {
  if (status === undefined) return null;
  const ready = status.tasks.reduce((sum, each) => sum + each.ready, 0);
  const blocked = status.tasks.reduce((sum, each) => sum + each.blocked, 0);
  // Without a run, too, it is said above that there is nothing to do.
  if (live.value === undefined && ready + blocked === 0) return null;
  return (
    <section aria-labelledby="next">
      <h2 id="next">Next</h2>
      {status.next.length === 0 ? (
        <p class="faint">{blocked === 0 ? "No task is ready." : "No task is ready: all open ones wait for others."}</p>
      ) : (
        <ol class="list">
          {status.next.map(({ id, title }) => (
            <li key={id}>
              <Mark state="ready" />
              <TaskLink id={id} title={title} />
            </li>
          ))}
        </ol>
      )}
      {(ready > status.next.length || blocked > 0) && (
        <p class="faint">
          {formatNumber(ready)} ready, {formatNumber(blocked)} blocked. <a href={hrefOf("graph")}>All tasks</a>
        </p>
      )}
    </section>
  );
}

const MOST_NOTICES = 4;

function Notices({ record: { summary } }: { readonly record: RunRecord }) {
  const warnings = summary.notices.filter(({ level }) => level === "warning").slice(-MOST_NOTICES);
  if (warnings.length === 0) return null;
  return (
    <section aria-labelledby="notices">
      <h2 id="notices">Warnings</h2>
      <ul class="notices">
        {warnings.map(({ text }, at) => (
          <li key={at}>
            <Mark state="parked" />
            <bdi>{printableLine(text)}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

function OtherRuns({ status, shown }: { readonly status: StatusData | undefined; readonly shown: string | undefined }) {
  const others = status?.running.filter(({ run }) => run !== shown) ?? [];
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="others">
      <h2 id="others">Other runs of this repository</h2>
      <ul class="list">
        {others.map(({ run, scope }) => (
          <li key={run}>
            <Mark state="in_progress" />
            <a href={hrefOf("now", run)} data-row>
              {run}
            </a>
            <span class="faint">{describeScope(scope)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
