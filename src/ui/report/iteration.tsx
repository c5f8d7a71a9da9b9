import type { InspectedIteration } from "../../app/inspect/inspect.ts";
import type { ReportedIteration } from "../../app/report.ts";
import { type PatchFile, patchFiles } from "../../domain/patch-files.ts";
import { printableLine } from "../../domain/printable.ts";
import type { GateRecord } from "../../domain/run/iteration-record.ts";
import { describeEnd } from "../../domain/verdict-report.ts";
import { iterationFacts } from "../../format/iteration-page.ts";
import { iterationName, resultWord, whySentence } from "../../format/iteration-text.ts";
import { durationText, plural } from "../../format/run-text.ts";
import { DiffFile, LineCounts } from "../parts/diff.tsx";
import { Evidence, type GateEvidence } from "../parts/evidence.tsx";
import { ToneMark } from "../parts/mark.tsx";
import { Table } from "../parts/table.tsx";
import { outcomeTone } from "../parts/tone.ts";

const MOST_FILES = 50;

/** A report is sent to others, who have no such home folder. */
const fromWorkspace = (file: string): string => file.slice(file.lastIndexOf("/.ralph/") + 1);

/** One iteration, collapsed: facts, gates with their output, changes and files. */
export function IterationDetails({ inspected }: { inspected: ReportedIteration }) {
  const { record, promptFile, transcriptFile, patch } = inspected;
  const { started, finished, startedAtMs, endedAtMs, verdict } = record;
  const tone = outcomeTone(finished);
  const took = endedAtMs === undefined ? "" : durationText(endedAtMs - startedAtMs);
  const why = tone === "good" ? undefined : whySentence(record);
  const files = [promptFile, transcriptFile, patch?.file]
    .flatMap((file) => file ?? [])
    .map(fromWorkspace)
    .join("\n");
  return (
    <details id={`iteration-${started.iteration}`}>
      <summary>
        {started.iteration}. <bdi>{printableLine(started.task?.title ?? started.mode)}</bdi>{" "}
        <b class={tone}>
          <ToneMark tone={tone} />
          {printableLine(resultWord(record))}
        </b>
        {why === undefined ? "" : `: ${printableLine(why)}`}
        <span class="right">{took}</span>
      </summary>
      <Evidence
        facts={[...iterationFacts(inspected), ["Files", files === "" ? undefined : files]]}
        gates={record.gates.map(gateEvidence)}
        look={verdict?.diff}
        notes={record.notes}
      />
      <Change inspected={inspected} />
    </details>
  );
}

function gateEvidence({ gate, command, result }: GateRecord): GateEvidence {
  if (result === undefined) return { gate, command, passed: undefined, words: "did not finish", output: "" };
  const words = [
    result.passed ? "passed" : `failed: ${describeEnd(result.end)}`,
    durationText(result.durationMs),
    ...(result.runs > 1 ? [`run ${result.runs} times`] : []),
  ];
  return { gate, command, passed: result.passed, words: words.join(" · "), output: result.output };
}

function Change({ inspected }: { inspected: ReportedIteration }) {
  const { record, patch, diff } = inspected;
  if (patch === undefined) return record.changed && <p>{plural(record.changed.files, "file")} changed</p>;
  const more = patch.files.length - MOST_FILES;
  return (
    <>
      {diff === undefined ? <FileTable patch={patch} /> : <Files diff={diff} inspected={inspected} />}
      {more > 0 && <p>{`and ${plural(more, "more file")}: ralphctl inspect ${iterationName(record)} --diff`}</p>}
    </>
  );
}

const FileTable = ({ patch }: { patch: NonNullable<InspectedIteration["patch"]> }) => (
  <Table
    columns={[{ long: "Changed file" }, "Lines"]}
    rows={patch.files.slice(0, MOST_FILES).map((file) => [file.path, <LineCounts {...file} />])}
  />
);

/** Each file of the change, folded. What does not fit is counted, and the command that shows it is named. */
const Files = ({ diff, inspected: { record, patch } }: { diff: string; inspected: ReportedIteration }) => (
  <div class="files">
    {patchFiles(diff)
      .slice(0, MOST_FILES)
      .map((file, at) => {
        const whole = patch!.files[at] ?? file;
        const more = linesOf(whole) - linesOf(file);
        const rest = `${plural(more, "more changed line")}: ralphctl inspect ${iterationName(record)} --diff`;
        const { added, removed } = whole;
        return <DiffFile file={{ ...file, added, removed }} more={more > 0 ? rest : undefined} />;
      })}
  </div>
);

const linesOf = ({ added, removed }: Pick<PatchFile, "added" | "removed">): number => added + removed;
