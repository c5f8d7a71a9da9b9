import { dryRun, type RunHost, runWorkspace } from "../../app/run/run.ts";
import { runStatus } from "../../app/run/run-status.ts";
import { RalphError } from "../../domain/error.ts";
import { type Input, textOption } from "../command.ts";
import { addAndTell, clearAndTell } from "../context-talk.ts";
import { codeAfterRun } from "../exit-code.ts";
import { loopSurroundings, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { printPrompt } from "../prompt-view.ts";
import { createRunOutput } from "../run-output.ts";
import { runRequest } from "../run-request.ts";
import { statusJson, statusText } from "../status-text.ts";
import { isJson } from "../task-text.ts";

/** Lets agents work until it is proven done; or does one of the things that only have to do with it. */
export async function run(input: Input, io: Io): Promise<number> {
  const request = runRequest(input);
  if (await actInstead(input, io)) return 0;
  const output = createRunOutput(input, io);
  const host: RunHost = { ...loopSurroundings(input, io), emit: output.emit, interrupts: neverInterrupted() };
  if (input.options["dryRun"] === true) {
    printPrompt({ mode: request.mode, ...(await dryRun(request, host)) }, input, io);
    return 0;
  }
  const finished = await runWorkspace(request, host);
  output.end(finished);
  return codeAfterRun(finished.ending);
}

/** Flags that act and exit (S004-G); false when none was given. */
async function actInstead(input: Input, io: Io): Promise<boolean> {
  const text = textOption(input, "addContext");
  const clears = input.options["clearContext"] === true;
  const isStatus = input.options["status"] === true;
  if (isStatus && (clears || text !== undefined)) {
    throw new RalphError("usage", "--status only looks, and excludes --add-context and --clear-context", {
      hint: "Run ralphctl run --status alone",
    });
  }
  if (isStatus) await showStatus(input, io);
  if (clears) await clearAndTell(input, io);
  if (text !== undefined) await addAndTell(text, input, io);
  return isStatus || clears || text !== undefined;
}

async function showStatus(input: Input, io: Io): Promise<void> {
  const status = await runStatus(scopeChoice(input), loopSurroundings(input, io));
  io.out(isJson(input) ? `${JSON.stringify(statusJson(status), undefined, 2)}\n` : statusText(status));
}

/** Until the signals of the process reach the commands. */
const neverInterrupted = (): RunHost["interrupts"] => ({
  stop: new AbortController().signal,
  kill: new AbortController().signal,
});
