import { budgetLeft } from "../domain/run/budget.ts";
import { interpret, type Interpretation } from "../domain/run/interpret.ts";
import type { TaskId } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
import type { Status } from "../system/git-status.ts";
import { workSession } from "./attended-session.ts";
import { conclude } from "./conclude.ts";
import { gatherTask, type GatheredTask, readHistory, wasTooLong } from "./gather.ts";
import { holdState } from "./held-state.ts";
import { type Attempted, type IterationSetting, taskEnv } from "./iteration.ts";
import type { Prompt } from "./parts.ts";
import type { Running } from "./running.ts";
import { recordPrompt, sayStopped, type SessionEnd } from "./session.ts";
import { sprintModeOf } from "./sprint.ts";
import { lookEarly, type Stock, takeStock } from "./stock.ts";
import { tellUsersIndex } from "./users-index.ts";
import { beginSession } from "./work-tree.ts";

/** One attempt at a task: gather, assemble, snapshot, run, interpret, verify. */
export async function attempt(running: Running, claim: Claim, setting: IterationSetting): Promise<Attempted> {
  const { parts, work } = running;
  const history = await readHistory(parts.store, claim, running.history);
  running.history = history;
  const brief = await gatherTask(parts.store, claim.task, { ...parts.rules, history });
  const prompt = await assemble(running, claim, { ...setting, brief });
  await tellUsersIndex(running);
  await beginSession(work, claim.task.id);
  const held = await holdState(parts.store);
  let look: Promise<Status> | undefined;
  const session = await run(running, claim, {
    ...setting,
    prompt,
    onGone: () => void (look = lookEarly(running, look)),
  });
  const assigned = { task: claim.task.id, attempt: attemptName(parts.run, claim, setting.iteration) };
  const stock = await takeStock(running, { held, assigned, look });
  const said = await read(running, claim, { setting, session, stock });
  return await conclude(running, { claim, setting, brief, session, stock, said });
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
    sprintMode: sprintModeOf(running, task.id),
    iteration,
    maxIterations: running.iterations,
    harness: agent.name,
    brief,
    verification: { acceptance: task.acceptance, gates, red: running.red },
    isShort: wasTooLong(brief),
    notes: [...notesOfOther(running, task.id), ...brief.notes],
  });
  recordPrompt(folder, prompt);
  return prompt;
}

/** Notes belong to their task in the store. One that is settled has no next prompt of its own: the next one tells them. */
const notesOfOther = ({ noted }: Running, task: TaskId): readonly string[] =>
  noted === undefined || noted.task === task ? [] : noted.notes;

/** Step 6. What the session finds in its environment is its key to our doors (W-01). */
async function run(
  { parts, tally }: Running,
  claim: Claim,
  setting: IterationSetting & { readonly prompt: Prompt; readonly onGone: () => void },
): Promise<SessionEnd> {
  const { iteration, agent, model, folder, prompt, onGone, signal } = setting;
  const session = await workSession(parts, {
    agent,
    model,
    prompt,
    cwd: parts.root,
    folder,
    env: { ...taskEnv(claim, iteration), RALPHCTL_ATTEMPT: attemptName(parts.run, claim, iteration) },
    name: String(iteration),
    onEvent: (event) => parts.emit({ ...event, iteration }),
    onGone,
    signal,
    budget: budgetLeft(parts.rules, tally),
  });
  sayStopped(parts, { iteration, ...session });
  return session;
}

export const attemptName = (run: string, { lease }: Pick<Claim, "lease">, iteration: number): string =>
  `${run}.${iteration}.${lease.fence}`;

/** Step 7: every door at which the agent may have said something. */
async function read(
  { parts }: Running,
  claim: Claim,
  about: { readonly setting: IterationSetting; readonly session: SessionEnd; readonly stock: Stock },
): Promise<Interpretation> {
  const { setting, session, stock } = about;
  const { id } = claim.task;
  const { command } = stock;
  const heard = interpret(
    { ...session, command, markedPlan: stock.followed.claims.some((marked) => marked.id === id) },
    {
      // Nobody was told the id of a goal.
      taskId: id === parts.goal?.task ? undefined : id,
      promise: parts.rules.promise,
      hasGoal: parts.goal !== undefined,
    },
  );
  const isAsked = heard.claim === "none" && session.outcome.kind === "done" && !parts.stop.aborted;
  const isDone = isAsked && (await parts.attend?.isDone(claim.task)) === true;
  const said: Interpretation = isDone ? { ...heard, claim: "done", door: "person" } : heard;
  const { iteration } = setting;
  if (said.claim !== "none") parts.emit({ type: "claim.made", iteration, claim: said.claim, door: said.door });
  for (const note of [...said.notes, ...stock.notes]) parts.emit({ type: "protocol.broken", iteration, note });
  return said;
}
