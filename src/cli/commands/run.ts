import { dryRun } from "../../app/run/dry-run.ts";
import { nextReadyChange } from "../../app/run/ready-changes.ts";
import type { RunRequest } from "../../app/run/run-request.ts";
import { runStatus } from "../../app/run/run-status.ts";
import { RalphError } from "../../domain/error.ts";
import { nothingSpent } from "../../domain/run/ready-changes.ts";
import { type Input, textOption } from "../command.ts";
import { runContextAdd, clear as clearContext } from "./context.ts";
import { codeAfterRun } from "../exit-code.ts";
import { loopSurroundings, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { openPageBeside } from "../open-page.ts";
import { printPrompt } from "../prompt-view.ts";
import { runAndPrint } from "../run-and-print.ts";
import { printNoneReady, runReadyChanges } from "../run-ready-changes.ts";
import { runRequest } from "../run-request.ts";
import { statusJson, statusText } from "../../format/status-text.ts";
import { printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";

/** Runs agents until the work is proven done, or performs one of the flags that act and exit. */
export async function run(input: Input, io: Io): Promise<number> {
  const request = runRequest(input);
  if (await actInstead(input, io)) return 0;
  const continues = input.options["continueReady"] === true;
  if (input.options["dryRun"] === true) {
    const first = continues ? await firstReady(request, input, io) : request;
    return first === undefined ? printNoneReady(io) : await showFirst(first, input, io);
  }
  if (input.options["ui"] === true) await openPageBeside(input, io);
  if (continues) return await runReadyChanges({ request, input, io });
  return codeAfterRun((await runAndPrint({ request, input, io })).ending);
}

/** The request for the first ready change. */
async function firstReady(request: RunRequest, input: Input, io: Io): Promise<RunRequest | undefined> {
  const { module } = request.scope;
  const asked = { module, tried: new Set<string>(), spent: nothingSpent };
  const next = await nextReadyChange(asked, loopSurroundings(input, io));
  return next.kind === "none" ? undefined : { ...request, scope: { change: next.id, module } };
}

/** S000-X3: prints the first prompt and starts nothing. */
async function showFirst(request: RunRequest, input: Input, io: Io): Promise<number> {
  const first = await dryRun(request, loopSurroundings(input, io));
  if (first.kind === "start") {
    printPrompt({ mode: request.mode, ...first }, input, io);
    return 0;
  }
  io.err(`${first.message}\n${first.help.map((command) => `hint: Run ${command}\n`).join("")}`);
  return codeAfterRun(first.ending);
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
  if (clears) await clearContext(input, io);
  if (text !== undefined) await runContextAdd(text, input, io);
  return isStatus || clears || text !== undefined;
}

async function showStatus(input: Input, io: Io): Promise<void> {
  const status = await runStatus(scopeChoice(input), loopSurroundings(input, io));
  if (isJson(input)) printJson(io, statusJson(status));
  else await printPage(io, statusText(status));
}
