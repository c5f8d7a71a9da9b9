import { RalphError } from "../../domain/error.ts";
import { isMapping, type Mapping } from "../../domain/mapping.ts";
import type { RunFinished } from "../../domain/run/event.ts";
import { defaultIterations } from "../../domain/run/policy.ts";
import { findTarget } from "../../system/git/landing.ts";
import { withRepository } from "../../system/git/repository.ts";
import { newRunName } from "../../system/random-name.ts";
import { checkHarnesses } from "../run/check-harnesses.ts";
import { laneCount } from "../run/lane-count.ts";
import { type RunHost, runWorkspace } from "../run/run.ts";
import type { RunRequest } from "../run/run-request.ts";
import { openWorkspace, openWorkspaceScope, type Workspace } from "../workspace.ts";
import type { FleetSeat } from "./fleet-seat.ts";
import { joinFleet, type Membership } from "./membership.ts";
import { openFleet, type OpenFleet, withoutAddress } from "./open-fleet.ts";

/** What workers must know of a run. */
export interface FleetJob {
  readonly v: 1;
  readonly only?: readonly string[] | undefined;
  readonly strict: boolean;
  readonly validationCommand?: string | undefined;
  /** Configuration that was typed, for each session wherever it runs. */
  readonly flags?: Mapping | undefined;
}

/** Runs with all machines of the fleet: plans if needed, follows what workers do, and ends as a run does. */
export async function runFleet(request: RunRequest, host: RunHost): Promise<RunFinished> {
  const workspace = await openWorkspace(host);
  refuseAlone(request, workspace);
  const { stop } = host.interrupts;
  const fleet = await openFleet(workspace, { ...host, stop });
  // Lanes of its own only if somebody asks for them.
  const claims = workspace.lookup("lanes.count").origin.kind === "flag";
  let membership: Membership | undefined;
  try {
    const target = await targetOf(workspace, host);
    const scope = (await openWorkspaceScope(workspace, request.scope)).key;
    const left = (await fleet.shared.activeRuns()).find((run) => run.target === target);
    const run = left?.id ?? newRunName(Date.now());
    const begin: FleetSeat["begin"] = async ({ mode, only, size }, { iterations }) => {
      // A plan says how many tasks there will be.
      const usual = mode === "plan" ? undefined : defaultIterations({ mode, tasks: size });
      const job = jobOf(request, only, host);
      await beginRun(fleet, { run, scope, target, job, workspace, iterations: iterations ?? usual });
    };
    // Before anything is done: somebody may follow it.
    if (left?.isFollowed === true) await begin({ mode: "plan", only: undefined, size: 0 }, { iterations: undefined });
    if (claims) membership = await joinAs(fleet, workspace, host);
    await membership?.setRun(run);
    const seat = seatOf({ fleet, run, limits: left?.limits, claims, begin, membership });
    return await following(fleet, run, async () => await runWorkspace(request, { ...host, fleet: seat }));
  } finally {
    await membership?.leave();
    await fleet.close();
  }
}

const jobOf = (request: RunRequest, only: FleetJob["only"], { flags = {} }: Pick<RunHost, "flags">): FleetJob => ({
  v: 1,
  only,
  strict: request.strict,
  validationCommand: request.validationCommand,
  flags: flagsOfSessions(flags),
});

/** Limits of the whole run are in its row, and each machine chooses its agents itself. */
function flagsOfSessions({ limits, promise }: Mapping): Mapping {
  const typed = Object.entries(isMapping(limits) ? limits : {});
  const ofSessions = typed.filter(([name]) => !OF_RUN.has(name));
  return { ...(promise !== undefined && { promise }), limits: Object.fromEntries(ofSessions) };
}
const OF_RUN: ReadonlySet<string> = new Set(["iterations", "time", "cost", "tokens"]);

function refuseAlone({ more, gates }: RunRequest, { config }: Workspace): void {
  const what =
    more !== undefined ? "--continue-ready" : config.lanes.inPlace ? "--in-place" : gates && "A gate of a program";
  if (what === undefined) return;
  throw new RalphError("usage", `${what} is for one machine, and cannot be used with --fleet`, {
    hint: "Leave one of them out",
  });
}

/** The branch that the run lands on, as the database names it. */
export async function targetOf({ root, config }: Workspace, { env }: Pick<RunHost, "env">): Promise<string> {
  const place = { folder: root, env: withoutAddress(env) };
  const { branch } = await withRepository(
    place,
    async (home) => await findTarget(home, config.git.branch ?? undefined),
  );
  if (branch !== undefined) return `refs/heads/${branch}`;
  throw new RalphError("config", "HEAD is detached here, and a fleet lands on a branch", {
    hint: "Switch to the branch, or name it: --branch",
  });
}

interface NewRun {
  readonly run: string;
  readonly scope: string;
  readonly target: string;
  readonly job: FleetJob;
  readonly workspace: Workspace;
  readonly iterations: number | undefined;
}

async function beginRun(
  { shared, settings }: OpenFleet,
  { run, scope, target, job, workspace, iterations }: NewRun,
): Promise<void> {
  const { limits } = workspace.config;
  const begun = await shared.beginRun({
    id: run,
    scope,
    target,
    request: job,
    limits: {
      iterations: iterations === 0 ? undefined : iterations,
      costUsd: limits.cost ?? undefined,
      tokens: limits.tokens ?? undefined,
    },
    owner: shared.owner,
    leaseMs: settings.lease,
  });
  if (begun.id === run) return;
  throw new RalphError("busy", `Another run of this branch has just begun: ${begun.id}`, {
    hint: "Run ralphctl run --fleet again: it takes that one over",
  });
}

interface SeatParts {
  readonly fleet: OpenFleet;
  readonly run: string;
  readonly limits: FleetSeat["limits"];
  readonly claims: boolean;
  readonly begin: FleetSeat["begin"];
  readonly membership: Membership | undefined;
}

const seatOf = ({ membership, ...parts }: SeatParts): FleetSeat => ({
  ...parts,
  isFollower: true,
  member: membership?.member().number,
  // It ends with its process.
  over: new AbortController().signal,
  onEvent: (event) => membership?.onEvent(event),
  report: (problem) => membership?.report(problem),
});

export const joinAs = async (fleet: OpenFleet, workspace: Workspace, host: RunHost): Promise<Membership> =>
  await joinFleet(fleet, {
    name: fleet.shared.owner.host,
    lanes: laneCount(workspace.config),
    agents: await checkHarnesses(workspace, host),
    version: host.version,
  });

/** Shows that somebody follows the run. However it ends, unless by a kill, the run has ended then. */
async function following(
  { shared, settings }: OpenFleet,
  run: string,
  action: () => Promise<RunFinished>,
): Promise<RunFinished> {
  const beat = setInterval(() => void shared.beatRun(run, shared.owner).catch(() => undefined), settings.lease / 3);
  let end: unknown = { ending: "failure" };
  try {
    const finished = await action();
    end = { ending: finished.ending, reason: finished.reason };
    return finished;
  } finally {
    clearInterval(beat);
    await shared.endRun(run, end).catch(() => undefined); // after the lease, another can take it over
  }
}
