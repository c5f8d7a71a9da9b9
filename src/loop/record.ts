import { join } from "node:path";
import type { IterationFinished } from "../domain/run/event.ts";
import { writePatch } from "../system/git/patch.ts";
import { writeOnce } from "../system/folder.ts";
import type { Attempted } from "./iteration.ts";
import type { RunState } from "./run-state.ts";

/** `result.json` of an iteration, with what there is to say beside how it ended. */
export function recordResult(
  folder: string,
  finished: IterationFinished,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const { type: _, ...result } = finished;
  writeOnce(join(folder, "result.json"), `${JSON.stringify({ v: 1, ...result, ...more }, undefined, 2)}\n`);
}

/**
 * `result.json`: what came of an iteration, with the evidence. `change.patch`: what was proven or rejected; git writes
 * it beside the next step, from objects that nobody changes any more.
 */
export function recordIteration(
  state: RunState,
  folder: string,
  about: { readonly finished: IterationFinished; readonly attempted: Attempted },
): void {
  const { finished, attempted } = about;
  const { verified, said } = attempted;
  recordResult(folder, finished, {
    claim: said?.claim ?? "none",
    channel: said?.channel,
    record: attempted.record,
    verdict: verified?.verdict,
    tree: verified?.built.tree,
    evidence: verified?.evidence ?? [],
    leftOut: verified?.built.leftOut ?? [],
  });
  if (verified !== undefined && verified.built.paths.length > 0) {
    const { now, built } = verified;
    const patch = { from: now.head, to: built.tree, file: join(folder, "change.patch") };
    state.background = Promise.all([state.background, writePatch(state.work.repository, patch)]);
  }
}
