import { useId } from "preact/hooks";
import { printable, printableLine } from "../../domain/printable.ts";
import { lookup, plural } from "../../format/run-text.ts";
import { actAndSay } from "./act.ts";
import type { NeedData } from "./data.ts";
import { useLoaded } from "./loaded.ts";
import { Mark, type MarkState } from "../parts/mark.tsx";
import { NotifyButton } from "./notify.tsx";
import { TaskLink } from "./task-link.tsx";
import { Ago } from "./time.tsx";
import { Shown } from "./trouble.tsx";
import { Answer, EvidenceText, VerbButtons } from "./verb-parts.tsx";

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

const KINDS: Readonly<Record<string, readonly [MarkState, string]>> = {
  question: ["parked", "Question"],
  failed: ["failed", "Failed"],
  conflict: ["parked", "Conflict"],
  lane: ["waiting", "Work left in a lane"],
  look: ["look", "Look at it"],
};

function Need({ need }: { readonly need: NeedData }) {
  const { kind, task, scope, title, text, evidence, type, verbs, sinceMs } = need;
  const [mark, word] = lookup(KINDS, kind) ?? ["parked", kind];
  const id = useId();
  return (
    <li class="need">
      <article aria-labelledby={id}>
        <p class="need-head">
          <Mark state={mark} />
          <span class="word">{word}</span>
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
        <EvidenceText text={evidence} name={kind === "failed" ? "Report" : "Evidence"} about={title} />
        {verbs.includes("answer") && task !== null && <Answer task={task} question={text} act={actAndSay} />}
        <VerbButtons verbs={verbs} task={task} scope={scope} act={actAndSay} />
        {type !== null && (
          <p class="faint">
            In a terminal: <code>{printableLine(type)}</code>
          </p>
        )}
      </article>
    </li>
  );
}
