import type { ComponentChildren } from "preact";
import { render } from "preact-render-to-string";
import type { RunReport } from "../../app/report.ts";
import type { GraphTask } from "../../domain/graph/graph.ts";
import { layOut } from "../../domain/graph/layout.ts";
import { printable, printableLine } from "../../domain/printable.ts";
import { iterationsOf } from "../../domain/run/timeline.ts";
import { scopeFlag } from "../../domain/scope-name.ts";
import type { TaskId } from "../../domain/task.ts";
import { durationText, formatNumber, localTime, moneyTexts, plural } from "../../format/run-text.ts";
import { GraphPicture } from "../parts/graph.tsx";
import { ToneMark } from "../parts/mark.tsx";
import PARTS from "../parts/parts.css?raw";
import { Facts, Table } from "../parts/table.tsx";
import { TaskCard } from "../parts/task-card.tsx";
import { TimeLine } from "../parts/time-line.tsx";
import { RESULT_TONES } from "../parts/tone.ts";
import { taskCosts } from "./costs.ts";
import { claimedTogether, needsOfPerson, runFacts, stateSentence, unfinishedLines } from "./facts.ts";
import { IterationDetails } from "./iteration.tsx";
import STYLE from "./report.css?raw";

/** A run as one self-contained page without scripts, fonts or images from elsewhere. */
export const reportPage = (report: RunReport, version: string): string =>
  `<!doctype html>\n${render(<Page report={report} version={version} />)}\n`;

function Page({ report, version }: { report: RunReport; version: string }) {
  const { timeline, iterations } = report;
  const title = printableLine(`${report.name}: run ${timeline.run}`);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: `${PARTS}${STYLE}` }} />
      </head>
      <body>
        <header>
          <h1>{title}</h1>
          <p class="headline">{printableLine(stateSentence(report))}</p>
          <Facts facts={runFacts(report)} />
        </header>
        <main>
          <Section title="Needs you">{cards(needsOfPerson(report))}</Section>
          <Section title="Claimed together">{cards(claimedTogether(report))}</Section>
          <Section title="Tasks now">{picture(report)}</Section>
          <Section title="Time">
            <TimeLine timeline={timeline} />
          </Section>
          <Section title="Cost per task">{costs(report)}</Section>
          <Section title="Iterations">
            {iterations.length > 0 && iterations.map((inspected) => <IterationDetails inspected={inspected} />)}
          </Section>
          <Section title="Notices">{notices(report)}</Section>
        </main>
        <footer>
          {`Made ${localTime(report.madeAtMs)} by ralphctl ${version}. Agents only claim. Proven: a check failed without the work and passes with it, or a reviewer passed it. Unbroken: the checks still pass. Look: a person should look at it.`}
        </footer>
      </body>
    </html>
  );
}

/** Nothing without a body. */
const Section = ({ title, children }: { title: string; children?: ComponentChildren }) =>
  children === undefined || children === false ? null : (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );

const cards = (tasks: readonly (readonly [id: string, title: string, why: string])[]): ComponentChildren =>
  tasks.length > 0 && (
    <div class="task-cards">
      {tasks.map(([id, title, text]) => (
        <TaskCard id={id} title={title} text={text} />
      ))}
    </div>
  );

/** A larger picture is unreadable. */
const MOST_TASKS = 150;

/** The graph; of a large one only the tasks of the run and their neighbours. */
function picture({ graph: { tasks }, timeline }: RunReport): ComponentChildren {
  if (tasks.length === 0) return undefined;
  const about = new Set(iterationsOf(timeline).flatMap(({ started }) => (started.task ? [started.task.id] : [])));
  const shown = tasks.length <= MOST_TASKS ? tasks : nearest(tasks, about).slice(0, MOST_TASKS);
  const more = tasks.length - shown.length;
  const all = `ralphctl task graph${scopeFlag(timeline.summary.started?.scope)}`;
  return (
    <>
      <div class="picture" tabIndex={0} role="group" aria-label="The graph">
        <GraphPicture nodes={shown} layout={layOut(shown)} />
      </div>
      {more > 0 && <p>{`${plural(more, "more task")} of the scope: ${all}`}</p>}
    </>
  );
}

/** Tasks of the run first, then their neighbours, each in their order. */
function nearest(tasks: readonly GraphTask[], about: ReadonlySet<TaskId>): GraphTask[] {
  const needed = new Set(tasks.filter(({ id }) => about.has(id)).flatMap(({ needs }) => needs));
  const rank = ({ id, needs }: GraphTask): number =>
    about.has(id) ? 0 : needed.has(id) || needs.some((need) => about.has(need)) ? 1 : 2;
  return tasks.toSorted((one, other) => rank(one) - rank(other)).filter((task) => rank(task) < 2 || about.size === 0);
}

const Result = ({ state }: { state: keyof typeof RESULT_TONES }) => (
  <span class={`state ${RESULT_TONES[state]}`}>
    <ToneMark tone={RESULT_TONES[state]} />
    {state}
  </span>
);

function costs({ timeline }: RunReport): ComponentChildren {
  const rows = taskCosts(timeline).map(({ task, state: result, iterations, durationMs, tokens, ...cost }) => [
    task.id,
    task.title,
    <Result state={result ?? "open"} />,
    formatNumber(iterations),
    durationText(durationMs),
    tokens === 0 ? "" : formatNumber(tokens),
    moneyTexts(cost).join(""),
  ]);
  const numbers = ["Iterations", "Agent's time", "Tokens", "Cost"].map((number) => ({ number }));
  return (
    rows.length > 0 && (
      <Table
        isNamed
        isCards
        label="Cost per task"
        columns={["Task", { long: "Title" }, "Result", ...numbers]}
        rows={rows}
      />
    )
  );
}

function notices({ timeline }: RunReport): ComponentChildren {
  const { notices, kept } = timeline.summary;
  const lines = [
    ...notices.map(({ level, text }) => <li class={level === "warning" ? "warn" : undefined}>{printable(text)}</li>),
    ...kept.map(({ ref, why }) => <li>{printableLine(`Saved work as ${ref}: ${why}`)}</li>),
    ...unfinishedLines(timeline).map((text) => <li>{printableLine(text)}</li>),
  ];
  return lines.length > 0 && <ul>{lines}</ul>;
}
