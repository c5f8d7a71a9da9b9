import { relative } from "node:path";
import type { InspectedIteration } from "../app/inspect/inspect.ts";
import type { FileStat } from "../domain/patch-stat.ts";
import { printableLine } from "../domain/printable.ts";
import type { GateRecord, IterationRecord } from "../domain/run/iteration-record.ts";
import { describeScope } from "../domain/scope-name.ts";
import { shellWord } from "../domain/shell-word.ts";
import { gateResult, outputEnd } from "./gate-lines.ts";
import { hookLines } from "./hook-lines.ts";
import { costWords, iterationName, resultWord, whySentence } from "./iteration-text.ts";
import { aligned, type Fact, pageOf, part, prose } from "./page-parts.ts";
import { agentText, claimText, plural, durationText, formatNumber, listSome, taskText, localTime } from "./run-text.ts";

/**
 * One iteration for a person: outcome and reason, evidence, changes and files. Paths are relative to `cwd`.
 */
export function iterationPage(inspected: InspectedIteration, cwd: string): string {
  const { record } = inspected;
  const { run, scope, started, gates } = record;
  return pageOf([
    [printableLine(`Iteration ${started.iteration} of run ${run}, of ${describeScope(scope)}`)],
    aligned(iterationFacts(inspected).map(([name, value]): Fact => [name, name === "Why" ? prose(value) : value])),
    part("Gates", gates, (gate) => gateLines(gate, cwd)),
    part("Changes", changeLines(inspected)),
    part("Protocol violations", record.notes, printableLine),
    part("Hooks", record.hooks, (hook) => hookLines(hook, started.iteration).map((line) => line.slice(2))),
    ["Files", ...fileLines(inspected, cwd)],
  ]);
}

/** One-line facts; undefined if unknown. */
export function iterationFacts(inspected: InspectedIteration): (readonly [name: string, value: string | undefined])[] {
  const { record, reopen } = inspected;
  const { started, finished, claims, commits, verdict } = record;
  const { task, attempts, attemptLimit } = started;
  const isPassedOver = finished !== undefined && finished.outcome !== "verified" && !finished.counted;
  return [
    ["Task", task === undefined ? `none: ${started.mode} mode` : taskText(task)],
    [
      "Attempt",
      task === undefined ? undefined : `${attempts + 1} of ${attemptLimit}${isPassedOver ? ", not counted" : ""}`,
    ],
    ["Outcome", resultWord(record)],
    ["Why", whySentence(record)],
    ["Claim", claims.length === 0 ? "none" : claims.map(claimText).join(", then ")],
    ["Agent", agentText(started.harness, started.model, started.override)],
    ["Lane", started.lane === 0 ? "0, your working tree" : String(started.lane)],
    ["Time", timeWords(record)],
    ["Cost", costWords(record)],
    ["Tree", verdict?.tree?.slice(0, 10)],
    ["Commit", commits.map(({ commit, subject }) => `${commit.slice(0, 10)} "${subject}"`).join(", ") || undefined],
    ["Session", record.sessionId],
    ["Tools", record.tools === 0 ? "none used" : plural(record.tools, "call")],
    ["Reopen", reopen?.map(shellWord).join(" ")],
  ];
}

function timeWords({ startedAtMs, endedAtMs, finished }: IterationRecord): string {
  const start = localTime(startedAtMs);
  if (endedAtMs === undefined || finished === undefined) return start;
  return `${start}, ${durationText(endedAtMs - startedAtMs)}, of which the agent took ${durationText(finished.durationMs)}`;
}

function gateLines({ gate, command, result }: GateRecord, cwd: string): string[] {
  const about = command === "" ? [] : [`    ${printableLine(command)}`];
  if (result === undefined) return [`${printableLine(gate)}: did not finish`, ...about];
  const { passed, output, file } = result;
  const all = file === "" ? [] : [`    full output: ${printableLine(shortPath(file, cwd))}`];
  return [gateResult(gate, result), ...about, ...(passed ? [] : outputEnd(output)), ...all];
}

const MOST_FILES = 20;

function changeLines({ record, patch }: InspectedIteration): string[] {
  const { changed, commits } = record;
  if (patch === undefined) {
    if (changed === undefined) return [];
    if (changed.files === 0) return ["none"];
    const commit = commits.at(-1)?.commit.slice(0, 10);
    return [
      `${plural(changed.files, "file")}: ${listSome(changed.paths, 10, changed.files)}`,
      ...(commit === undefined ? [] : [`full diff: git show ${commit}`]),
    ];
  }
  const { files } = patch;
  const shown = files.slice(0, MOST_FILES);
  const width = Math.max(...shown.map(({ path }) => printableLine(path).length));
  return [
    ...shown.map((file) => `${printableLine(file.path).padEnd(width)}  ${statText(file)}`),
    ...(files.length > shown.length ? [`and ${plural(files.length - shown.length, "more file")}`] : []),
    ...(files.length > 1 ? [changesText(files)] : []),
    `full diff: ralphctl inspect ${iterationName(record)} --diff`,
  ];
}

/** `3 files, +12 -4`. */
export function changesText(files: readonly FileStat[]): string {
  const sum = (key: "added" | "removed"): string => formatNumber(files.reduce((total, file) => total + file[key], 0));
  return `${plural(files.length, "file")}, +${sum("added")} -${sum("removed")}`;
}

const statText = ({ added, removed, isBinary }: FileStat): string =>
  isBinary ? "binary" : `+${formatNumber(added)} -${formatNumber(removed)}`;

function fileLines({ folder, promptFile, transcriptFile }: InspectedIteration, cwd: string): string[] {
  if (promptFile === undefined && transcriptFile === undefined) return ["  deleted with the folder of the run"];
  const short = (path: string | undefined) => (path === undefined ? undefined : shortPath(path, cwd));
  return aligned([
    ["prompt", short(promptFile)],
    ["transcript", short(transcriptFile)],
    ["all", short(folder)],
  ]);
}

/** Relative to `cwd` if that is shorter. */
export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short !== "" && short.length < path.length ? short : path;
}
