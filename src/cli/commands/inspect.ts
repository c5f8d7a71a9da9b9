import { listSessions, type Session } from "../../app/sessions.ts";
import { createRedactor } from "../../domain/redact.ts";
import { isoTime } from "../../domain/task-json.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { printableLine } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { scopeChoice, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { jsonArray } from "../json-array.ts";
import { durationText, outcomeText, taskText } from "../run-words.ts";
import { isJson, timeText } from "../task-text.ts";

/** The sessions that there were, each with the scope that it belonged to. */
export async function run(input: Input, io: Io): Promise<void> {
  const sessions = await listSessions(scopeChoice(input), surroundings(input, io));
  const redact = createRedactor(io.env);
  if (isJson(input)) {
    const json = jsonArray(io);
    json.add(sessions.map(sessionJson));
    json.end();
    return;
  }
  io.out(redact(sessions.map((session) => `${sessionLine(session)}\n${reopenLine(session)}`).join("")));
  if (sessions.length === 0) io.err("There was no session yet. Begin one: ralphctl run\n");
}

const sessionLine = ({ run, scope, startedAtMs, endedAtMs, started, finished }: Session): string =>
  [
    timeText(startedAtMs),
    `${run} ${started.iteration}`,
    printableLine(scope),
    started.task === undefined ? started.mode : taskText(started.task),
    finished === undefined ? "not finished" : outcomeText(finished.outcome),
    ...(endedAtMs === undefined ? [] : [durationText(endedAtMs - startedAtMs)]),
  ].join(" · ");

const reopenLine = ({ reopen }: Session): string =>
  reopen === undefined ? "" : `  open it again: ${printableLine(reopen.map(shellWord).join(" "))}\n`;

/** What is not there is null. */
const sessionJson = ({ run, scope, startedAtMs, endedAtMs, folder, started, finished, reopen }: Session): unknown => ({
  run,
  iteration: started.iteration,
  scope,
  mode: started.mode,
  task: started.task ?? null,
  harness: started.harness,
  model: started.model ?? null,
  startedAt: isoTime(startedAtMs),
  endedAt: endedAtMs === undefined ? null : isoTime(endedAtMs),
  outcome: finished?.outcome ?? null,
  session: finished?.sessionId ?? null,
  commit: finished?.commit ?? null,
  costUsd: finished?.costUsd ?? null,
  tokens: finished?.tokens ?? null,
  folder,
  reopen: reopen ?? null,
});
