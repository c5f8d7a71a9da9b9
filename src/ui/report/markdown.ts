import type { RunReport } from "../../app/report.ts";
import { printableLine } from "../../domain/printable.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import { iterationsOf } from "../../domain/run/timeline.ts";
import { costWords, resultWord, whySentence } from "../../format/iteration-text.ts";
import { durationText } from "../../format/run-text.ts";
import { claimedTogether, needsOfPerson, runFacts, stateSentence, unfinishedLines } from "./facts.ts";
import { timeText } from "./time-text.ts";

/** The short report as Markdown, for a terminal, a pull request or a message. */
export function reportMarkdown(report: RunReport): string {
  const { name, timeline } = report;
  const facts = runFacts(report).map(([fact, value]) => `- ${fact}: ${line(value)}`);
  const rows = iterationsOf(timeline).map((record) => {
    const { started, startedAtMs, endedAtMs } = record;
    const took = endedAtMs === undefined ? "" : durationText(endedAtMs - startedAtMs);
    const why = record.verdict?.verdict === "accepted" ? undefined : whySentence(record);
    const result = [resultWord(record), ...(why === undefined ? [] : [why])].join(": ");
    const lane = hasLanes(timeline.summary) ? [String(started.lane)] : [];
    const cells = [String(started.iteration), ...lane, started.task?.title ?? started.mode, result, took];
    return `| ${[...cells, costWords(record)].map(line).join(" | ")} |`;
  });
  const columns = ["", ...(hasLanes(timeline.summary) ? ["Lane"] : []), "Task", "Result", "Time", "Cost"];
  const head = [
    `|${columns.map((name) => ` ${name}`.trimEnd()).join(" |")} |`,
    `|${columns.map(() => "---|").join("")}`,
  ];
  const time = timeText(timeline);
  const item = ([id, title, why]: readonly [string, string, string]): string => `- ${id} ${line(title)} ${line(why)}`;
  const [needs, together] = [needsOfPerson(report).map(item), claimedTogether(report).map(item)];
  const open = unfinishedLines(timeline).map((text) => `- ${line(text)}`);
  return `${[
    `# ${line(name)}: run ${timeline.run}`,
    `${line(stateSentence(report))}.`,
    facts.join("\n"),
    ...(open.length === 0 ? [] : ["## Not landed", open.join("\n")]),
    ...(needs.length === 0 ? [] : ["## Needs you", needs.join("\n")]),
    ...(together.length === 0 ? [] : ["## Claimed together", together.join("\n")]),
    ...(time === "" ? [] : ["## Time", `\`\`\`text\n${time}\n\`\`\``]),
    ...(rows.length === 0 ? [] : ["## Iterations", [...head, ...rows].join("\n")]),
  ].join("\n\n")}\n`;
}

/** Escapes Markdown. */
const line = (text: string): string =>
  printableLine(text).replaceAll(/[\\`*_<>[\]|]/g, (character) => `\\${character}`);
