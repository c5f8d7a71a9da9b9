import type { FollowRefusal } from "../system/git/follow-refusal.ts";
import { join, relative } from "node:path";
import type { RalphError } from "../domain/error.ts";
import type { Gate } from "../domain/gate.ts";
import type { Cooldown, Cooldowns } from "../domain/run/next-agent.ts";
import type { HookEvent } from "../domain/run/hook-event.ts";
import { type Budget, unknownCost } from "../domain/run/budget.ts";
import type { HeldWhy } from "../domain/run/lanes-held.ts";
import type { RunTally } from "../domain/run/policy.ts";
import type { ChangeEnd, ScopeOutcome } from "../domain/run/ready-changes.ts";
import type { Strength } from "../domain/strength.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { CommitRules } from "../system/git/commit-filter.ts";
import type { TaskHistory } from "./gather.ts";
import type { Lane, Room } from "../lane/lane.ts";
import type { Lease } from "../store/store.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import type { End } from "./decide.ts";
import type { Bell, Pool, Quiet, Seat } from "./desk.ts";
import type { FleetState, HeldLander } from "./fleet-deps.ts";
import type { Agent, Assignment, PlanWrite, RunDeps } from "./run-deps.ts";
import { addCost, isPartial, type SessionCost } from "../domain/usage.ts";

/** The state of a run, shared by all of its lanes. A run of several changes has one for each (`startScope`). */
export interface RunState {
  readonly deps: RunDeps;
  /** One for each scope that the run works on; this one is among them. */
  readonly scopes: RunState[];
  /** Changes that could not be opened. */
  readonly refused: ChangeEnd[];
  /** Why nothing more is done for this scope, although the run goes on with others. */
  ended: End | undefined;
  /** How its work stands; undefined while something is done for it. */
  outcome: ScopeOutcome | undefined;
  /** How many tasks were open when it began. */
  readonly tasks: number;
  /** Monotonic (`performance.now`). */
  readonly startedAtMs: number;
  /** The head of the landing ref, now and when the run began. */
  landing: string;
  readonly startHead: string;
  mode: "plan" | "build";
  only: Assignment["only"];
  /** Whether building follows planning in the same run. */
  readonly buildsAfterPlan: boolean;
  /** The limit on iterations in the current mode; 0: none. */
  iterations: number;
  /** T-24: one task of words, a file or a prompt file is the whole run, so the limits of the run are the limits of the task. */
  readonly isOneTask: boolean;
  tally: RunTally;
  /** The iterations in this scope that count against the limit. */
  counted: number;
  /** The number of iterations that have begun: their numbers are given at the claim (L-08). */
  begun: number;
  /** By task, the model that made no progress: whichever lane has the task next, another model has its turn. */
  readonly avoid: Map<TaskId, { readonly model: string | undefined }>;
  /** For each agent, until when it must not start, and why. */
  cooldowns: Cooldowns;
  /** Agents whose model has answered in this run. */
  readonly worked: Set<Agent>;
  /** Time spent waiting for usage limits since the last session that worked. */
  waitedMs: number;
  /** Set while the reviewer is unavailable. */
  reviewerCooldown: Cooldown | undefined;
  /** Gates that agents wrote, here or in earlier runs. They count from the claim after the one in which they appeared (P-16). */
  agentsGates: readonly Gate[];
  /** Gates that were red before any work, by id, and as one line each. */
  redGates: readonly string[];
  /** Those of them that said no to the landing, which none of the tasks since has made green (T-21). */
  redBefore: readonly string[];
  red: readonly string[];
  /** In a sprint: iterations in a row that began with no step pending and added none (D-12). */
  idle: number;
  /** Tasks verified in this run, in order. */
  readonly settled: SettledTask[];
  /** Plan files of the person as ralphctl last left them: all that they have beyond the landing is ours (L-03). */
  readonly ownPlans: Map<string, string>;
  /** Our writes of plan files since the last landing, oldest first. */
  readonly planWrites: PlanWrite[];
  /** Tasks that need work which landed on another branch (L-28). */
  readonly elsewhere: Set<TaskId>;
  readonly fleet: FleetState;
  /** Why the person's branch does not follow, as it was last reported (L-24). */
  notFollowing: FollowRefusal | undefined;
  readonly taken: TotalUsage;
  readonly hooks: HooksState;
  /** How many lanes may work at once. */
  readonly lanes: number;
  readonly desk: Pool<"desk">;
  /** L-10: as many proofs at a time as there are rooms. */
  readonly rooms: Pool<Room>;
  /** Held while the landing must not move: the person's commits are proven on top of it. */
  readonly landers: Pool<"lander">;
  /** Undefined if sessions and gates do not disturb each other. */
  readonly quiet: Quiet | undefined;
  /** Rings when a lane has settled a task, or the run is to end. */
  readonly bell: Bell;
  /** Resolves when the bell rings or a task is ready; undefined while no lane waits for that. */
  nextChange: Promise<void> | undefined;
  /** How many lanes are open. */
  open: number;
  /** Lanes that have a task, or look for the end of the run. */
  readonly busy: Set<LaneState>;
  /** L-08: the budget of each session under way, by its lane or hook. */
  readonly reserved: Map<object, Budget>;
  /** It was said that the run waits, and not yet that it goes on; and how often a person has ended a wait. */
  isWaiting: boolean;
  resumes: number;
  /** L-25: the number of a lane beside which no other may begin; and why lanes are idle, as it was last said. */
  alone: number | undefined;
  held: HeldWhy | undefined;
  /** It has said that it began, and so says its end. */
  hasStarted: boolean;
  /** Why the run ends, as the first lane found out. */
  end: End | undefined;
  /** The last error of a lane that was left out. */
  laneError: RalphError | undefined;
  /** Stops all lanes after an error in one. */
  readonly broken: AbortController;
}

