import type { InspectedIteration } from "../../app/inspect/inspect.ts";
import type { GateRecord } from "../../domain/run/iteration-record.ts";
import { describeEnd } from "../../domain/verdict-report.ts";
import { iterationFacts } from "../../format/iteration-page.ts";
import { resultWord, whySentence } from "../../format/iteration-text.ts";
import { plural, durationText } from "../../format/run-text.ts";
import { element, escaped, outcomeTone, table } from "./html.ts";

const MOST_FILES = 50;

/** One iteration, collapsed: facts, gates with their output, changes and files. */
export function iterationDetails(inspected: InspectedIteration): string {
  const { record } = inspected;
  const { started, finished, startedAtMs, endedAtMs } = record;
  const tone = outcomeTone(finished);
  const about = `${started.iteration}. ${started.task?.title ?? started.mode}`;
  const took = endedAtMs === undefined ? "" : durationText(endedAtMs - startedAtMs);
  const why = tone === "good" ? undefined : whySentence(record);
  return `<details id="iteration-${started.iteration}">
<summary>${escaped(about)} <b class="${tone}">${escaped(resultWord(record))}</b>${why === undefined ? "" : `: ${escaped(why)}`}<span class="right">${escaped(took)}</span></summary>
${factTable(inspected)}
${record.gates.map(gatePart).join("\n")}
${diffPart(inspected)}
${changePart(inspected)}
${record.notes.map((note) => element("p", `Protocol violation: ${note}`, 'class="warn"')).join("\n")}
</details>`;
}

function factTable(inspected: InspectedIteration): string {
  const { promptFile, transcriptFile, patch } = inspected;
  const files = [promptFile, transcriptFile, patch?.file].filter((file) => file !== undefined);
  const rows = [...iterationFacts(inspected), ["Files", files.join("\n") || undefined] as const].flatMap(
    ([name, value]) => (value === undefined ? [] : [[escaped(name), escaped(value).replaceAll("\n", "<br>")]]),
  );
  return table(["", { long: "" }], rows);
}

function gatePart({ gate, command, result }: GateRecord): string {
  const [tone, state] =
    result === undefined
      ? ["warn", "did not finish"]
      : result.passed
        ? ["good", "passed"]
        : ["bad", `failed: ${describeEnd(result.end)}`];
  const took = result === undefined ? "" : ` · ${durationText(result.durationMs)}`;
  const again = result !== undefined && result.runs > 1 ? ` · run ${result.runs} times` : "";
  const output = result === undefined || result.output.trim() === "" ? "" : element("pre", result.output);
  return `<p>Gate ${element("b", gate)} <span class="${tone}">${escaped(state)}</span>${escaped(`${took}${again}`)}<br>${element("code", command)}</p>${output}`;
}

/** The change that a person is asked about, or should look at. */
function diffPart({ record: { verdict } }: InspectedIteration): string {
  return verdict?.diff === undefined ? "" : `<p>Look at this change:</p>${element("pre", verdict.diff)}`;
}

function changePart({ record, patch }: InspectedIteration): string {
  if (patch === undefined) {
    return record.changed === undefined ? "" : element("p", `${plural(record.changed.files, "file")} changed`);
  }
  const rows = patch.files
    .slice(0, MOST_FILES)
    .map(({ path, added, removed }) => [
      escaped(path),
      `<span class="good">+${added}</span> <span class="bad">-${removed}</span>`,
    ]);
  const more = patch.files.length - rows.length;
  return `${table([{ long: "Changed file" }, "Lines"], rows)}${more > 0 ? element("p", `and ${plural(more, "more file")}`) : ""}`;
}
