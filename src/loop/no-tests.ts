import type { GateResult, PinnedGate } from "../domain/gate.ts";
import { ranNoTests } from "../domain/no-tests.ts";
import { countTests } from "../gate/gate.ts";
import { definitionName } from "./proofs.ts";

// "No tests found" is not green. A repository that has no tests yet is honest: then the base says the same.

/** Marks gates whose runner found no tests. Whether they pass is for the base to say. */
export async function markEmpty(results: readonly GateResult[]): Promise<readonly GateResult[]> {
  return await Promise.all(results.map(async (result) => ((await isEmpty(result)) ? asEmpty(result) : result)));
}

const asEmpty = (result: GateResult): GateResult => ({ ...result, passed: true, isEmpty: true });

async function isEmpty(result: GateResult): Promise<boolean> {
  const last = result.runs.at(-1);
  if (last?.end.kind !== "exit" || result.gate.check !== undefined) return false;
  const { head, tail } = last.output;
  return ranNoTests(`${head}\n${tail}`, last.end.code, await countTests(result));
}

/** `empty`: the definitions of gates that find no tests there either. */
export const judgeEmpty = (
  results: readonly GateResult[],
  { empty, pinned }: { readonly empty: readonly string[]; readonly pinned: readonly PinnedGate[] },
): readonly GateResult[] =>
  results.map((result) =>
    result.isEmpty !== true || empty.includes(definitionName(result.gate, pinned)) ? result : asRed(result),
  );

function asRed({ gate, runs }: GateResult): GateResult {
  const last = runs.at(-1)!;
  const code = last.end.kind === "exit" ? last.end.code : 0;
  return { gate, passed: false, runs: [...runs.slice(0, -1), { ...last, end: { kind: "no tests", code } }] };
}
