import type { Fleet, Lease } from "../store/store.ts";
import type { RemoteLanding, RemoteTarget } from "../system/git/remote.ts";
import type { Bell } from "./desk.ts";
import type { Agent } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";

/** What a run shares with other machines. */
export interface FleetDeps {
  readonly shared: Fleet;
  /** Where all of them land. */
  readonly remote: RemoteTarget;
  /** The same branch, as the database names it. */
  readonly target: string;
  /** Whoever follows the run says when it ends; workers only work. */
  readonly isFollower: boolean;
  /** Whether lanes here take tasks. */
  readonly claims: boolean;
  /** How long a claim, the lander and a member last without a sign of life. */
  readonly leaseMs: number;
  /** F-10: how long ready tasks may wait for a machine that takes one. */
  readonly patienceMs: number;
  /** This machine among the others; undefined if it takes no tasks. */
  readonly member: number | undefined;
  readonly lander: LaneLander;
  /** F-06: what people told agents on other machines is here when a prompt is made. */
  readonly freshen: () => Promise<void>;
  /** Rings when another machine has done something. */
  readonly wake: Bell;
  /** F-05: whose usage limits an agent has. */
  readonly accountOf: (agent: Agent) => string;
  /** Shows others what is wrong here; undefined: nothing any more. */
  readonly report: (problem: string | undefined) => void;
}

/** What a machine remembers of its fleet. */
export interface FleetState {
  /** F-10: since when tasks are ready and no machine takes one. */
  unclaimedMs: number | undefined;
  /** F-07: what is wrong with the remote, as it was last reported. */
  trouble: string | undefined;
}

/** F-03: the right to move the branch of the remote, until it is left. */
export interface HeldLander {
  readonly epoch: number;
  /** What the remote has. */
  seen: RemoteLanding;
  readonly leave: () => Promise<void>;
}

export interface PublishedMove {
  readonly from: string | undefined;
  readonly to: string;
  readonly tree: string;
  /** The claim that lands; undefined: a plan, or a person's commits. */
  readonly lease?: Lease | undefined;
}

/** What a lane does to land for the whole fleet. */
export interface LaneLander {
  readonly hold: (lane: LaneState) => Promise<void>;
  readonly leave: (lane: LaneState) => Promise<void>;
  readonly publish: (lane: LaneState, move: PublishedMove) => Promise<boolean>;
}

/** Lanes of all machines have different numbers. */
export const fleetLane = ({ member }: FleetDeps, number: number): number => 100 * (member ?? 0) + number;

/** The number of a lane, as events tell it. */
export const shownNumber = ({
  deps: { fleet },
  place,
}: {
  readonly deps: { readonly fleet?: FleetDeps | undefined };
  readonly place: { readonly number: number };
}): number => (fleet === undefined ? place.number : fleetLane(fleet, place.number));
