import { RalphError } from "../../domain/error.ts";
import type { FleetRun } from "../../store/store.ts";
import { sleep } from "../../system/sleep.ts";
import { choiceOf } from "../run/other-scopes.ts";
import { type RunHost, runWorkspace } from "../run/run.ts";
import { requireTrust } from "../trust/trust.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import type { FleetSeat } from "./fleet-seat.ts";
import type { Membership } from "./membership.ts";
import { openFleet, type OpenFleet } from "./open-fleet.ts";
import { type FleetJob, joinAs } from "./run-fleet.ts";

export interface WorkerRequest {
  /** End with the first run. */
  readonly isOnce: boolean;
  /** A sentence for whoever looks at the worker. */
  readonly say: (sentence: string) => void;
}

/** How a worker ended. */
export type WorkerEnd = "once" | "stopped";

const LOOK_MS = 5000;
const AGAIN_MS = 3000;

/** Works on the runs of the fleet, one after the other, until somebody stops it. */
export async function work({ isOnce, say }: WorkerRequest, host: RunHost): Promise<WorkerEnd> {
  const workspace = await openWorkspace(host);
  const { stop } = host.interrupts;
  // Before others see it: it would take no task.
  await requireTrust(workspace, host, { agents: true });
  const fleet = await openFleet(workspace, { ...host, stop });
  fleet.tell.say = say;
  try {
    const membership = await joinAs(fleet, workspace, host);
    try {
      say(`Worker ${membership.member().number} of the fleet at ${fleet.shared.name} waits for a run`);
      return await workOnRuns({ fleet, membership, workspace, isOnce, say, said: new Set() }, host);
    } finally {
      await membership.leave();
    }
  } finally {
    await fleet.close();
  }
}

interface Working extends WorkerRequest {
  readonly fleet: OpenFleet;
  readonly membership: Membership;
  readonly workspace: Workspace;
  /** What keeps it from a run comes again with each try, and is said once. */
  readonly said: Set<string>;
}

async function workOnRuns(working: Working, host: RunHost): Promise<WorkerEnd> {
  const { fleet, isOnce } = working;
  const { stop } = host.interrupts;
  let last: FleetRun | undefined;
  while (!stop.aborted) {
    // It may end some time after its work here.
    if (isOnce && last !== undefined && (await hasEnded(working, last))) return "once";
    const run = await nextRun(working);
    if (run === undefined) {
      await Promise.race([fleet.wake.next(), sleep(LOOK_MS, stop)]);
      continue;
    }
    await workOnRun(working, run, host);
    if (stop.aborted) break;
    last = run;
    // What ended the work here may need a person, or a moment.
    if (!(await hasEnded(working, run))) await sleep(AGAIN_MS, stop);
  }
  return "stopped";
}

/** A database that is away says nothing about the run. */
const hasEnded = async ({ fleet }: Working, { id }: FleetRun): Promise<boolean> => {
  const run = await fleet.shared.getRun(id).catch(() => undefined);
  return run?.endedAt !== undefined;
};

async function nextRun({ fleet, say }: Working): Promise<FleetRun | undefined> {
  try {
    const runs = await fleet.shared.activeRuns();
    return runs.find(({ request }) => jobIn(request) !== undefined);
  } catch (error) {
    if (!(error instanceof RalphError) || error.kind !== "unavailable") throw error;
    say(error.message);
    return undefined;
  }
}

const jobIn = (request: unknown): FleetJob | undefined => {
  const job = request as Partial<FleetJob> | undefined;
  return job?.v === 1 ? { strict: false, ...job, v: 1 } : undefined;
};

async function workOnRun({ fleet, membership, say, said }: Working, run: FleetRun, host: RunHost): Promise<void> {
  const { strict, validationCommand, only, flags } = jobIn(run.request)!;
  const branch = run.target.replace(/^refs\/heads\//, "");
  const over = new AbortController();
  await membership.setRun(run.id);
  const seat: FleetSeat = {
    fleet,
    run: run.id,
    limits: run.limits,
    isFollower: false,
    claims: true,
    member: membership.member().number,
    over: over.signal,
    job: { branch, only },
    begin: async () => await Promise.resolve(),
    onEvent: membership.onEvent,
    report: membership.report,
  };
  const sayOnce = (sentence: string): void => {
    if (!said.has(sentence)) say(sentence);
    said.add(sentence);
  };
  sayOnce(`Works on run ${run.id}`);
  try {
    const scope = await choiceOf(run.scope, host);
    const request = { mode: "build", scope, strict, validationCommand } as const;
    const { reason } = await runWorkspace(request, { ...host, flags: { ...host.flags, ...flags }, fleet: seat });
    say(`${reason} (run ${run.id})`);
    membership.report(undefined);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    sayOnce(`${error.message}${error.hint === undefined ? "" : `. ${error.hint}`} (run ${run.id})`);
    membership.report(error.message);
    if (error.kind === "interrupted") return;
  } finally {
    over.abort();
    await membership.setRun(undefined);
  }
}
