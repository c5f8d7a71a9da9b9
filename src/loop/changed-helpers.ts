import type { FileChange } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import { withOldInlineTests } from "../domain/inline-tests.ts";
import { withoutSilence, withoutSilenceIn } from "../domain/silenced.ts";
import {
  type DecidingChange,
  hasMoreLines,
  hasOnlyNewNames,
  isData,
  type Look,
  mayBeTestData,
  mayBeTestHelper,
  namesOf,
  testHelpers,
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

/** T-11: changed files outside the folders of tests that only tests use. By their names they are tests, too, or data. */
export async function changedHelpers(deps: Pick<RunDeps, "home" | "rules">, edited: Edited): Promise<DecidingChange[]> {
  const { head, base, gates } = edited;
  const { testFiles } = deps.rules;
  const asked = await mayBeHelpers(deps, edited);
  if (asked.length === 0) return [];
  const files = await filesNaming(deps.home, head, asked.flatMap(namesOf));
  const found = await testHelpers(asked, { base, testFiles, files });
  return found.map((path) => ({
    path,
    gates: gates.map(({ id }) => id),
    why: "only tests use it",
    // Data without such a name may be the work that they test.
    kind: mayBeTestHelper(path) ? "test" : "data",
  }));
}

/** Changed files that may be there for tests only, by their names or because they only say something. */
async function mayBeHelpers(
  { rules }: Pick<RunDeps, "rules">,
  { changes, base, candidate }: Edited,
): Promise<string[]> {
  const found: string[] = [];
  for (const { path } of changes.filter(({ kind, path: of }) => kind !== "added" && !matchesAny(rules.testFiles, of))) {
    const [before, after = ""] = [await base.text(path), await candidate.text(path)];
    const mayBe = mayBeTestHelper(path) || mayBeTestData(path, before ?? "") || losesChecks(path, before, after);
    if (!mayBe) continue;
    // Of what is no text, or too long, nobody can tell that it only has more.
    const isMore =
      before !== undefined && (hasOnlyNewNames(before, after) || (isData(path) && hasMoreLines(before, after)));
    if (!isMore) found.push(path);
  }
  return found;
}

/** Code that fails in fewer cases than before may be what judges for tests. */
function losesChecks(path: string, before: string | undefined, after: string): boolean {
  const count = (text: string): number => text.match(FAILS)?.length ?? 0;
  return SOURCE.test(path) && before !== undefined && after !== "" && count(before) > count(after);
}

const FAILS = /\b(?:throw|raise|AssertionError|assert\w*|panic!?\(|fail\w*\(|(?:sys\.|process\.)?exit\w*[ (]*1)/g;

/**
 * T-11: changed tests inside of source files, with the source as it is and its tests as the base has them; and T-10,
 * sources without the comments by which checkers leave them out.
 */
export async function changedInside(
  { rules }: Pick<RunDeps, "rules">,
  { changes, base, candidate }: Omit<Edited, "head" | "gates">,
): Promise<ReadonlyMap<string, string>> {
  const sources = changes.filter(({ path, after }) => after !== undefined && SOURCE.test(path));
  const inside = sources.filter(({ path }) => INSIDE.test(path));
  const found = new Map<string, string>();
  for (const { path, kind } of sources) {
    if (matchesAny(rules.testFiles, path)) continue;
    const [before, after] = [kind === "added" ? undefined : await base.text(path), await candidate.text(path)];
    const alone = kind === "added" && after !== undefined ? withoutSilenceIn(after) : undefined;
    if (alone !== undefined) found.set(path, alone);
    if (before === undefined || after === undefined) continue;
    const others = inside.filter((other) => other.path !== path);
    // Read only if needed: nobody would wait for the answers, and the reader is closed soon.
    const text = HAS_TESTS.test(before)
      ? withOldInlineTests({ path, before, after }, (await textsOf(candidate, others)).filter(isText))
      : undefined;
    const heard = withoutSilence(before, text ?? after) ?? text;
    if (heard !== undefined) found.set(path, heard);
  }
  return found;
}

const textsOf = async (look: Edited["candidate"], files: readonly { readonly path: string }[]) =>
  await Promise.all(files.map(async ({ path }) => await look.text(path)));

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|css|scss|py|rb|go|rs|php|java|kts?|cs|c|cc|cpp|h|hpp|sh|bash|swift|zig|md)$/;
const INSIDE = /\.(?:rs|zig|py|[cm]?[jt]sx?)$/;
const HAS_TESTS = /\btest|vitest|^[ \t]*(?:>>> |\/\/[/!] ```)/m;

const isText = (text: string | undefined): text is string => text !== undefined;
