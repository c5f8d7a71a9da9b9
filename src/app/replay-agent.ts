import { basename, dirname, join, resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import { mapStrings } from "../domain/redact.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { readEventLine } from "../domain/run/event-line.ts";
import { git } from "../system/git/git.ts";
import { kindOf } from "../system/folder.ts";
import { printError, print } from "../system/process/scripted-process.ts";
import { readTextFile } from "../system/text-file.ts";

/** Where an iteration is played again. */
export interface ReplayPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const LARGEST_RECORD = 512 * 1024 * 1024;

/** Plays what an agent said and did in a recorded iteration, and returns the exit code. */
export async function playRecording(path: string, place: ReplayPlace): Promise<number> {
  const folder = resolve(place.cwd, path);
  const iteration = Number(basename(folder));
  const lines = await eventLines(join(dirname(folder), "events.ndjson"), path);
  const events = lines.filter(({ event }) => "iteration" in event && event.iteration === iteration);
  if (!events.some(({ event }) => event.type === "agent.ended")) {
    throw new RalphError("data", `${path} has no session to play`, {
      hint: "Name the folder of an iteration whose session ended, such as .ralph/runs/RUN/1",
    });
  }
  if (!(await applyChanges(join(folder, "change.patch"), place))) return 1;
  const task = events.map(({ event }) => event).find((event) => event.type === "iteration.started")?.task?.id;
  for (const { event, line } of events) {
    if (event.type.startsWith("agent.")) print(`${aboutTask(line, task, place.env["RALPHCTL_TASK"])}\n`);
    // Later events are the reviewer's.
    if (event.type === "agent.ended") break;
  }
  return 0;
}

interface RecordedLine {
  readonly line: string;
  readonly event: RunEvent;
}

async function eventLines(file: string, name: string): Promise<RecordedLine[]> {
  const text = await readTextFile(file, { limitBytes: LARGEST_RECORD, what: "The record of the run" });
  if (text === undefined) {
    throw new RalphError("data", `No recorded iteration at ${name}`, { hint: "Check `harnesses.replay.recording`" });
  }
  return text.split("\n").flatMap((line): RecordedLine[] => {
    const event = readEventLine(line)?.event;
    return event === undefined ? [] : [{ line, event }];
  });
}

/** Applies the recorded patch. A session without a claim has none. */
async function applyChanges(patch: string, { cwd, env }: ReplayPlace): Promise<boolean> {
  if ((await kindOf(patch)) === undefined) return true;
  const top = await git({ folder: cwd, env }, ["rev-parse", "--show-toplevel"]);
  const { code, stderr } = await git({ folder: top.stdout.trim(), env }, ["apply", "--whitespace=nowarn", patch]);
  if (code === 0) return true;
  printError(`The recorded changes do not fit this working tree: ${stderr.trim()}\n`);
  return false;
}

/** Renames the recorded task to the one that is assigned now. */
function aboutTask(line: string, then: string | undefined, now: string | undefined): string {
  if (then === undefined || now === undefined || now === "" || then === now) return line;
  return JSON.stringify(mapStrings(JSON.parse(line), (text) => text.replaceAll(then, now)));
}
