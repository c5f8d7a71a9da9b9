import { join } from "node:path";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import { interpret, type Interpretation } from "../domain/run/interpret.ts";
import type { IterationOutcome } from "../domain/run/outcome.ts";
import type { Proof } from "../domain/verdict.ts";
import type { Claim } from "../store/store.ts";
import type { BuiltTree } from "../system/git-commit.ts";
import type { Snapshot } from "../system/git-snapshot.ts";
import { conclude } from "./conclude.ts";
import { readDoorClaim } from "./door-claims.ts";
import { gatherTask, type GatheredTask } from "./gather.ts";
import { holdState } from "./held-state.ts";
import type { Agent, Prompt } from "./parts.ts";
import type { Running } from "./running.ts";
import { recordPrompt, runSession, sayStopped, type SessionEnd } from "./session.ts";
import { type Stock, takeStock } from "./stock.ts";
import type { Verified } from "./verify.ts";
import { beginSession } from "./work-tree.ts";

/** How an iteration is made. */
export interface IterationSetting {
  readonly iteration: number;
  /** Where everything about it lies. */
  readonly folder: string;
  readonly agent: Agent;
  readonly model: string | undefined;
  /** Ends the session before its time: the lease was lost. */
  readonly signal: AbortSignal;
}

/** What came of an attempt, before it is settled. */
export interface Attempted {
  readonly outcome: IterationOutcome;
  readonly session: SessionEnd;
  readonly said: Interpretation | undefined;
  readonly reason?: string | undefined;
  readonly question?: string | undefined;
  readonly summary?: string | undefined;
  readonly record: Omit<AttemptRecord, "v">;
  readonly proven?: Proven | undefined;
  readonly verified?: Verified | undefined;
  /** The plan file has a mark that may have to go again. */
  readonly wasMarked: boolean;
  /** Something that only a person can put right. */
  readonly trouble?: string | undefined;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  /** Task, tree, gate results and states in one word: the same word again is no progress. */
  readonly mark: string;
}

/** A claim that holds: what was proven, and by what. */
export interface Proven {
  readonly built: BuiltTree;
  readonly now: Snapshot;
  readonly verified: Verified;
  readonly proof: Proof;
}

/** One attempt at a task: gather, assemble, snapshot, run, interpret, verify. */
export async function attempt(running: Running, claim: Claim, setting: IterationSetting): Promise<Attempted> {
  const { parts, work } = running;
  const brief = await gatherTask(parts.store, claim.task, parts.rules.specsDirs);
  const prompt = await assemble(running, claim, { ...setting, brief });
  await beginSession(work, claim.task.id);
  const held = await holdState(parts.store);
  const session = await run(running, claim, { ...setting, prompt });
  const stock = await takeStock(running, { held, taskId: claim.task.id });
  const said = await read(running, claim, { setting, session, stock });
  return await conclude(running, { claim, setting, session, stock, said });
}

/** Step 4: the prompt is written down before anything starts. */
async function assemble(
  running: Running,
  { task }: Claim,
  { iteration, folder, agent, brief }: IterationSetting & { readonly brief: GatheredTask },
): Promise<Prompt> {
  const { parts } = running;
  const gates = [...parts.gates.ofTask(task), ...parts.gates.gates, ...running.agentsGates];
  const prompt = await parts.prompt({
    mode: "build",
    iteration,
    maxIterations: running.iterations,
    harness: agent.name,
    brief,
    verification: { acceptance: task.acceptance, gates, red: running.red },
    notes: brief.notes,
  });
  await recordPrompt(folder, prompt);
  return prompt;
}

/** Step 6. What the session finds in its environment is its key to our doors (W-01). */
async function run(
  { parts }: Running,
  claim: Claim,
  setting: IterationSetting & { readonly prompt: Prompt },
): Promise<SessionEnd> {
  const { iteration, agent, model, folder, prompt, signal } = setting;
  const session = await runSession(parts, {
    agent,
    model,
    prompt,
    cwd: parts.root,
    folder,
    env: { ...taskEnv(claim, iteration), RALPHCTL_ATTEMPT: attemptName(parts.run, claim, iteration) },
    name: String(iteration),
    onEvent: (event) => parts.emit({ ...event, iteration }),
    signal,
  });
  sayStopped(parts, iteration, session);
  return session;
}

export const attemptName = (run: string, { lease }: Pick<Claim, "lease">, iteration: number): string =>
  `${run}.${iteration}.${lease.fence}`;

/** What programs may know of the task (W-05). */
export const taskEnv = ({ task }: Pick<Claim, "task">, iteration: number): Record<string, string> => ({
  RALPHCTL_TASK: task.id,
  RALPHCTL_TASK_TITLE: task.title,
  RALPHCTL_ITERATION: String(iteration),
});

/** Step 7: every door at which the agent may have said something. */
async function read(
  { parts }: Running,
  claim: Claim,
  about: { readonly setting: IterationSetting; readonly session: SessionEnd; readonly stock: Stock },
): Promise<Interpretation> {
  const { setting, session, stock } = about;
  const { id } = claim.task;
  const command = await readDoorClaim(parts.store, id, attemptName(parts.run, claim, setting.iteration));
  const said = interpret(
    { ...session, command, markedPlan: stock.followed.claims.some((marked) => marked.id === id) },
    { taskId: id, promise: parts.rules.promise },
  );
  const { iteration } = setting;
  if (said.claim !== "none") parts.emit({ type: "claim.made", iteration, claim: said.claim, door: said.door });
  for (const note of [...said.notes, ...stock.notes]) parts.emit({ type: "protocol.broken", iteration, note });
  return said;
}

export const iterationFolder = (running: Running, iteration: number): string =>
  join(running.parts.folder, String(iteration));
