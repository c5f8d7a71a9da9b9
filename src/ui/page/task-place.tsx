import { useRef, useState } from "preact/hooks";
import { printable, printableLine } from "../../domain/printable.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { plural } from "../../format/run-text.ts";
import { StateWord } from "../parts/mark.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Facts } from "../parts/table.tsx";
import { TaskLink as TaskLine } from "../parts/task-card.tsx";
import { Attempt } from "./attempt.tsx";
import type { NamedTask, TaskApi, TaskData } from "./task-api.ts";

export interface TaskPlaceProps {
  readonly task: TaskData;
  /** The tasks of the graph by id, for the names of others. */
  readonly others: ReadonlyMap<string, NamedTask>;
  /** What the server says a person can do about it; undefined: nothing waits for a person. */
  readonly verbs?: readonly string[] | undefined;
  readonly api: TaskApi;
}

/** One task: its words, what it waits for, what one can do about it, and every attempt, newest first. */
export function TaskPlace({ task, others, verbs, api }: TaskPlaceProps) {
  const state: TaskState = task.ready ? "ready" : task.blocked ? "blocked" : task.status;
  const attempts = task.attemptLog.map((attempt, at) => ({ attempt, number: at + 1 })).toReversed();
  return (
    <>
      <h1 dir="auto">{printableLine(task.title)}</h1>
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
      <TaskActions task={task} verbs={verbs ?? verbsOf(state)} api={api} />
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

interface Action {
  readonly label: string;
  readonly meaning: string;
  /** The words that go with it: what they are called, and the field that has them. */
  readonly words?: { readonly label: string; readonly field: string; readonly isNeeded: boolean };
}

const ACTIONS: Readonly<Record<string, Action>> = {
  answer: {
    label: "Answer",
    meaning: "The next attempt reads your answer",
    words: { label: "Your answer", field: "text", isNeeded: true },
  },
  allow: { label: "Allow the change", meaning: "The kept work is verified again, with this change allowed" },
  approve: { label: "Approve", meaning: "You have looked at it: it counts as done" },
  retry: { label: "Try again", meaning: "The next run tries it once more" },
  reset: { label: "Reset", meaning: "Opens it again, with all its attempts" },
  park: {
    label: "Park…",
    meaning: "Nobody works on it until the question is answered",
    words: { label: "The question that has to be answered first", field: "question", isNeeded: true },
  },
  drop: {
    label: "Drop…",
    meaning: "Nobody will do it, and what needs it goes on without it",
    words: { label: "Why (not needed)", field: "reason", isNeeded: false },
  },
  context: {
    label: "Add context…",
    meaning: "Every iteration that begins after this reads it",
    words: { label: "What agents should know", field: "text", isNeeded: true },
  },
};

/** What a person can do about a task that waits for nobody. */
function verbsOf(state: TaskState): readonly string[] {
  if (state === "parked") return ["answer", "context"];
  if (state === "failed") return ["retry", "reset", "context"];
  if (state === "done" || state === "dropped") return ["reset"];
  return state === "in_progress" ? ["context"] : ["park", "drop", "context"];
}

function TaskActions({ task, verbs, api }: { task: TaskData; verbs: readonly string[]; api: TaskApi }) {
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const send = async (verb: string, words: Readonly<Record<string, string>>): Promise<void> => {
    const about = verb === "context" ? { scope: task.scope } : { task: task.id };
    if (await api.act(verb, { ...about, ...words })) setAsked(undefined);
  };
  const verb = asked ?? (verbs.includes("answer") ? "answer" : undefined);
  const words = verb === undefined ? undefined : ACTIONS[verb]?.words;
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (words!.isNeeded && text === "") return field.current?.focus();
    void send(verb!, text === "" ? {} : { [words!.field]: text });
  };
  return (
    <div class="task-actions">
      {words !== undefined && (
        <form key={verb} onSubmit={onSubmit}>
          <label class="field">
            {words.label}
            <textarea ref={field} rows={2} dir="auto" required={words.isNeeded} />
          </label>
          <div class="buttons">
            <button type="submit" class="primary">
              {ACTIONS[verb!]!.label.replace("…", "")}
            </button>
            {asked !== undefined && (
              <button type="button" onClick={() => setAsked(undefined)}>
                Cancel
              </button>
            )}
          </div>
        </form>
      )}
      <div class="buttons">
        {verbs
          .filter((each) => each in ACTIONS && each !== verb)
          .map((each) => {
            const { label, meaning, words: needed } = ACTIONS[each]!;
            const press = (): void => (needed === undefined ? void send(each, {}) : setAsked(each));
            return (
              <button key={each} type="button" title={meaning} onClick={press}>
                {label}
              </button>
            );
          })}
      </div>
    </div>
  );
}
