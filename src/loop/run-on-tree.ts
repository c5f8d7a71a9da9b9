import { join } from "node:path";
import type { FileChange } from "../domain/change.ts";
import { fileName } from "../domain/file-name.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { countedWrites, newWrites } from "../domain/gate-writes.ts";
import type { TaskId } from "../domain/task.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import type { EnteredRoom, Start } from "../lane/lane.ts";
import { readPatch } from "../system/git/patch.ts";
import { recordOutput } from "../system/output-file.ts";
import { askBase, type BaseAnswer, type BaseDeps } from "./ask-base.ts";
import { type CheckPlace, resultFields, runChecks, wasStopped } from "./check.ts";
import { countFlaky } from "./flaky-gates.ts";
import { judgeEmpty, markEmpty } from "./no-tests.ts";
import { rememberHabits, rememberPassed } from "./proofs.ts";
import { quietly } from "./varied.ts";

// A gate that exits with 0 after it has changed files, such as a formatter, has passed on other files than those that
// would land.

/** A commit, or how to find it: few gates change files, so few callers have to know. */
export type BaseCommit = string | (() => Promise<string | undefined>);

export interface TreeRun extends Start {
  readonly room: EnteredRoom;
  readonly gates: readonly Gate[];
  readonly place: CheckPlace;
  /** The commit to compare with. Undefined: the tree is a base itself, on which gates may write as they always do. */
  readonly base?: BaseCommit | undefined;
  /** Whose gates these are, so that passes are remembered for it. */
  readonly task?: TaskId | undefined;
}

/** Runs gates in a room that holds the tree, and remembers those that pass on exactly this tree. */
export async function runOnTree(deps: BaseDeps, run: TreeRun): Promise<readonly GateResult[]> {
  const results = await markEmpty(await runChecks(deps, run.gates, run.place));
  if (results.length === 0 || wasStopped(results, deps)) return results;
  await tellFlaky(deps, run, results);
  // A base that nothing is compared with costs no look: it is asked if a candidate calls for it.
  const changes = run.base === undefined ? [] : countedWrites(await run.room.files.changes());
  const ran: Ran = { results, changes };
  const empty = results.filter(({ isEmpty }) => isEmpty).map(({ gate }) => gate);
  if (changes.length + empty.length === 0) return await remember(deps, run, ran);
  if (run.room.files.putBack === undefined) return await runInOwnTree(deps, run, ran);
  // The work is rejected anyway: tests that fail often leave files behind, and need no second run for that.
  if (changes.length > 0 && results.some(({ passed }) => !passed)) {
    if (deps.room.isLane !== true) await run.room.files.putBack();
    return results;
  }
  const base = typeof run.base === "function" ? await run.base() : run.base;
  const gates = changes.length > 0 ? run.gates : empty;
  const known = base === undefined ? undefined : await askBase(deps, { ...run, gates, base });
  if (deps.stop.aborted) return results;
  if (known !== undefined) return await judgeByBase(deps, run, { ran, known });
  tell(deps, ran);
  return await remember(deps, run, ran);
}

/** What gates do on the base as well is only told. */
async function judgeByBase(
  deps: BaseDeps,
  run: TreeRun,
  { ran, known }: { readonly ran: Ran; readonly known: BaseAnswer },
): Promise<readonly GateResult[]> {
  const { pinned } = deps.gates;
  const results = judgeEmpty(ran.results, { ...known, pinned });
  for (const result of results) if (!ran.results.includes(result)) announce(deps, run, result);
  const fresh = newWrites(ran.changes, known.names);
  const isNew = ({ path }: FileChange): boolean => fresh.some((change) => change.path === path);
  tell(deps, { results, changes: ran.changes.filter((change) => !isNew(change)) });
  const judged = fresh.length === 0 ? results : await findWriters(deps, run, { ...known, results, fresh });
  if (wasStopped(judged, deps)) return judged;
  // Other gates may run in it next.
  if (known.hasEntered || fresh.length > 0) await deps.room.enter(run);
  return judged.some(isWriter) ? judged : await remember(deps, run, { ...ran, results: judged });
}

async function tellFlaky(deps: BaseDeps, run: TreeRun, results: readonly GateResult[]): Promise<void> {
  const { store, gates } = deps;
  if (store === undefined) return;
  const proof = { tree: run.tree, setup: run.room.prepared };
  for (const { id, times } of await countFlaky(store, proof, { results, pinned: gates.pinned })) {
    const often = times === 1 ? "" : `, ${times} times so far`;
    warn(deps, `Gate ${id} is flaky: it failed and passed on the same files${often}`);
  }
}

function tell(deps: BaseDeps, { results, changes }: Ran): void {
  const empty = results.filter(({ isEmpty }) => isEmpty).map(({ gate }) => gate.id);
  if (empty.length > 0) warn(deps, `No tests yet: gate ${empty.join(", ")} found none, so it shows nothing`);
  const paths = changes.map(({ path }) => path);
  if (paths.length > 0) warn(deps, `Gates change these files, without the work as well: ${namesInLine(paths)}`);
}

/** What was found out about a gate after it had passed. */
function announce(deps: BaseDeps, { place: { iteration } }: TreeRun, result: GateResult): void {
  const { id, kind, run: command } = result.gate;
  const about = iteration === undefined ? {} : { iteration };
  deps.emit({ type: "gate.started", ...about, gate: id, kind, command });
  deps.emit({ type: "gate.finished", ...about, ...resultFields(deps, result) });
}

/** Each once in a run: gates do the same for each claim. */
function warn({ emit, told }: Pick<BaseDeps, "emit" | "told">, text: string): void {
  if (told?.has(text) !== true) emit({ type: "run.notice", level: "warning", text });
  told?.add(text);
}

