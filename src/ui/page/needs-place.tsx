import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { printable, printableLine } from "../../domain/printable.ts";
import { lookup, plural } from "../../format/run-text.ts";
import { act } from "./client.ts";
import type { NeedData } from "./data.ts";
import { Ask, sendOnEnter } from "./dialog.tsx";
import { refreshAll, useLoaded } from "./loaded.ts";
import { Mark, type MarkKind } from "./mark.tsx";
import { NotifyButton } from "./notify.tsx";
import { TaskLink } from "./task-link.tsx";
import { Ago } from "./time.tsx";
import { attemptTo } from "./toast.tsx";
import { Shown } from "./trouble.tsx";
import { VERBS } from "./verbs.ts";

export function NeedsPlace() {
  const needs = useLoaded<readonly NeedData[]>("/needs");
  return (
    <>
      <header class="place">
        <h1>Needs you</h1>
        <NotifyButton />
      </header>
      <Shown of={needs} what="what needs you">
        {(all) =>
          all.length === 0 ? (
            <div class="empty">
              <p>Nothing needs you.</p>
              <p class="faint">
                Questions of agents, failed tasks, conflicts and work that nobody could prove appear here.
              </p>
            </div>
          ) : (
            <>
              <p class="faint">{plural(all.length, "thing")} waiting, questions first.</p>
              <ul class="needs">
                {all.map((need) => (
                  <Need key={`${need.kind} ${need.task ?? need.title}`} need={need} />
                ))}
              </ul>
            </>
          )
        }
      </Shown>
    </>
  );
}

const KINDS: Readonly<Record<string, readonly [MarkKind, string]>> = {
  question: ["asks", "Question"],
  failed: ["failed", "Failed"],
  conflict: ["asks", "Conflict"],
  lane: ["waiting", "Work left in a lane"],
  look: ["look", "Look at it"],
};

function Need({ need }: { readonly need: NeedData }) {
  const { kind, task, title, text, type, verbs, sinceMs } = need;
  const [mark, word] = lookup(KINDS, kind) ?? ["asks", kind];
  const id = `need-${kind}-${task ?? title}`;
  return (
    <li class="need">
      <article aria-labelledby={id}>
        <p class="need-head">
          <Mark kind={mark} /> <span class="word">{word}</span>
          {sinceMs !== null && (
            <span class="faint">
              <Ago at={sinceMs} />
            </span>
          )}
        </p>
        <h2 id={id}>{task === null ? <bdi>{printableLine(title)}</bdi> : <TaskLink id={task} title={title} />}</h2>
        <p class="words" dir="auto">
          {printable(text)}
        </p>
        <Evidence need={need} />
        {verbs.includes("answer") && task !== null && <Answer task={task} />}
        <Buttons need={need} />
        {type !== null && (
          <p class="faint">
            In a terminal: <code>{printableLine(type)}</code>
          </p>
        )}
      </article>
    </li>
  );
}

/** More lines are folded. */
const SHORT_LINES = 12;

function Evidence({ need: { evidence, kind } }: { readonly need: NeedData }) {
  if (evidence === null || evidence.trim() === "") return null;
  const lines = evidence.split("\n").length;
  const text = (
    <pre tabIndex={0} role="region" aria-label="Evidence">
      {printable(evidence)}
    </pre>
  );
  return lines <= SHORT_LINES ? (
    text
  ) : (
    <details>
      <summary>
        {kind === "failed" ? "Report" : "Evidence"}, {plural(lines, "line")}
      </summary>
      {text}
    </details>
  );
}

/** What was written and not sent, by task: going elsewhere loses nothing. */
const drafts = new Map<string, string>();

function Answer({ task }: { readonly task: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isBusy = useSignal(false);
  const send = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (text === "") return field.current?.focus();
    if (isBusy.value) return;
    isBusy.value = true;
    if (await attemptTo(async () => await act("answer", { task, text }))) {
      drafts.delete(task);
      refreshAll();
    }
    isBusy.value = false;
  };
  return (
    <form class="answer" onSubmit={(event) => void send(event)}>
      <label class="field">
        Your answer
        <textarea
          ref={field}
          rows={2}
          dir="auto"
          defaultValue={drafts.get(task) ?? ""}
          onInput={({ currentTarget }) => void drafts.set(task, currentTarget.value)}
          onKeyDown={(event) => sendOnEnter(event, () => void send())}
        />
      </label>
      <button type="submit" class="primary" title="Ctrl+Enter">
        {isBusy.value ? "Sending…" : "Answer"}
      </button>
    </form>
  );
}

function Buttons({ need: { task, verbs } }: { readonly need: NeedData }) {
  const asked = useSignal<string | undefined>(undefined);
  const send = async (verb: string, words: Readonly<Record<string, string>> = {}): Promise<void> => {
    const about = task === null || verb === "context" ? {} : { task };
    if (await attemptTo(async () => await act(verb, { ...about, ...words }))) refreshAll();
  };
  const ask = asked.value === undefined ? undefined : VERBS[asked.value]?.ask;
  return (
    <div class="buttons">
      {verbs.map((verb) => {
        const button = lookup(VERBS, verb);
        if (button === undefined) return null;
        const press = (): void => {
          if (button.ask === undefined) void send(verb);
          else asked.value = verb;
        };
        return (
          <button key={verb} type="button" title={button.meaning} onClick={press}>
            {button.label}
          </button>
        );
      })}
      {ask !== undefined && (
        <Ask
          {...ask}
          onYes={(text) => void send(asked.peek() ?? "", text === "" ? {} : { [ask.field ?? "text"]: text })}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </div>
  );
}
