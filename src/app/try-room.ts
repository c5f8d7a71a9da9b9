import { join } from "node:path";
import type { Gate, GateResult } from "../domain/gate.ts";
import {
  describeLines,
  findDifference,
  hasLines,
  IN_PLACE,
  NO_LINES,
  proposedCaches,
  type RoomDifference,
  type RoomLines,
} from "../lane/room-advice.ts";
import { runChecks, wasStopped } from "../loop/check.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import { type CheckHost, type Checks, runGroups, withChecks } from "./run/checks.ts";
import { placeSettings } from "./run/open-places.ts";
import { findGates, noGate } from "./run/run-gates.ts";
import type { Workspace } from "./workspace.ts";

/** How the gates did in a fresh checkout of everything that git would commit. */
export interface RoomTrial {
  /** `differs`: some gates pass in the person's tree, and not there. */
  readonly verdict: "green" | "red" | "differs" | "stopped";
  readonly gates: readonly { readonly id: string; readonly command: string; readonly passed: boolean }[];
  /** Set-up, if that failed: then no gate ran. */
  readonly failedSetup: string | undefined;
  readonly difference: RoomDifference | undefined;
  /** Lines to write. Gates that differ pass in the room with them, which was tried, or they are the last resort. */
  readonly lines: RoomLines;
  /** Lines that were tried, and not enough. */
  readonly notEnough: RoomLines | undefined;
  /** Files of the person's tree that the gates changed. */
  readonly changed: readonly string[];
}

/**
 * T-02: runs the gates in the room, and those that fail there in the person's tree too. If the results differ, it looks
 * for lines that mend it, and tries these in the room.
 */
export async function tryRoom(workspace: Workspace, host: CheckHost): Promise<RoomTrial> {
  const about = { host, workspace, scope: "workspace", isClean: false, keepsOutputs: false };
  const first = await withChecks(about, async (checks) => await compare(checks));
  const { difference } = first;
  if (first.verdict !== "differs" || difference === undefined) return first;
  const { lines } = difference;
  if (!hasLines(lines)) return { ...first, lines: IN_PLACE };
  const named = describeLines(lines).flatMap((part) => part.lines);
  host.emit({ type: "run.notice", level: "info", text: `Trying again with ${named.join(", ")}` });
  const again = { ...about, workspace: changed(workspace, lines), include: lines.include };
  const passed = await withChecks(again, async (checks) => await passesNow(checks, difference.gates));
  if (passed === undefined) return { ...first, verdict: "stopped" };
  return passed ? { ...first, lines } : { ...first, lines: IN_PLACE, notEnough: lines };
}

const changed = (workspace: Workspace, { setup, keep }: RoomLines): Workspace => {
  const { config } = workspace;
  const lanes = { ...config.lanes, keep: [...config.lanes.keep, ...keep], ...(setup !== undefined && { setup }) };
  return { ...workspace, config: { ...config, lanes } };
};

const UNKNOWN = { difference: undefined, lines: NO_LINES, notEnough: undefined, changed: [] };

async function compare(checks: Checks): Promise<RoomTrial> {
  const { host, setup, root } = checks;
  const gates = await gatesOf(checks);
  const failed = setup?.passed === false ? setup : undefined;
  host.announce([...(setup === undefined ? [] : [setup.gate]), ...gates], root);
  const results = failed === undefined ? (await runGroups(checks, [{ gates, env: {} }])).flat() : [];
  const about = {
    gates: results.map(({ gate: { id, run }, passed }) => ({ id, command: run, passed })),
    failedSetup: failed?.gate.run,
    ...UNKNOWN,
  };
  if (wasStopped([...(failed === undefined ? [] : [failed]), ...results], host))
    return { ...about, verdict: "stopped" };
  const red = failed === undefined ? results.filter(({ passed }) => !passed) : [];
  if (failed === undefined && red.length === 0) {
    return { ...about, verdict: "green", lines: { ...NO_LINES, keep: await proposedCaches(adviceBase(checks)) } };
  }
  // With verify.in: tree this was the person's tree.
  if (root === checks.workspace.root) return { ...about, verdict: "red" };
  const here = await runHere(checks, failed === undefined ? red.map(({ gate }) => gate) : gates);
  if (wasStopped(here.results, host)) return { ...about, changed: here.changed, verdict: "stopped" };
  const green = here.results.filter(({ passed }) => passed);
  if (green.length === 0) return { ...about, changed: here.changed, verdict: "red" };
  const only = failed === undefined ? red.filter(({ gate }) => green.some((one) => one.gate.id === gate.id)) : green;
  const difference = await findDifference({ ...adviceBase(checks), red: only, setup: failed });
  return { ...about, changed: here.changed, verdict: "differs", difference };
}

const adviceBase = ({ home, workspace, homeEnv: env }: Checks) => ({
  home,
  root: workspace.root,
  env,
  settings: placeSettings(workspace),
});

async function gatesOf({ workspace, root }: Checks): Promise<readonly Gate[]> {
  const found = await findGates({ workspace, folder: root });
  if (found.gates.length === 0) throw noGate(found);
  return found.gates;
}

/** Runs gates where the person would run them. */
async function runHere(
  { host, home, run, outputs, workspace: { root }, homeEnv: env, boxes }: Checks,
  gates: readonly Gate[],
): Promise<{ readonly results: readonly GateResult[]; readonly changed: readonly string[] }> {
  host.announce(gates, root);
  const before = await snapshot(home);
  const deps = { runId: run, root, env, emit: () => undefined, stop: host.stop, kill: host.kill, boxes };
  const results = await runChecks(deps, gates, {
    cwd: root,
    outputFolder: join(outputs, "here"),
    env: {},
    name: "here",
  });
  const after = await snapshot(home, before);
  return { results, changed: (await changesBetween(home, before, after)).map(({ path }) => path) };
}

/** Whether these gates pass in the room; undefined if it was stopped. */
async function passesNow(checks: Checks, ids: readonly string[]): Promise<boolean | undefined> {
  const { host, setup } = checks;
  if (setup?.passed === false) return wasStopped([setup], host) ? undefined : false;
  const results = (await runGroups(checks, [{ gates: await gatesOf(checks), env: {} }])).flat();
  if (wasStopped(results, host)) return undefined;
  return results.every(({ gate, passed }) => passed || !ids.includes(gate.id));
}
