import { formatDuration } from "../../domain/duration.ts";
import { printableLine } from "../../domain/printable.ts";
import { describeScope } from "../../domain/scope-name.ts";
import { countsText, outcomeText, plural } from "../../format/run-text.ts";
import { getText } from "./client.ts";
import type { InspectedRunData, IterationData } from "./data.ts";
import { useLoaded } from "./loaded.ts";
import { Mark, TONE_STATES } from "../parts/mark.tsx";
import { outcomeTone } from "../parts/tone.ts";
import { hrefOf } from "./route.ts";
import { costOf, endingOf } from "./runs-place.tsx";
import { TaskLink } from "./task-link.tsx";
import { Ago, Lasted } from "./time.tsx";
import { attemptTo } from "./toast.tsx";
import { Shown } from "./trouble.tsx";

/** One run: how it ended, and its iterations one under the other. */
export function RunPlace({ run }: { readonly run: string }) {
  const loaded = useLoaded<InspectedRunData>(`/runs/${encodeURIComponent(run)}`);
  return (
    <>
      <p>
        <a href={hrefOf("runs")}>← All runs</a>
      </p>
      <h1>{run}</h1>
      <Shown of={loaded} what="the run">
        {(found) => <Inspected run={found} />}
      </Shown>
    </>
  );
}

function Inspected({ run }: { readonly run: InspectedRunData }) {
  const [mark, word] = endingOf(run);
  return (
    <>
      <p class="fact-line">
        <span>
          <Mark state={mark} />
          <span class="word">{word}</span>
        </span>
        {run.scope !== null && <bdi>{describeScope(run.scope)}</bdi>}
        {run.branch !== null && <bdi>{printableLine(run.branch)}</bdi>}
        <span>
          started <Ago at={run.startedAt} />
        </span>
        <span>
          {run.state === "running" ? "for" : "took"} <Lasted run={run} />
        </span>
        <span>{countsText(Object.entries(run.tasks))}</span>
        <span>{plural(run.commits, "commit")}</span>
        <span class="number">{costOf(run)}</span>
      </p>
      {run.reason !== null && (
        <p class="words" dir="auto">
          {printableLine(run.reason)}
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={() => void attemptTo(async () => await saveReport(run.run))}>
          Save the report
        </button>
        {run.state === "running" && <a href={hrefOf("now", run.run)}>Follow it</a>}
      </div>
      <h2>Iterations</h2>
      {run.iterations.length === 0 ? (
        <p class="faint">None has begun.</p>
      ) : (
        <ol class="iterations">
          {run.iterations.map((each) => (
            <Iteration key={each.iteration} of={each} />
          ))}
        </ol>
      )}
    </>
  );
}

/** A document made here would obey the page's own rules, by which its styles are blocked: so it is a file. */
async function saveReport(run: string): Promise<string> {
  const text = await getText(`/runs/${encodeURIComponent(run)}/report`);
  const url = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${run}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return `Saved as ${run}.html: one file, which you can send to others.`;
}

function Iteration({ of }: { readonly of: IterationData }) {
  const { iteration, task, outcome, strength, why, costUsd, startedAt, endedAt, isCutOff, harness, model } = of;
  const finished = outcome === null ? undefined : { outcome, ...(strength !== null && { strength }) };
  const word = finished === undefined ? (isCutOff ? "cut off" : "under way") : outcomeText(finished);
  const mark = finished === undefined ? "in_progress" : TONE_STATES[outcomeTone(finished)];
  return (
    <li class="iteration">
      <span class="lane-number">{iteration}</span>
      <div>
        {task === null ? <span>{of.mode === "plan" ? "Planning" : "No task"}</span> : <TaskLink {...task} />}
        <p class="lane-state">
          <Mark state={isCutOff ? "failed" : mark} />
          <span class="word">{word}</span>
          {why !== null && <bdi class="faint"> {printableLine(why)}</bdi>}
        </p>
      </div>
      <p class="fact-line">
        <span>{model === null ? harness : `${harness} (${model})`}</span>
        {endedAt !== null && (
          <span class="number">{formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))}</span>
        )}
        <span class="number">{costOf({ costUsd, isCostPartial: false })}</span>
      </p>
    </li>
  );
}
