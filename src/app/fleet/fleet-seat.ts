import { dirname } from "node:path";
import { withoutAddress } from "./open-fleet.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { FLEET_VARIABLE } from "../../domain/environment.ts";
import { RalphError } from "../../domain/error.ts";
import type { TaskId } from "../../domain/task.ts";
import type { FleetDeps } from "../../loop/fleet-deps.ts";
import { laneLander } from "../../loop/lander.ts";
import type { Assignment, Plans, RunDeps } from "../../loop/run-deps.ts";
import type { RunRules } from "../../loop/run-rules.ts";
import type { FleetRun } from "../../store/store.ts";
import type { Repository } from "../../system/git/repository.ts";
import type { RemoteTarget } from "../../system/git/remote.ts";
import { openRequests } from "../../system/run-requests.ts";
import type { OpenLanding } from "../run/open-landing.ts";
import { openLanding } from "../run/open-landing.ts";
import type { RunHost } from "../run/run.ts";
import { findStore, isOfFleet, type OpenedStore } from "../task-store.ts";
import { joinStores } from "./bind-store.ts";
import { openFleetLanding } from "./fleet-landing.ts";
import { watchFleetRequests } from "./fleet-requests.ts";
import type { OpenFleet } from "./open-fleet.ts";
import { syncContexts } from "./shared-context.ts";

/** The place of this machine in the run of a fleet. */
export interface FleetSeat {
  readonly fleet: OpenFleet;
  readonly run: string;
  /** What a run that goes on already may use; undefined: this machine says it. */
  readonly limits: FleetRun["limits"] | undefined;
  readonly isFollower: boolean;
  /** Whether lanes here take tasks. */
  readonly claims: boolean;
  readonly member: number | undefined;
  /** A worker's: what the run is about. */
  readonly job?: { readonly branch: string; readonly only: readonly TaskId[] | undefined } | undefined;
  /** A follower's: makes the run known, once its work is chosen. */
  readonly begin: (
    work: Pick<Assignment, "mode" | "only" | "size">,
    limits: Pick<RunRules, "iterations">,
  ) => Promise<void>;
  /** The work here has ended. */
  readonly over: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
  readonly report: FleetDeps["report"];
}

/** The tasks of the fleet, with the file of this clone. The fleet stays open. */
export function inFleet(opened: OpenedStore, seat: FleetSeat | undefined): OpenedStore {
  if (seat === undefined) return opened;
  const close = async (): Promise<void> => await opened.store.close();
  const store = joinStores(seat.fleet.shared.store, opened.store);
  return { ...opened, store: { ...store, close, [Symbol.asyncDispose]: close } };
}

interface LandingRequest {
  readonly branch: string | null;
  readonly run: string;
}

export async function landingFor(
  home: Repository,
  { branch, run }: LandingRequest,
  seat: FleetSeat | undefined,
): Promise<OpenLanding & { readonly remote?: RemoteTarget }> {
  if (seat === undefined) return await openLanding(home, { branch, run });
  const { shared, settings } = seat.fleet;
  return await openFleetLanding(home, {
    shared,
    remote: settings.remote,
    branch: seat.job?.branch ?? branch ?? undefined,
    run,
    isFollower: seat.isFollower,
    leaseMs: settings.lease,
  });
}

/**
 * F-08: what programs of a run get; the run itself is in the fleet already. Refused: a run of this machine alone would
 * not see the tasks that the same shell shows.
 */
export function hostIn(host: RunHost): RunHost {
  if (host.fleet !== undefined) return { ...host, env: withoutAddress(host.env) };
  if (!isOfFleet(host.env)) return host;
  throw new RalphError("usage", `${FLEET_VARIABLE} is set, so tasks here are those of a fleet`, {
    hint: `Run ralphctl run --fleet, or unset ${FLEET_VARIABLE} to work on this machine's own tasks`,
  });
}

interface FleetParts {
  readonly host: RunHost;
  readonly home: Repository;
  readonly run: string;
  readonly landing: OpenLanding & { readonly remote?: RemoteTarget };
}

type Shared = Pick<RunDeps, "requests" | "stop" | "kill" | "fleet" | "leaseMs"> & Partial<Pick<RunDeps, "owner">>;

/** The parts of a run that all machines share; without a fleet, those of this one. */
export function sharedParts({ host, home, run, landing }: FleetParts): Shared {
  const { fleet: seat, interrupts } = host;
  if (seat === undefined || landing.remote === undefined) {
    return { requests: openRequests(home.gitFolder, run), ...interrupts, fleet: undefined, leaseMs: undefined };
  }
  const { shared, settings, wake, accountOf } = seat.fleet;
  const { requests, stop } = watchFleetRequests(seat.fleet, seat);
  return {
    requests,
    stop: AbortSignal.any([interrupts.stop, stop]),
    kill: interrupts.kill,
    owner: shared.owner,
    leaseMs: settings.lease,
    fleet: {
      shared,
      remote: landing.remote,
      target: `refs/heads/${landing.remote.branch}`,
      isFollower: seat.isFollower,
      claims: seat.claims,
      leaseMs: settings.lease,
      patienceMs: settings.patience,
      member: seat.member,
      lander: laneLander,
      freshen: async () => await syncContexts(shared.store, dirname((await findStore(host.cwd)).file)),
      wake,
      accountOf,
      report: seat.report,
    },
  };
}

/** Plan files are followed where somebody follows the run: a worker's clone has what was committed. */
export function plansIn(plans: Plans, seat: FleetSeat | undefined): Plans {
  if (seat === undefined || seat.isFollower) return plans;
  const nothing = { added: [], updated: [], dropped: [], revived: [], claims: [], revertedMarks: [], problems: [] };
  return {
    ...plans,
    follow: async () => await Promise.resolve(nothing),
    mark: async () => await Promise.resolve({ hasChanged: false, problems: [] }),
    bringHome: async () => await Promise.resolve([]),
  };
}
