import { useSignal } from "@preact/signals";
import { useId, useMemo, useRef } from "preact/hooks";
import { patchFiles } from "../../domain/patch-files.ts";
import { printableLine } from "../../domain/printable.ts";
import { answerHint } from "../../format/answer-step.ts";
import { lookup, plural } from "../../format/run-text.ts";
import { Scrolled } from "../parts/evidence.tsx";
import type { Act } from "./act.ts";
import { Ask, sendOnEnter } from "./dialog.tsx";
import { DiffView } from "./diff-view.tsx";
import { forgetDraft, keptIn } from "./drafts.ts";
import { VERBS } from "./verbs.ts";

interface ButtonsProps {
  readonly verbs: readonly string[];
  /** Null: it is about no task. */
  readonly task: string | null;
  /** Where context goes; null: to the workspace. */
  readonly scope: string | null;
  readonly act: Act;
}

/** A button for each verb; a question, or the words that it needs, in front of the page. */
export function VerbButtons({ verbs, task, scope, act }: ButtonsProps) {
  const asked = useSignal<string | undefined>(undefined);
  const busy = useSignal<string | undefined>(undefined);
  const send = async (verb: string, words: Readonly<Record<string, string>> = {}): Promise<boolean> => {
    const about = verb === "context" ? { ...(scope !== null && { scope }) } : { ...(task !== null && { task }) };
    busy.value = verb;
    const isDone = await act(verb, { ...about, ...words });
    if (busy.value === verb) busy.value = undefined;
    return isDone;
  };
  const ask = asked.value === undefined ? undefined : lookup(VERBS, asked.value)?.ask;
  return (
    <div class="buttons">
      {verbs.map((verb) => {
        const button = lookup(VERBS, verb);
        if (button === undefined) return null;
        const press = (): void => {
          if (button.ask !== undefined) asked.value = verb;
          // Pressed twice it is sent once; the next button counts although the last one is not answered yet.
          else if (busy.value !== verb) void send(verb);
        };
        return (
          <button key={verb} type="button" title={button.meaning} onClick={press}>
            {busy.value === verb ? (button.busy ?? "Sending…") : button.label}
          </button>
        );
      })}
      {ask !== undefined && (
        <Ask
          {...ask}
          about={`${asked.value} ${task ?? ""}`}
          onYes={async (text) => await send(asked.peek() ?? "", text === "" ? {} : { [ask.field ?? "text"]: text })}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </div>
  );
}

interface AnswerProps {
  readonly task: string;
  readonly question: string;
  readonly act: Act;
}

/** The field for the answer to a question. */
export function Answer({ task, question, act }: AnswerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isBusy = useSignal(false);
  const key = `answer ${task}`;
  const hint = answerHint(question);
  const hintId = useId();
  const send = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (text === "") return field.current?.focus();
    if (isBusy.value) return;
    isBusy.value = true;
    if (await act("answer", { task, text })) forgetDraft(key);
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
          aria-describedby={hint === undefined ? undefined : hintId}
          {...keptIn(key)}
          onKeyDown={(event) => sendOnEnter(event, () => void send())}
        />
      </label>
      {hint !== undefined && (
        <p id={hintId} class="faint">
          {hint}
        </p>
      )}
      <button type="submit" class="primary" title="Ctrl+Enter">
        {isBusy.value ? "Sending…" : "Answer"}
      </button>
    </form>
  );
}

/** More lines are folded. */
const SHORT_LINES = 12;

interface EvidenceProps {
  readonly text: string | null;
  readonly name: string;
  /** What it is about, for those who hear the page. */
  readonly about: string;
}

/** What a decision rests on: a change file by file, or another text by its name. */
export function EvidenceText({ text, name, about }: EvidenceProps) {
  const isChange = useMemo(() => text !== null && patchFiles(text).length > 0, [text]);
  if (text === null || text.trim() === "") return null;
  const lines = text.split("\n").length;
  const shown = isChange ? (
    <DiffView text={text} label={`The change in question: ${printableLine(about)}`} />
  ) : (
    <Scrolled text={text} label={`${name}: ${about}`} />
  );
  if (lines <= SHORT_LINES && !isChange) return shown;
  return (
    <details open={isChange}>
      <summary>
        {isChange ? "The change in question" : name}, {plural(lines, "line")}
      </summary>
      {shown}
    </details>
  );
}
