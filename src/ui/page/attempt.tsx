import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { printable, printableLine } from "../../domain/printable.ts";
import { describeEnd } from "../../domain/verdict-report.ts";
import { agentText, claimText, durationText, outcomeText, plural, spentTexts } from "../../format/run-text.ts";
import { type GateEvidence, GatePart } from "../parts/evidence.tsx";
import { StateWord, ToneMark } from "../parts/mark.tsx";
import { Facts } from "../parts/table.tsx";
import { outcomeTone, type Tone } from "../parts/tone.ts";
import { DiffView } from "./diff-view.tsx";
import { useText, Waiting, Words } from "./fetched-text.tsx";
import type { AttemptData, RecordedIteration, TaskApi } from "./task-api.ts";
import { Ago } from "./time.tsx";
import { Transcript } from "./transcript.tsx";

interface AttemptProps {
  readonly task: string;
  readonly attempt: AttemptData;
  /** Counted from 1. */
  readonly number: number;
  readonly isOpen: boolean;
  readonly api: TaskApi;
}

/** One attempt: how it ended and why, and folded all that proves it. */
export function Attempt({ task, attempt, number, isOpen, api }: AttemptProps) {
  const { record, run, iteration } = attempt;
  const tone = toneOf(attempt);
  const at = run === null || iteration === null ? undefined : `/runs/${run}/${iteration}`;
  const why = record?.why ?? attempt.reason;
  return (
    <article class="attempt">
      <h3>
        Attempt {number}{" "}
        {attempt.endedAt === null ? (
          <StateWord state="in_progress" />
        ) : (
          <span class={tone}>
            <ToneMark tone={tone} />
            {resultOf(attempt)}
          </span>
        )}
      </h3>
      {why !== null && (
        <p class="words" dir="auto">
          {printable(why)}
        </p>
      )}
      <Facts facts={factsOf(attempt)} />
      {at === undefined || record === null ? (
        <p class="faint">The record of this attempt is not kept any more.</p>
      ) : (
        <>
          <Folded title="Prompt">
            {() => <Words path={`${at}/prompt`} api={api} label={`The prompt of attempt ${number}`} />}
          </Folded>
          <Folded title={attempt.endedAt === null ? "Transcript, live" : "Transcript"} isOpen={isOpen}>
            {() => (
              <Transcript
                number={number}
                path={at}
                run={run!}
                iteration={iteration!}
                isLive={attempt.endedAt === null}
                api={api}
              />
            )}
          </Folded>
          <Gates record={record} number={number} path={at} api={api} />
          {record.patch !== null && (
            <Folded title={`Change, ${plural(record.patch.files.length, "file")}`} isOpen={isOpen}>
              {() => <Change path={`${at}/diff`} number={number} task={task} api={api} />}
            </Folded>
          )}
          {record.notes.map((note) => (
            <p key={note} class="warn">
              Protocol violation: {printableLine(note)}
            </p>
          ))}
        </>
      )}
    </article>
  );
}

function toneOf({ record }: AttemptData): Tone {
  const { outcome = null, strength = null } = record ?? {};
  return outcomeTone(outcome === null ? undefined : { outcome, ...(strength !== null && { strength }) });
}

function resultOf({ record, outcome }: AttemptData): string {
  if (record === null || record.outcome === null) return outcome ?? "cut off";
  return outcomeText({ outcome: record.outcome, ...(record.strength !== null && { strength: record.strength }) });
}

function factsOf({ record, startedAt, endedAt, counted }: AttemptData): (readonly [string, ComponentChildren])[] {
  const took = endedAt === null ? undefined : durationText(Date.parse(endedAt) - Date.parse(startedAt));
  const facts: (readonly [string, ComponentChildren])[] = [
    ["Started", <Ago at={startedAt} />],
    ["Took", took],
    ["Counted", endedAt === null ? undefined : counted ? "yes" : "no"],
    ...(record === null ? [] : recordFacts(record)),
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value] as const]));
}

function recordFacts(record: RecordedIteration): (readonly [string, string | undefined])[] {
  const { costUsd, tokens, isEstimated, isCostPartial, claims, commits, verdict } = record;
  const spent = spentTexts({
    costUsd: costUsd ?? undefined,
    tokens: tokens ?? 0,
    isEstimated: isEstimated ?? false,
    ...(isCostPartial === true && { isCostPartial }),
  });
  return [
    ["Agent", agentText(record.harness, record.model ?? undefined)],
    ["Lane", record.lane === null ? undefined : String(record.lane)],
    [
      "Claim",
      claims.map((claim) => claimText({ ...claim, type: "claim.made", iteration: record.iteration })).join(", then "),
    ],
    ["Verdict", verdict?.verdict],
    ["Cost", spent.join(" · ")],
    ["Tools", record.tools === 0 ? undefined : plural(record.tools, "call")],
    ["Commit", commits.map(({ commit, subject }) => `${commit.slice(0, 10)} ${short(subject)}`).join(", ")],
  ];
}

/** The whole subject is in the history of the repository. */
const short = (text: string): string => (text.length > 50 ? `${text.slice(0, 49).trimEnd()}…` : text);

/** Its content is fetched and drawn when it is opened for the first time. */
function Folded({
  title,
  isOpen = false,
  children,
}: {
  title: string;
  isOpen?: boolean;
  children: () => ComponentChildren;
}) {
  const [isDrawn, setDrawn] = useState(isOpen);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && setDrawn(true)}>
      <summary>{title}</summary>
      {isDrawn && children()}
    </details>
  );
}

interface ChangeProps extends Pick<AttemptProps, "task" | "number" | "api"> {
  readonly path: string;
}

function Change({ path, number, task, api }: ChangeProps) {
  const { text, problem } = useText(path, api);
  if (text === undefined) return <Waiting problem={problem} />;
  return (
    <DiffView
      text={text}
      label={`What attempt ${number} changed`}
      onComment={async (place, words) => await api.act("comment", { task, ...place, text: words })}
    />
  );
}

interface GatesProps extends Pick<AttemptProps, "number" | "api"> {
  readonly record: RecordedIteration;
  readonly path: string;
}

function Gates({ record, number, path, api }: GatesProps) {
  return (
    <>
      {record.gates.map((gate, at) => (
        <GatePart key={`${gate.gate} ${at}`} gate={gateEvidence(gate)}>
          {gate.file !== null && (
            <Folded title="Whole output">
              {() => (
                <Words
                  path={`${path}/gate/${at}`}
                  api={api}
                  label={`Output ${at + 1} of attempt ${number}: ${printableLine(gate.gate)}`}
                />
              )}
            </Folded>
          )}
        </GatePart>
      ))}
    </>
  );
}

function gateEvidence({
  gate,
  command,
  passed,
  end,
  runs,
  durationMs,
  output,
}: RecordedIteration["gates"][number]): GateEvidence {
  if (passed === null) return { gate, command, passed: undefined, words: "did not finish", output: "" };
  const words = [
    passed || end === null ? "passed" : `failed: ${describeEnd(end)}`,
    ...(durationMs === null ? [] : [durationText(durationMs)]),
    ...(runs !== null && runs > 1 ? [`run ${runs} times`] : []),
  ];
  return { gate, command, passed, words: words.join(" · "), output: passed ? "" : (output ?? "") };
}
