import { join } from "node:path";
import { byPath, type FileChange } from "../domain/change.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import type { EnteredRoom } from "../lane/lane.ts";
import { NotReproducible } from "../lane/place.ts";
import { writeOnce } from "../system/folder.ts";
import { withFiles } from "../system/git/tree-texts.ts";
import { keepProving } from "../system/git/work-ref.ts";
import { type ClaimGates, gatesOfClaim } from "./claim-gates.ts";
import { type GreenCandidate, readDeciding } from "./as-base.ts";
import type { Attempted } from "./attempt.ts";
import type { Candidate } from "./candidate.ts";
import { taskEnv } from "./naming.ts";
import { runPackageFirst } from "./package-first.ts";
import { runOnTree } from "./run-on-tree.ts";
import { type LaneState, tell } from "./run-state.ts";
import { unlessPruned } from "./unless-pruned.ts";
import { varied } from "./varied.ts";

/** What the gates said about a candidate. */
export interface ProvenCandidate {
  readonly built: Candidate;
  readonly room: EnteredRoom;
  readonly asked: ClaimGates;
  readonly results: readonly GateResult[];
  readonly deciding: GreenCandidate["deciding"];
  /** Changes of gates that became part of the candidate. */
  readonly fixed: readonly FileChange[];
}

/** A fix that calls for another one each time never settles. */
const MOST_FIXES = 3;

/**
 * L-20, T-01: runs the gates in the room, on exactly the tree that would land. With `verify.applyFixes`, files that gates
 * change become part of it, and all gates run on it again.
 */
export async function proveCandidate(
  lane: LaneState,
  attempt: Attempted,
  candidate: Candidate,
): Promise<ProvenCandidate> {
  const fixed = new Map<string, FileChange>();
  let built = candidate;
  for (let fixes = 0; ; fixes += 1) {
    const proven = await proveOnce(lane, attempt, built);
    const fix = lane.deps.rules.applyFixes && fixes < MOST_FIXES ? fixIn(proven.results) : [];
    if (fix.length === 0 || lane.deps.stop.aborted)
      return { ...proven, built, fixed: [...fixed.values()].sort(byPath) };
    for (const change of fix) fixed.set(change.path, change);
    built = await withFix(lane, attempt, { built, fix });
    tell(lane, `Gates changed ${namesInLine(fix.map(({ path }) => path))}: proving the work with these changes`);
  }
}

/** The fixes of all gates that are not green; empty if one of them has none. A new file is the agent's to decide about. */
function fixIn(results: readonly GateResult[]): readonly FileChange[] {
  const red = results.filter(({ passed }) => !passed);
  const isFixed = red.every(({ fix }) => fix?.every(({ kind }) => kind !== "added") === true);
  const changes = isFixed ? red.flatMap(({ fix = [] }) => fix) : [];
  return [...new Map(changes.map((change) => [change.path, change])).values()];
}

async function withFix(
  { deps }: LaneState,
  { claim: { task } }: Attempted,
  { built, fix }: { readonly built: Candidate; readonly fix: readonly FileChange[] },
): Promise<Candidate> {
  const files = new Map(fix.map(({ path, after }) => [path, after]));
  const write = async (): Promise<string> => await withFiles(deps.home, built.tree, files);
  const rewrite = async (): Promise<string> => {
    await built.rewrite();
    return await write();
  };
  const paths = [...built.paths, ...[...files.keys()].filter((path) => !built.paths.includes(path))];
  return await unlessPruned(async ({ isAgain }) => {
    const fixed = { ...built, tree: isAgain ? await rewrite() : await write(), paths, rewrite };
    return (await keepProving(deps.home, task.id, fixed)) ? fixed : undefined;
  });
}

type Proven = Omit<ProvenCandidate, "built" | "fixed">;

async function proveOnce(lane: LaneState, attempt: Attempted, built: Candidate): Promise<Proven> {
  const { task } = attempt.claim;
  const entered = await enterRoom(lane, built, join(attempt.folder, "gates", "room.log"));
  const root = entered.isRefused === true ? undefined : entered.root;
  const asked = await gatesOfClaim(lane, task, { ...built, root });
  const { results, room } = await runPackageFirst(lane, attempt, { built, room: entered });
  if (results !== undefined) return { room, asked, results, deciding: Promise.resolve([]) };
  return { room, asked, ...(await runInRoom(lane, attempt, { built, room, asked })) };
}

type Entered = EnteredRoom & { readonly isRefused?: boolean };

/** A tree that git cannot check out is the fault of the work: a rejection, and not the end of the run. */
async function enterRoom({ deps, place }: LaneState, built: Candidate, file: string): Promise<Entered> {
  try {
    return await deps.room.enter(built);
  } catch (error) {
    if (!(error instanceof NotReproducible)) throw error;
    const text = `${error.message}\nCheck .gitattributes: filters and line ends must give back what was committed`;
    const output = { head: text, tail: "", file, bytes: Buffer.byteLength(text) };
    writeOnce(file, text);
    const gate: Gate = { id: "room", kind: "workspace", run: "git checkout", timeoutMs: 0, retries: 0 };
    const run = { end: { kind: "exit", code: 1 }, durationMs: 0, swept: 0, output } as const;
    const setup: GateResult = { gate, passed: false, runs: [run] };
    const files = { changes: async () => [], treeWith: async () => built.tree };
    return { root: place.root, env: {}, setup, prepared: "", files, isRefused: true };
  }
}

interface InRoom extends Pick<Proven, "room" | "asked"> {
  readonly built: Candidate;
}

/** If the tree needs a set-up that fails, that is the result. What decides is found while the gates run. */
async function runInRoom(
  lane: LaneState,
  { claim, iteration, folder }: Attempted,
  { built, room, asked: { gates, pinned } }: InRoom,
): Promise<Pick<Proven, "results" | "deciding">> {
  if (room.setup?.passed === false) return { results: [room.setup], deciding: Promise.resolve([]) };
  const deciding = readDeciding(lane, built, gates);
  const isFound = deciding.catch(() => undefined); // nobody asks if a gate is red
  const place = {
    iteration,
    cwd: room.root,
    outputFolder: join(folder, "gates"),
    env: { ...room.env, ...taskEnv(claim, iteration) },
    name: `${iteration}.gates`,
  };
  const { head, tree } = built;
  const deps = varied(lane.deps, { gates: { pinned } });
  const results = await runOnTree(deps, { room, head, tree, gates, place, base: head });
  await isFound;
  return { results, deciding };
}