interface Ran {
  readonly results: readonly GateResult[];
  readonly changes: readonly FileChange[];
}

async function remember(deps: BaseDeps, run: TreeRun, ran: Ran): Promise<readonly GateResult[]> {
  const { store, gates } = deps;
  const { results, changes } = ran;
  if (store === undefined) return results;
  const empty = results.filter(({ isEmpty }) => isEmpty);
  const isLookedAt = run.base !== undefined && changes.length + empty.length > 0;
  if (isLookedAt) await rememberHabits(store, run.tree, { ...ran, ...gates });
  const proof = { tree: run.tree, setup: run.room.prepared };
  const shown = results.filter((result) => !empty.includes(result));
  await rememberPassed(store, proof, { results: shown, task: run.task, pinned: gates.pinned });
  return results;
}

interface Found extends BaseAnswer {
  readonly results: readonly GateResult[];
  readonly fresh: readonly FileChange[];
}

/** Runs gates one by one to find out which of them change files. Nothing that passes is remembered. */
async function findWriters(deps: BaseDeps, run: TreeRun, found: Found): Promise<readonly GateResult[]> {
  const { results, fresh, names, hasEntered } = found;
  const [only, ...others] = results;
  if (only !== undefined && others.length === 0 && !hasEntered) {
    return [await runAgain(deps, run, { result: only, changes: fresh })];
  }
  warn(deps, `Gates change files: ${namesInLine(fresh.map(({ path }) => path))}. Running them one by one`);
  const room = await deps.room.enter(run);
  const judged: GateResult[] = [];
  for (const before of results) {
    const place = { ...run.place, cwd: room.root, name: `${run.place.name}.alone.${judged.length + 1}` };
    const [result] = await runChecks(quietly(deps), [before.gate], place);
    if (result === undefined || wasStopped([result], deps))
      return [...judged, ...(result === undefined ? [] : [result])];
    const changes = newWrites(countedWrites(await room.files.changes()), names);
    judged.push(changes.length === 0 ? result : await runAgain(deps, { ...run, room, place }, { result, changes }));
    if (changes.length > 0) await room.files.putBack?.();
  }
  // A gate that fails only without the files that another one writes is not at fault.
  const isFound = judged.some(isWriter);
  return judged.map((result, at) =>
    isWriter(result) || (!isFound && !isEmptyRun(results[at]!)) ? result : results[at]!,
  );
}

const isEmptyRun = ({ runs, isEmpty }: GateResult): boolean => isEmpty === true || runs.at(-1)?.end.kind === "no tests";

const isWriter = ({ runs }: GateResult): boolean => runs.at(-1)?.end.kind === "wrote";

interface Wrote {
  readonly result: GateResult;
  readonly changes: readonly FileChange[];
}

/** Once more on the files as they are now: only a gate that is green then has made a fix. */
async function runAgain(deps: BaseDeps, run: TreeRun, { result, changes }: Wrote): Promise<GateResult> {
  if (!result.passed) return result;
  const { room, place } = run;
  const tree = await room.files.treeWith(changes);
  const [again] = await runChecks(quietly(deps), [result.gate], { ...place, name: `${place.name}.again` });
  if (again === undefined) return result;
  if (!again.passed && !wasStopped([again], deps)) announce(deps, run, again);
  if (!again.passed) return again;
  // The base cannot be asked: what changes each time, such as a date, is not about the work.
  if (deps.room.isLane === true && !isAlike(changes, await room.files.changes())) return result;
  return await asWriter(deps, run, { result, changes, tree });
}

async function asWriter(
  deps: BaseDeps,
  run: TreeRun,
  { result, changes, tree }: Wrote & { readonly tree: string },
): Promise<GateResult> {
  const files = changes.map(({ path }) => path);
  const patch = await readPatch(deps.home, { from: run.tree, to: tree, paths: files });
  const output = await recordOutput(join(run.place.outputFolder, `${fileName(result.gate.id)}.patch`), patch);
  const wrote = { end: { kind: "wrote", files }, durationMs: 0, swept: 0, output } as const;
  const writer = { ...result, passed: false, runs: [...result.runs, wrote], fix: changes };
  announce(deps, run, writer);
  return writer;
}

const isAlike = (before: readonly FileChange[], now: readonly FileChange[]): boolean =>
  before.every(({ path, after }) => now.some((one) => one.path === path && one.after?.hash === after?.hash));

/** T-41: the person's files stay as the gates left them, and are named. Gates that change them each time are only told. */
async function runInOwnTree(deps: BaseDeps, run: TreeRun, { results, changes }: Ran): Promise<readonly GateResult[]> {
  if (changes.length === 0) tell(deps, { results, changes });
  if (changes.length === 0 || results.some(({ passed }) => !passed)) return results;
  const tree = await run.room.files.treeWith(changes);
  const again = await runChecks(deps, run.gates, { ...run.place, name: `${run.place.name}.again` });
  if (wasStopped(again, deps) || again.some(({ passed }) => !passed)) return again;
  if (isAlike(changes, await run.room.files.changes())) {
    const [only, ...others] = again;
    const result: GateResult = others.length === 0 ? only! : { gate: FILES, passed: true, runs: [] };
    const wrote = await asWriter(deps, run, { result, changes, tree });
    return others.length === 0 ? [wrote] : [...again, wrote];
  }
  warn(deps, `Gates change these files of yours each time: ${namesInLine(changes.map(({ path }) => path))}`);
  return again;
}

/** Several gates ran, and which of them changed the files is not known. */
const FILES: Gate = { id: "files", kind: "workspace", run: "git status", timeoutMs: 0, retries: 0 };
