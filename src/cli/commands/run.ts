import { dryRun } from "../../app/run/dry-run.ts";
import { type RunRequest, runWorkspace } from "../../app/run/run.ts";
import { runStatus } from "../../app/run/run-status.ts";
import { RalphError } from "../../domain/error.ts";
import { type Input, textOption } from "../command.ts";
import { addAndTell, clearAndTell } from "../context-talk.ts";
import { codeAfterRun, EXIT_CODES } from "../exit-code.ts";
import { loopSurroundings, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { runHost } from "../run-host.ts";
import { printPrompt } from "../prompt-view.ts";
import { createRunOutput } from "../run-output.ts";
import { runRequest } from "../run-request.ts";
import { statusJson, statusText } from "../status-text.ts";
import { isJson } from "../task-text.ts";

/** Lets agents work until it is proven done; or does one of the things that only have to do with it. */
export async function run(input: Input, io: Io): Promise<number> {
  const request = runRequest(input);
  if (await actInstead(input, io)) return 0;
  if (input.options["dryRun"] === true) return await showFirst(request, input, io);
  const output = createRunOutput(input, io);
  const finished = await runWorkspace(request, runHost(input, io, output.emit));
  output.end(finished);
  return codeAfterRun(finished.ending);
}

/** S000-X3: what would be sent, and nothing starts. */
async function showFirst(request: RunRequest, input: Input, io: Io): Promise<number> {
  const first = await dryRun(request, loopSurroundings(input, io));
  if (first.kind === "prompt") {
    printPrompt({ mode: request.mode, ...first }, input, io);
    return 0;
  }
  io.err(`${first.message}\n${first.help.map((command) => `hint: Run ${command}\n`).join("")}`);
  return EXIT_CODES.nothing.code;
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