/** The state of one lane: one agent at a time works on one task in one place. */
export interface LaneState {
  readonly run: RunState;
  readonly deps: RunDeps;
  readonly place: Lane;
  readonly seat: Seat;
  /** The states of the same lane by scope; this one is among them. */
  readonly states: Map<RunState, LaneState>;
  /** The room that it proves in, while it does. */
  room: Room | undefined;
  /** Of the task that it works on; of a candidate on the remote; and while it lands for the whole fleet (F-03). */
  lease: Lease | undefined;
  offered: Lease | undefined;
  lander: HeldLander | undefined;
  /** T-02: the lane itself as its room. */
  readonly asRoom: Room | undefined;
  /** The number of its iteration, from the claim on. */
  iteration: number;
  /** From the claim of a task until another may be claimed; and the agent of its session, from the choice to its end. */
  isAtWork: boolean;
  agent: Agent | undefined;
  /** The landing commit on which the session began, without any work on top. */
  base: Snapshot;
  /** The files when the last session began, and then when it ended. */
  last: Snapshot;
  /** Plan files that were laid over the lane, as the session found them. */
  laidPlans: ReadonlyMap<string, string>;
  /** The model that the agent recommended for the next iteration. */
  hint: string | undefined;
  /** Notes that came up after the last iteration was settled: the next prompt tells them. */
  lateNotes: readonly string[];
  /** How the last iteration broke the protocol, and on which task. */
  noted: { readonly task: TaskId; readonly notes: readonly string[] } | undefined;
  /** Earlier attempts at the last task. */
  history: TaskHistory | undefined;
  /** Information for the next iteration in plan mode. */
  planNotes: PlanNotes;
  /** Work that overlaps with the next step, such as writing patches. Never rejects. */
  background: Promise<unknown>;
  /** A proof is under way, which only the second signal stops. */
  isProving: boolean;
  /** Its task has to work alone, after another one that does: neither may wait for the other. */
  isInLine: boolean;
}

/** Whether a run may work on several changes at once. */
export const hasScopes = ({ deps }: Pick<RunState, "deps">): boolean => deps.nextScope !== undefined;

/** The lanes that have a task of this scope, or look for its end. */
export const busyIn = (scope: RunState): LaneState[] => [...scope.busy].filter(({ run }) => run === scope);

/** A lane that works alone waits until the others rest. */
export function rest(lane: LaneState): void {
  const { busy, alone, bell } = lane.run;
  if (busy.delete(lane) && alone !== undefined) bell.ring();
}

/** The usage of all sessions of a run (P-44). `isCostPartial`: the cost of some tokens or sessions is unknown. */
interface TotalUsage {
  costUsd: number | undefined;
  isCostPartial: boolean;
  isCostEstimated: boolean;
  tokens: number;
  /** The person was told that `limits.cost` does not count all of it. */
  isUnknownTold?: boolean;
}

