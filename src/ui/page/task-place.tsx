import { printable, printableLine } from "../../domain/printable.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { plural } from "../../format/run-text.ts";
import { StateWord } from "../parts/mark.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Facts } from "../parts/table.tsx";
import { TaskLink as TaskLine } from "../parts/task-card.tsx";
import { Attempt } from "./attempt.tsx";
import type { NamedTask, TaskApi, TaskData } from "./task-api.ts";
import { Answer, EvidenceText, VerbButtons } from "./verb-parts.tsx";

export interface TaskPlaceProps {
  readonly task: TaskData;
  /** The tasks of the graph by id, for the names of others. */
  readonly others: ReadonlyMap<string, NamedTask>;
  readonly api: TaskApi;
}

/** A longer one is more of a text. */
const LONG_TITLE = 100;

/** One task: its words, what it waits for, what one can do about it, and every attempt, newest first. */
export function TaskPlace({ task, others, api }: TaskPlaceProps) {
  const state: TaskState = task.ready ? "ready" : task.blocked ? "blocked" : task.status;
  const attempts = task.attemptLog.map((attempt, at) => ({ attempt, number: at + 1 })).toReversed();
  return (
    <>
      <h1 dir="auto" class={task.title.length > LONG_TITLE ? "long-title" : undefined}>
        {printableLine(task.title)}
      </h1>
      <p>
        <StateWord state={state} /> <span class="id">{printableLine(task.id)}</span>
      </p>
      <Facts facts={factsOf(task)} />
      {[task.question, state === "failed" || state === "dropped" ? task.reason : null].map(
        (text) =>
          text !== null && (
            <div class="banner warn">
              <p dir="auto">{printable(text)}</p>
            </div>
          ),
      )}
      <EvidenceText text={task.evidence} name="Evidence" about={task.title} />
      <div class="task-actions">
        {task.verbs.includes("answer") && <Answer task={task.id} question={task.question ?? ""} act={api.act} />}
        <VerbButtons verbs={task.verbs} task={task.id} scope={task.scope} act={api.act} />
      </div>
      {task.description.trim() !== "" && (
        <section>
          <h2>Description</h2>
          <Markdown text={task.description} />
        </section>
      )}
      {task.acceptance.length > 0 && (
        <section>
          <h2>Acceptance</h2>
          <Markdown text={task.acceptance.map((text) => `- ${text.replaceAll("\n", " ")}`).join("\n")} />
        </section>
      )}
      <Others title="Needs" ids={task.needs} others={others} hrefOf={api.hrefOf} />
      <Others title="Needed by" ids={task.dependents} others={others} hrefOf={api.hrefOf} />
      <section>
        <h2>{attempts.length === 0 ? "Attempts" : plural(attempts.length, "attempt")}</h2>
        {attempts.length === 0 && <p class="faint">No agent has worked on it yet.</p>}
        {attempts.map(({ attempt, number }, at) => (
          <Attempt key={attempt.fence} task={task.id} attempt={attempt} number={number} isOpen={at === 0} api={api} />
        ))}
      </section>
    </>
  );
}

function factsOf(task: TaskData): (readonly [string, string])[] {
  const limit = task.attemptLimit === null ? "" : ` of ${task.attemptLimit}`;
  const facts: (readonly [string, string])[] = [
    ["Scope", task.scope],
    ["Priority", String(task.priority)],
    ["Attempts", task.attempts === 0 ? "" : `${task.attempts}${limit}`],
    ["Proof", task.standing ?? ""],
    ["Look at", task.look.join("; ")],
    ["Tags", task.tags.join(", ")],
    ["Model", task.model ?? ""],
    ["Own gates", task.gates.map(({ id, run }) => `${id}: ${run}`).join("\n")],
    ["Plan", task.source === null ? "" : task.source.file],
    ["Summary", task.summary ?? ""],
  ];
  return facts.filter(([, value]) => value !== "");
}

interface OthersProps {
  readonly title: string;
  readonly ids: readonly string[];
  readonly others: TaskPlaceProps["others"];
  readonly hrefOf: (task: string) => string;
}

const Others = ({ title, ids, others, hrefOf }: OthersProps) =>
  ids.length === 0 ? null : (
    <section>
      <h2>{title}</h2>
      <ul class="task-lines">
        {ids.map((id) => (
          <li key={id}>
            <TaskLine {...(others.get(id) ?? { title: id, state: "pending" as const })} id={id} href={hrefOf(id)} />
          </li>
        ))}
      </ul>
    </section>
  );
