import type { GateResult } from "../domain/gate.ts";
import { type TestCount, testCount } from "../domain/test-count.ts";
import { readTextFile } from "../system/text-file.ts";

const LARGEST = 16 * 1024 * 1024;

/** What the test runners of a gate counted in its last run. */
export async function countTests({ runs }: GateResult): Promise<TestCount | undefined> {
  const output = runs.at(-1)?.output;
  if (output === undefined) return undefined;
  const { head, tail, file } = output;
  if (tail === "") return testCount(head);
  try {
    return testCount((await readTextFile(file, { limitBytes: LARGEST, what: "The output" })) ?? "");
  } catch {
    return testCount(`${head}\n${tail}`); // too long, or not a text
  }
}
