import { nextReadyChange } from "../app/run/ready-changes.ts";
import { settleTrust } from "../app/trust/trust.ts";
import { startRun } from "../app/run/start-run.ts";
import { type ErrorKind, RalphError } from "../domain/error.ts";
import {
  addSpent,
  type ChangeEnd,
  endsAll,
  nothingSpent,
  overallEnding,
  type Spent,
} from "../domain/run/ready-changes.ts";
import { codeAfterRun, EXIT_CODES } from "./exit-code.ts";
import { loopSurroundings } from "./flags.ts";
import type { Io } from "./io.ts";
import { endOf, type RunInvocation } from "./run-and-print.ts";
import { openRunOutput } from "./run-output.ts";
import { changeLines } from "../format/change-lines.ts";
import { plural } from "../format/run-text.ts";
import { isJson } from "./json.ts";

/**
 * Works through all ready changes, lowest id first: each in its own run, or with several lanes in one run that takes in all
 * of them. A failure does not stop the next one; limits of cost, tokens and time apply to all of them together.
 */
export async function runReadyChanges({ request, input, io }: RunInvocation): Promise<number> {
  const { module } = request.scope;
  const ends: ChangeEnd[] = [];
  const tried = new Set<string>();
  let spent = nothingSpent;
  let named = 0;
  for (;;) {
    const next = await nextReadyChange({ module, tried, spent }, loopSurroundings(input, io));
    if (next.kind === "spent") {
      const reason = "The cost, token or time limit was reached before this change";
      ends.push({ change: next.id, ending: "limit", reason });
    }
    if (next.kind !== "change") break;
    tried.add(next.id);
    if (io.isInteractive) await settleTrust({}, loopSurroundings(input, io));
    if (!isJson(input) && next.lanes === 1) io.out(`${ends.length === 0 ? "" : "\n"}Change ${next.id}\n`);
    const more = { module, tried };
    const asked = { ...request, scope: { change: next.id, module }, spent, more };
    const { ended, used } = await runChange({ request: asked, input, io }, next.id);
    ends.push(...ended);
    for (const { change } of ended) tried.add(change);
    named = ended.length;
    spent = addSpent(spent, used);
    if (ended.some(endsAll)) break;
  }
  if (ends.length === 0) return printNoneReady(io);
  // The summary of a run of several changes has named them.
  if (ends.length > named || named === 1) (isJson(input) ? io.err : io.out)(summaryOf(ends));
  return codeAfterRun(overallEnding(ends));
}

/** P-05: nothing to do. */
export function printNoneReady({ err }: Pick<Io, "err">): number {
  err("No change is ready\nhint: Run ralphctl change list\n");
  return EXIT_CODES.nothing.code;
}

type ChangeRun = { readonly ended: readonly ChangeEnd[]; readonly used: Spent };

async function runChange({ request, input, io }: RunInvocation, change: string): Promise<ChangeRun> {
  const output = await openRunOutput(input, io);
  try {
    const finished = await endOf(startRun(request, output.host), output);
    output.end(finished);
    const { ending, reason, limit, changes, costUsd = 0, tokens, durationMs } = finished;
    return { ended: changes ?? [{ change, ending, reason, limit }], used: { costUsd, tokens, durationMs } };
  } catch (error) {
    // Errors in the files of one change do not affect the others; any other error would repeat.
    if (!(error instanceof RalphError) || !OF_ONE_CHANGE.has(error.kind)) throw error;
    io.err(`error: ${error.message}\n${error.hint === undefined ? "" : `hint: ${error.hint}\n`}`);
    return { ended: [{ change, ending: "failure", reason: error.message }], used: nothingSpent };
  }
}

const OF_ONE_CHANGE: ReadonlySet<ErrorKind> = new Set(["data", "io"]);

function summaryOf(ends: readonly ChangeEnd[]): string {
  const complete = ends.filter(({ ending }) => ending === "complete").length;
  const lines = changeLines(ends).map((line) => `  ${line}\n`);
  return `\n${complete} of ${plural(ends.length, "change")} complete\n${lines.join("")}`;
}
