import { shortLined } from "../domain/short-lines.ts";
import { join } from "node:path";
import { createBreather } from "../system/breather.ts";
import type { FileChange } from "../domain/change.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import { askIfTested } from "../domain/knows-tests.ts";
import { newShellFunctions, shellFunctions } from "../domain/shell-functions.ts";
import { type EditedSource, exitOf, forgedEndOf, patchOfTests } from "../domain/switched-off.ts";
import type { TestCount } from "../domain/test-count.ts";
import { runsTests } from "../domain/test-gate.ts";
import { countTests, type Look, mayBeTestHelper, treeLook } from "../gate/gate.ts";
import { filesNaming } from "../system/git/grep.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import { nameTree } from "../system/git/tree.ts";
import type { GreenCandidate } from "./as-base.ts";
import type { Attempted } from "./attempt.ts";
import { runChecks } from "./check.ts";
import { taskEnv } from "./naming.ts";
import { countOn, definitionName, isQuiet } from "./proofs.ts";
import { grantsOf, type LaneState } from "./run-state.ts";
import { quietly } from "./varied.ts";

// T-20: a gate that is green because its tests no longer run, or no longer judge, shows nothing.

interface RanOn extends Pick<GreenCandidate, "built" | "results" | "pinned"> {
  /** The tree on which the gates passed with the base's tests, if the candidate changed some. */
  readonly tried: string | undefined;
}

interface About extends RanOn {
  readonly lane: LaneState;
  readonly attempt: Attempted;
  readonly changes: readonly FileChange[];
  readonly base: Look;
  readonly candidate: Look;
}

/** Signs that tests were switched off, one line each. */
export async function findSwitchedOff(lane: LaneState, attempt: Attempted, ran: RanOn): Promise<string[]> {
  const { home } = lane.deps;
  const { head, tree } = ran.built;
  const changes = [...(await committedBetween(home, head, tree)).values()];
  if (changes.length === 0) return [];
  const [base, candidate] = [treeLook(home, head), treeLook(home, tree)];
  try {
    const about = { ...ran, lane, attempt, changes, base, candidate };
    const [counted, { edited, unread }] = [await comparedCounts(about), await sources(about)];
    const patched = await patches(about, edited);
    return [...new Set([...patched, ...unread, ...counted.look, ...(await exits(about, edited, counted))])];
  } finally {
    base.close();
    candidate.close();
  }
}

const isTest = ({ lane: { deps } }: About, path: string): boolean => matchesAny(deps.rules.testFiles, path);

interface Sources {
  readonly edited: readonly EditedSource[];
  /** One line for each that cannot be looked at: whatever is in it. */
  readonly unread: readonly string[];
}

async function sources({ base, candidate, changes, lane, attempt }: About): Promise<Sources> {
  const granted = grantsOf(lane.deps, attempt.claim.task);
  const [edited, unread]: [EditedSource[], string[]] = [[], []];
  for (const { path, after } of changes) {
    if (after?.mode.startsWith("100") !== true || matchesAny(granted, path) || !CODE.test(path)) continue;
    const [before = "", text] = [await base.text(path), await candidate.text(path)];
    if (text === undefined) unread.push(`${path} is too long to be looked at`);
    const [old, now] = [shortLined(before), shortLined(text ?? "")];
    for (const [at, one] of now.entries()) edited.push({ path, before: old[at] ?? old[0]!, after: one });
  }
  return { edited, unread };
}

const CODE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kts?|cs|c|cc|cpp|cxx|h|hh|hpp|sh|bash)$/;

async function patches(about: About, edited: readonly EditedSource[]): Promise<string[]> {
  const breathe = createBreather();
  const found: string[] = [];
  for (const source of edited) {
    await breathe();
    const words = patchOfTests(source, isTest(about, source.path));
    if (words !== undefined) found.push(`${source.path} changes how tests are judged: \`${words}\``);
    if (words !== undefined || isTest(about, source.path) || mayBeTestHelper(source.path)) continue;
    await breathe();
    const asked = askIfTested(source);
    if (asked !== undefined) found.push(`${source.path} asks whether it is being tested: \`${asked}\``);
    const taken = await takenFunction(about, source);
    if (taken !== undefined) found.push(`${source.path} changes how tests are judged: ${taken}`);
  }
  return found;
}

/** In the shell a function that a test defines is gone once the test loads another of its name. */
async function takenFunction({ lane, base, built }: About, source: EditedSource): Promise<string | undefined> {
  const names = newShellFunctions(source);
  if (names.length === 0) return undefined;
  const files = await filesNaming(lane.deps.home, built.head, names);
  for (const file of files.filter((path) => matchesAny(lane.deps.rules.testFiles, path))) {
    const own = shellFunctions((await base.text(file)) ?? "");
    const name = names.find((one) => own.has(one));
    if (name !== undefined) return `\`${name}()\` of ${file}`;
  }
  return undefined;
}

