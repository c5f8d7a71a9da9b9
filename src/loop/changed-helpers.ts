import type { FileChange } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import {
  calledName,
  type DecidingChange,
  hasOnlyNewNames,
  isTestHelper,
  type Look,
  mayBeTestHelper,
} from "../gate/gate.ts";
import { filesNaming } from "../system/git/grep.ts";
import type { RunDeps } from "./run-deps.ts";

export interface Edited {
  readonly changes: readonly FileChange[];
  /** The landing commit. */
  readonly head: string;
  readonly base: Look;
  readonly candidate: Look;
  /** The gates that a helper may decide. */
  readonly gates: readonly { readonly id: string }[];
}

/** T-11: changed files outside the folders of tests that only tests use. They are tests, too. */
export async function changedHelpers(deps: Pick<RunDeps, "home" | "rules">, edited: Edited): Promise<DecidingChange[]> {
  const { changes, head, base, candidate } = edited;
  const { testFiles } = deps.rules;
  const asked = changes
    .filter(({ kind, path }) => kind !== "added" && mayBeTestHelper(path) && !matchesAny(testFiles, path))
    .slice(0, MOST);
  const found: DecidingChange[] = [];
  for (const { path } of asked) {
    const [before = "", after = ""] = [await base.text(path), await candidate.text(path)];
    if (hasOnlyNewNames(before, after)) continue;
    const files = await filesNaming(deps.home, head, calledName(path));
    if (!(await isTestHelper(path, { base, testFiles, files }))) continue;
    found.push({ path, gates: edited.gates.map(({ id }) => id), why: "only tests use it", kind: "test" });
  }
  return found;
}

/** Each is looked for in all files. */
const MOST = 20;
