import { posix, relative } from "node:path";
import { cutMiddle } from "../domain/prompt/cut.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import type { Ask, LockedTests } from "../domain/verdict.ts";
import { type DecidingChange, whyOf } from "../gate/gate.ts";
import { ownIgnored } from "../system/git/hidden-files.ts";
import { readPatch } from "../system/git/patch.ts";
import { type AsBase, type GreenCandidate, proveAsBase } from "./as-base.ts";
import type { Attempted } from "./attempt.ts";
import type { Candidate } from "./candidate.ts";
import { changedOwnFiles } from "./own-files.ts";
import { findReadData } from "./read-data.ts";
import { redBefore } from "./red-first.ts";
import { type LaneState, warn } from "./run-state.ts";
import { findTakenBack } from "./taken-back.ts";
import { findSwitchedOff } from "./tests-ran.ts";
import { findNeedsNewTests } from "./without-new-tests.ts";

/** What follows for the verdict from the way in which the base proves. */
export interface BaseFindings {
  readonly ask?: Ask;
  readonly locked?: LockedTests;
  /** Tests that a person, or the reviewer, should look at. */
  readonly tests?: LockedTests;
  /** Further reasons to look: tests that no longer ran, work of others that is gone; one line each. */
  readonly look?: readonly string[];
  readonly isStopped?: true;
}

/** T-10, T-11: for a candidate on which all gates are green. A person who attends the session is asked at once. */
export async function findByBase(lane: LaneState, attempt: Attempted, green: GreenCandidate): Promise<BaseFindings> {
  const { deps } = lane;
  const found = await find(lane, attempt, green);
  if (found.ask === undefined || (await deps.attend?.mayChange(found.ask)) !== true) return found;
  const { claim } = attempt;
  const mayChange = [...claim.task.mayChange, ...found.ask.paths];
  const task = await deps.store.update(claim.task.id, { mayChange }, "person");
  return await find(lane, { ...attempt, claim: { ...claim, task } }, green);
}

async function find(lane: LaneState, attempt: Attempted, green: GreenCandidate): Promise<BaseFindings> {
  const { ask, tests, tried, isStopped }: AsBase = await proveAsBase(lane, attempt, green);
  const { deps } = lane;
  if (isStopped) return { isStopped };
  const own = await changedOwnFiles(lane, attempt.claim.task, green.built);
  if (ask !== undefined || own.length > 0) return { ask: await askAbout(lane, attempt, { ...green, ask, own }) };
  const paths = pathsOf(tests?.changes ?? []);
  const found = tests && { paths, why: tests.why ?? "", diff: await diffOf(lane, green.built, paths) };
  if (found !== undefined && deps.rules.tests === "lock") return { locked: found };
  const reverted = await findTakenBack(lane, attempt.claim.task, green.built);
  const unlanded = await findUnlanded(lane, attempt, green);
  const alone = found === undefined ? await findNeedsNewTests(lane, attempt, { ...green, tried }) : { look: [], tried };
  if (deps.stop.aborted) return { isStopped: true };
  const off = await findSwitchedOff(lane, attempt, { ...green, tried: alone.tried });
  const data = found === undefined ? await findReadData(lane, attempt, { ...green, tried: alone.tried }) : [];
  if (deps.stop.aborted) return { isStopped: true };
  const look = [...off, ...alone.look, ...data, ...reverted, ...unlanded];
  return { look, ...(found && { tests: found }) };
}

interface Asked extends GreenCandidate {
  readonly ask: AsBase["ask"] | undefined;
  /** Files that would act on the person's machine. */
  readonly own: readonly string[];
}

/** One question about everything that needs a person's word. */
async function askAbout(lane: LaneState, { claim }: Attempted, { built, ask, own }: Asked): Promise<Ask> {
  const { home, root } = lane.deps;
  const deciding = ask?.changes ?? [];
  const others = own.filter((path) => !deciding.some((change) => change.path === path));
  const paths = [...pathsOf(deciding), ...others];
  const what = [
    ...(ask === undefined ? [] : ["how proof is done"]),
    ...(own.length === 0 ? [] : ["what runs on your machine"]),
  ];
  const names = namesInLine([...new Set([...deciding.map(describe), ...others])]);
  const why = ask?.why === undefined ? "" : ` (${ask.why})`;
  const { id } = claim.task;
  const ways = `To allow it: ralphctl task allow ${id}; if not: ralphctl task answer ${id} no`;
  const question = `May it change ${what.join(" and ")}? It changed ${names}${why}. ${ways}`;
  const above = relative(home.folder, root);
  const diff = await diffOf(lane, built, paths);
  return { question, paths: paths.map((path) => posix.relative(above, path)), diff };
}

const LONGEST_DIFF = 20_000;

/** For a person who decides about the change. */
export const diffOf = async (
  { deps }: LaneState,
  { head, tree }: Candidate,
  paths: readonly string[],
): Promise<string> => cutMiddle(await readPatch(deps.home, { from: head, to: tree, paths }), LONGEST_DIFF);

const pathsOf = (changes: readonly DecidingChange[]): string[] => [...new Set(changes.map(({ path }) => path))];

const describe = (change: DecidingChange): string => `${change.path} (${whyOf(change)})`;

/**
 * T-02, T-03: with `verify.in: tree` gates also see ignored files, which do not land. If a session changed some and a gate
 * became green, nothing tells which change did it.
 */
async function findUnlanded(
  lane: LaneState,
  { claim, effects }: Attempted,
  { results }: GreenCandidate,
): Promise<string[]> {
  if (lane.deps.room.isLane !== true) return [];
  const paths = await ownIgnored(lane.place.repository, { base: lane.base, now: effects.now });
  if (paths.length === 0) return [];
  const text = `the gates saw ignored files that changed and do not land: ${namesInLine(paths)}`;
  if ((await redBefore(lane, claim.task, results)).length > 0) return [text];
  warn(lane, `${text.charAt(0).toUpperCase()}${text.slice(1)}`);
  return [];
}