async function exits(about: About, edited: readonly EditedSource[], { isSilent }: Counted): Promise<string[]> {
  const breathe = createBreather();
  const found: string[] = [];
  for (const source of edited.filter(({ path }) => !isTest(about, path))) {
    await breathe();
    const words = (isSilent ? exitOf(source) : undefined) ?? forgedEndOf(source);
    if (words !== undefined) found.push(`${source.path} ends the program that tests it: \`${words}\``);
  }
  return found;
}

interface Counted {
  readonly look: readonly string[];
  /** Some gate runs tests and does not count them. */
  readonly isSilent: boolean;
}

async function comparedCounts(about: About): Promise<Counted> {
  const { lane, built, results, tried, pinned } = about;
  const { store, home, gates } = lane.deps;
  const { tree: from } = await nameTree(home, built.head, []);
  const isOwn = ({ gate }: GateResult): boolean =>
    gate.isAgents !== true && gate.kind !== "reviewer" && gate.check === undefined;
  const look: string[] = [];
  let isSilent = false;
  for (const { gate } of results.filter(isOwn)) {
    const definition = definitionName(gate, gates.pinned);
    const script = gates.pinned.find(({ id }) => id === gate.id)?.script;
    const now = definitionName(gate, pinned);
    const before = now === definition ? await countOn(store, from, definition) : undefined;
    const withOld = tried === undefined ? undefined : await countOn(store, tried, definition);
    const after = withOld ?? (await countOn(store, built.tree, now));
    isSilent ||= after === undefined && runsTests(gate.id, gate.run, script);
    if (before === undefined) look.push(...(await filesAlone(about, { gate, before, after })));
    else if (after === undefined) {
      const mayBeQuiet = QUIET.test(`${gate.run}\n${script}`) || (await isQuiet(store, built.tree, definition));
      if (!mayBeQuiet) look.push(`gate ${gate.id} ran ${numbered(testsOf(before))} before, and names none now`);
    } else look.push(...(await fewer(about, { gate, before, after })));
  }
  return { look, isSilent };
}

/** Commands that may hide the output of what passes: a pipe, a file, a variable. Not `||`, nor `2>&1`. */
const QUIET = /(?<!\|)\|(?!\|)|>(?!&[12])|\$\(|`|\b(?:chronic|quiet|silent)\b/;

/** A gate that was red is green only if the tests that failed pass. */
const testsOf = ({ passed, failed, notTests = 0 }: TestCount): number => passed + Math.max(failed - notTests, 0);
const numbered = (count: number): string => `${count} ${count === 1 ? "test" : "tests"}`;

interface Pair {
  readonly gate: Gate;
  readonly before: TestCount | undefined;
  readonly after: TestCount | undefined;
}

async function fewer(about: About, pair: Pair & { before: TestCount; after: TestCount }): Promise<string[]> {
  const { gate, before, after } = pair;
  const wasGreen = gate.kind !== "task" && !about.lane.run.redGates.includes(gate.id);
  const isHidden = after.failed > 0 && (!wasGreen || before.failed < after.failed);
  if (isHidden) return [`gate ${gate.id} passes, although ${numbered(after.failed)} failed`];
  const hasOldTests = about.changes.some(({ kind, path }) => kind !== "added" && isTest(about, path));
  const isFewer = after.passed < testsOf(before) && (about.tried !== undefined || !hasOldTests);
  const all = testsOf((isFewer ? await countAgain(about, gate) : undefined) ?? before);
  if (isFewer && after.passed < all)
    return [`gate ${gate.id} ran ${numbered(all)} before, and ${after.passed} pass now`];
  return await filesAlone(about, pair);
}

/** Some tests run only now and then, such as those that need a network, so that only the base of today counts. */
async function countAgain({ lane, attempt, built }: About, gate: Gate): Promise<TestCount | undefined> {
  const { deps } = lane;
  if (deps.room.isLane === true || deps.stop.aborted) return undefined;
  const { claim, iteration, folder } = attempt;
  const { tree } = await nameTree(deps.home, built.head, []);
  const room = await deps.room.enter({ head: built.head, tree });
  if (room.setup?.passed === false) return undefined;
  const once = { ...gate, retries: 0, timeoutMs: Math.min(gate.timeoutMs, deps.rules.extraMs) };
  const [result] = await runChecks(quietly(deps), [once], {
    cwd: room.root,
    outputFolder: join(folder, "counted"),
    env: { ...room.env, ...taskEnv(claim, iteration) },
    name: `${iteration}.counted`,
  });
  return result && (await countTests(result));
}

/** Test files that passed although none of their tests ran. A script of assertions has no tests. */
async function filesAlone({ candidate }: About, { gate, before, after }: Pair): Promise<string[]> {
  const known = new Set(before?.alone?.map((file) => file.split("/").at(-1)));
  const found: string[] = [];
  for (const file of after?.alone ?? []) {
    const steps = file.split("/");
    if (known.has(steps.at(-1))) continue;
    for (const at of steps.keys()) {
      const path = steps.slice(at).join("/");
      const text = path === "" ? undefined : await candidate.text(path);
      if (text === undefined) continue;
      if (/["']node:test["']/.test(text)) found.push(`no test of ${path} ran in gate ${gate.id}`);
      break;
    }
  }
  return found;
}