export interface HooksState {
  /** Stops the hooks in the background. */
  readonly end: AbortController;
  /** Parallel hooks by id. They never reject. */
  readonly background: Map<string, Promise<void>>;
  /** Events of parked tasks whose hooks have not run yet. */
  readonly parked: HookEvent[];
  /** The number of hooks started so far; part of the marker of their processes. */
  started: number;
}

export interface PlanNotes {
  readonly notes: readonly string[];
  readonly validationFailure?: string;
  readonly harnessFailure?: string;
}

export interface SettledTask {
  readonly task: Task;
  readonly strength: Strength;
  /** The tree on which its gates ran. */
  readonly tree: string;
  readonly gates: readonly Gate[];
  /** T-23: the task whose session claimed this one, too. */
  readonly with?: TaskId;
}

/** L-40: finishes what would settle a task, although the run is to end. `deps.stop` is the second signal meanwhile. */
export async function proving<Result>(lane: LaneState, action: () => Promise<Result>): Promise<Result> {
  const wasProving = lane.isProving;
  lane.isProving = true;
  try {
    return await action();
  } finally {
    lane.isProving = wasProving;
  }
}

/** L-10, L-20: proves in a room, once one is free. */
export async function inRoom<Result>(lane: LaneState, action: () => Promise<Result>): Promise<Result> {
  if (lane.room !== undefined) return await action();
  const { rooms, quiet } = lane.run;
  const taken = await lane.seat.aside(async () => {
    quiet?.ask();
    const room = await rooms.take();
    await quiet?.begin();
    return room;
  });
  lane.room = lane.asRoom ?? taken;
  try {
    return await action();
  } finally {
    lane.room = undefined;
    rooms.give(taken);
    quiet?.end();
  }
}

/** L-10: with `lanes.exclusiveGates`, a session begins once no gate runs. A lane in a room would wait for itself. */
export const besideNoGate = async <Result>({ run }: LaneState, session: () => Promise<Result>): Promise<Result> =>
  run.quiet === undefined ? await session() : await run.quiet.session(session);

/** P-44: sessions outside an attempt, such as hooks, count against the limits of the run at once. */
export function spend(run: RunState, usage: SessionCost): void {
  const { costUsd = 0, tokens } = usage;
  run.tally = { ...run.tally, costUsd: run.tally.costUsd + costUsd, tokens: run.tally.tokens + tokens };
  void run.deps.fleet?.shared.spend(run.deps.runId, { costUsd, tokens }).catch(() => undefined);
  addUsage(run, usage);
}

/** Adds a session's usage to the total of the run (P-44). */
export function addUsage(run: RunState, spent: SessionCost): void {
  const { taken, deps } = run;
  const isUnknown = isPartial(spent) && spent.tokens > 0;
  if (isUnknown && !taken.isUnknownTold && deps.rules.costUsd !== undefined) {
    taken.isUnknownTold = true;
    warn(run, unknownCost({ ...deps.rules, iterations: run.iterations }));
  }
  taken.costUsd = addCost(taken.costUsd, spent.costUsd);
  taken.isCostPartial ||= isPartial(spent);
  taken.isCostEstimated ||= spent.isEstimated;
  taken.tokens += spent.tokens;
}

export const elapsedMs = ({ startedAtMs }: Pick<RunState, "startedAtMs">): number =>
  Math.round(performance.now() - startedAtMs);

export const timeLeftMs = ({ deps: { rules }, ...run }: RunState): number | undefined =>
  rules.timeMs === undefined ? undefined : Math.max(0, rules.timeMs - elapsedMs(run));

/** Patterns of files that a person lets the task change, from the top of the repository. */
export function grantsOf({ home, root }: Pick<RunDeps, "home" | "root">, { mayChange }: Pick<Task, "mayChange">) {
  const above = relative(home.folder, root);
  return mayChange.map((pattern) => join(above, pattern));
}

/** What may be in a commit of a lane. */
export const commitRules = ({ deps, place }: LaneState, task: Pick<Task, "mayChange">): CommitRules => ({
  ...deps.rules,
  allow: [...deps.rules.allow, ...grantsOf(deps, task)],
  wasIgnored: place.wasIgnored,
});

interface Telling {
  readonly deps: Pick<RunDeps, "emit">;
}

export const warn = ({ deps }: Telling, text: string): void =>
  deps.emit({ type: "run.notice", level: "warning", text });

export const tell = ({ deps }: Telling, text: string): void => deps.emit({ type: "run.notice", level: "info", text });
