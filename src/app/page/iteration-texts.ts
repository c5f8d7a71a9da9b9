import { RalphError } from "../../domain/error.ts";
import { sizeOf } from "../../system/folder.ts";
import { readHead } from "../../system/store-file.ts";
import { inspect, type InspectedIteration } from "../inspect/inspect.ts";
import type { Caller } from "../task/caller.ts";

/** Of a longer text only the beginning is shown. */
const MOST_BYTES = 16 * 1024 * 1024;

/** An iteration of a run. */
export interface IterationName {
  readonly run: string;
  readonly iteration: string;
}

/** The record of an iteration. */
export async function findIteration({ run, iteration }: IterationName, caller: Caller): Promise<InspectedIteration> {
  const found = await inspect({ subject: `${run}/${iteration}`, scope: {} }, caller);
  if (found.kind === "iteration") return found.iteration;
  throw new RalphError("usage", `Unknown run ${JSON.stringify(run)}`);
}

export type IterationText = "prompt" | "diff" | { readonly gate: number };

/** A text of an iteration; empty if there was none, or it was deleted. */
export async function iterationText(name: IterationName, what: IterationText, caller: Caller): Promise<string> {
  const found = await findIteration(name, caller);
  if (typeof what === "object" && found.record.gates[what.gate] === undefined)
    throw new RalphError("usage", "The iteration has no such gate", {
      hint: `Count from 0: it ran ${found.record.gates.length}`,
    });
  const file = fileOf(found, what);
  if (file === undefined || file === "") return "";
  return readHead(file, Math.min(sizeOf(file) ?? 0, MOST_BYTES)).toString("utf8");
}

function fileOf({ promptFile, patch, record }: InspectedIteration, what: IterationText): string | undefined {
  if (what === "prompt") return promptFile;
  return what === "diff" ? patch?.file : record.gates[what.gate]?.result?.file;
}
