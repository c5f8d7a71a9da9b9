import type { Budget } from "../domain/run/budget.ts";
import type { Cooldown } from "../domain/run/next-agent.ts";
import type { Owner, TaskId } from "../domain/task.ts";
import type { Lease, Store } from "./store.ts";

/**
 * What the machines of a fleet share beside tasks. Each method is one transaction; times and leases are by the server's
 * clock, and what a caller gives or gets is a duration: the clocks of machines may differ by hours.
 */
export interface Fleet extends FleetRuns, FleetMembers, FleetLanding, FleetEvents, FleetBudget, FleetAsks {
  readonly store: Store;
  /** Host and database, for people: never what logs in. */
  readonly name: string;
  /** This process, so that no other machine takes it for one of its own, whatever their names are. */
  readonly owner: Owner;
  /**
   * Calls back soon after something has changed, and now and then without a reason: a message may get lost, and behind
   * a pooler none arrives. The returned function ends it.
   */
  listen(onWake: (what: Wake) => void, options?: ListenOptions): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/**
 * What may have changed: tasks to claim; runs that began or ended; requests; the landing and its lander; questions to
 * members. Not events: there are many, and every message wakes every machine. Who follows them asks again and again.
 */
export type Wake = "tasks" | "runs" | "requests" | "landing" | "asks";

export interface ListenOptions {
  /** How often to call back without a message, once it is known that messages arrive; 1 s at most if they do not. */
  readonly pollMs?: number | undefined;
}

/** One active run for each target; whoever follows it may go, and another comes. */
export interface FleetRuns {
  /**
   * Begins a run, or takes over the one on the same target whose follower is gone (`isAdopted`, with its own id and
   * request). Throws `busy` if somebody follows one there.
   */
  beginRun(run: NewFleetRun): Promise<FleetRun & { readonly isAdopted: boolean }>;
  /** Oldest first. */
  activeRuns(): Promise<readonly FleetRun[]>;
  /** Newest first. */
  listRuns(limit?: number): Promise<readonly FleetRun[]>;
  getRun(id: string): Promise<FleetRun | undefined>;
  /** `lost`: it has ended, or another one follows it now. */
  beatRun(id: string, owner: Owner): Promise<"held" | "lost">;
  /** Does nothing if it has ended. */
  endRun(id: string, end: unknown): Promise<void>;
  /** The number of the next iteration. Undefined: the run has ended, or begins none more. */
  takeIteration(run: string): Promise<number | undefined>;
  /** It did not begin after all, and does not count. Its number is given again, unless a later one was. */
  giveIterationBack(run: string, number: number): Promise<void>;
  /** F-06: what a person asks of a run, wherever they are. Throws if there is no such active run. */
  request(run: string, kind: FleetRequestKind, from?: string): Promise<void>;
  requests(run: string): Promise<FleetRequests>;
}

export interface NewFleetRun {
  readonly id: string;
  readonly scope: string;
  /** The branch that it lands on: `refs/heads/main`. */
  readonly target: string;
  /** Mode, tasks, demands: whatever workers must know. JSON. */
  readonly request: unknown;
  readonly limits: FleetLimits;
  /** Who follows it. */
  readonly owner: Owner;
  readonly leaseMs: number;
}

/** Undefined: none. */
export interface FleetLimits {
  readonly iterations?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
}

export interface FleetRun extends Omit<NewFleetRun, "leaseMs"> {
  /** Whether somebody follows it now. */
  readonly isFollowed: boolean;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** As `endRun` had it. */
  readonly end: unknown;
  /** The last number that was given. */
  readonly begun: number;
  /** Those that count against the limit. */
  readonly counted: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** The number of its last event. */
  readonly events: number;
}

export type FleetRequestKind = "stop" | "stop after" | "pause" | "resume";

export interface FleetRequests {
  /** End now: sessions are stopped. */
  readonly stop: boolean;
  readonly stopAfter: boolean;
  readonly isPaused: boolean;
  /** How often somebody asked to go on: each machine remembers what it has seen. */
  readonly resumes: number;
  /** Where the newest came from; undefined: a terminal. */
  readonly from: string | undefined;
}

export interface FleetMembers {
  /** The number is the lowest that no member had since the active run began. */
  join(member: NewMember): Promise<Member>;
  /** `lost`: it was away for too long, and is no member any more. */
  beat(member: Pick<Member, "number" | "owner">, state: MemberState): Promise<"held" | "lost">;
  leave(member: Pick<Member, "number" | "owner">): Promise<void>;
  /** By their numbers, those that went silent included. */
  members(): Promise<readonly Member[]>;
}

export interface NewMember {
  readonly owner: Owner;
  /** For people; by default the host. */
  readonly name: string;
  readonly lanes: number;
  readonly harnesses: readonly MemberHarness[];
  readonly version: string;
  readonly leaseMs: number;
}

export interface MemberHarness {
  readonly name: string;
  /** F-05: whose usage limits these are. Machines with the same login have the same. */
  readonly account?: string | undefined;
  /** Why it cannot be started there. */
  readonly problem?: string | undefined;
}

export interface MemberState {
  /** The run that it works on. */
  readonly run?: string | undefined;
  readonly lanes: readonly MemberLane[];
  /** F-10: ready tasks that it cannot take, and why. */
  readonly cannot?: readonly { readonly task: TaskId; readonly why: string }[] | undefined;
  /** What is wrong there: a remote that refuses, a full disk. */
  readonly problem?: string | undefined;
}

export interface MemberLane {
  readonly lane: number;
  readonly task?: TaskId | undefined;
  readonly iteration?: number | undefined;
  /** A few words: `session`, `gates`, `waits`. */
  readonly doing: string;
}

export interface Member extends Omit<NewMember, "leaseMs"> {
  readonly number: number;
  readonly state: MemberState;
  readonly isLive: boolean;
  /** Since it joined, and since its last sign of life. */
  readonly joinedMs: number;
  readonly silentMs: number;
}

/** F-03: who may move the branch of the remote, and what they meant to do. */
export interface FleetLanding {
  /** Raises the epoch. Undefined: somebody live is the lander. */
  takeLander(target: string, by: Held): Promise<{ readonly epoch: number } | undefined>;
  keepLander(target: string, epoch: number): Promise<"held" | "lost">;
  /** Does nothing if it is lost. */
  leaveLander(target: string, epoch: number): Promise<void>;
  /** `fenced`: the epoch is not the newest any more. */
  addIntent(intent: NewIntent): Promise<"written" | "fenced">;
  /** `epoch` is the caller's: whoever is the lander now closes what a dead one left. */
  closeIntent(
    intent: Pick<Intent, "target" | "epoch" | "to">,
    by: { readonly epoch: number; readonly how: "landed" | "given-up" },
  ): Promise<"closed" | "fenced">;
  /** Oldest first. */
  openIntents(target: string): Promise<readonly Intent[]>;
  /** Those of these commits that an intent has landed. */
  landedBy(target: string, commits: readonly string[]): Promise<ReadonlyMap<string, Intent>>;
}

export interface Held {
  readonly owner: Owner;
  readonly leaseMs: number;
}

export interface NewIntent {
  readonly target: string;
  readonly epoch: number;
  /** The head of the branch before and after. */
  readonly from: string | undefined;
  readonly to: string;
  readonly tree: string;
  readonly run: string;
  /** The claim that it lands; undefined: a person's commits, a plan. */
  readonly task?: TaskId | undefined;
  readonly fence?: number | undefined;
}

export interface Intent extends NewIntent {
  readonly state: "open" | "landed" | "given-up";
}

/** F-04: numbers are given under the lock of the run's row, so whoever reads in order misses none. */
export interface FleetEvents {
  /**
   * Adds lines of a spool, the first of which has this place in it. Those that arrived before are not added again.
   * Returns how many lines of the spool are there now. Throws if there would be a gap, or if there is no such run.
   */
  appendEvents(run: string, batch: EventBatch): Promise<number>;
  /** How many lines of a spool have arrived. */
  spooled(run: string, spool: string): Promise<number>;
  eventsAfter(run: string, seq: number, limit?: number): Promise<readonly FleetEvent[]>;
}

export interface EventBatch {
  /** The machine's own name for its file of events of this run. */
  readonly spool: string;
  /** How many lines of the spool were before these. */
  readonly from: number;
  readonly lines: readonly string[];
}

export interface FleetEvent {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly line: string;
}

/** F-05: money, tokens and usage limits that all machines share. */
export interface FleetBudget {
  /**
   * A part of what is left for the next session of this holder, equal for all that could begin now; zero or less if
   * nothing is left. It ends with the task's lease, or with the member that has none.
   */
  reserve(run: string, share: ShareRequest): Promise<Budget>;
  /** Adds to what the run has used. With a holder, its reservation ends. */
  spend(run: string, used: Budget, holder?: string): Promise<void>;
  /** Nobody with this account starts the harness for a while; undefined: it works again. A shorter one shortens none. */
  cool(account: string, harness: string, cooldown: NewFleetCooldown | undefined): Promise<void>;
  /** Those that last. */
  cooldowns(): Promise<readonly FleetCooldown[]>;
}

export interface ShareRequest {
  /** A lane or hook: unique in the run. */
  readonly holder: string;
  /** One of the two that it dies with. */
  readonly lease?: Lease | undefined;
  readonly member?: number | undefined;
  /** What it has used since its last `spend`. */
  readonly used?: Budget | undefined;
}

export interface NewFleetCooldown extends Pick<Cooldown, "why" | "times" | "message"> {
  readonly forMs: number;
}

export interface FleetCooldown extends Pick<Cooldown, "why" | "times" | "message"> {
  readonly account: string;
  readonly harness: string;
  readonly leftMs: number;
}

/** F-04: files that stay on their machine, such as transcripts, and are asked for there. */
export interface FleetAsks {
  /** Returns the number of the question. */
  ask(question: NewFileAsk): Promise<number>;
  /** The open questions to a member. */
  asked(member: number): Promise<readonly FileAsk[]>;
  /** The first answer counts. */
  answer(ask: number, answer: FileAnswer): Promise<void>;
  /** Undefined: nobody has answered yet. */
  answerTo(ask: number): Promise<FileAnswer | undefined>;
}

export interface NewFileAsk {
  readonly member: number;
  readonly run: string;
  /** Relative to the folder of the run. */
  readonly file: string;
  /** The end of the file counts. */
  readonly maxBytes: number;
}

export interface FileAsk extends NewFileAsk {
  readonly id: number;
}

export type FileAnswer = { readonly text: string; readonly isCut: boolean } | { readonly problem: string };
