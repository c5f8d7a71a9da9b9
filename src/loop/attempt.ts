import { budgetLeft } from "../domain/run/budget.ts";
import { interpret, type Interpretation } from "../domain/run/interpret.ts";
import type { TaskId } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
import type { Status } from "../system/git/status.ts";
import { workSession } from "./attended-session.ts";
import { judgeAttempt } from "./judge-attempt.ts";
import { gatherTask, type TaskBrief, readHistory, wasTooLong } from "./gather.ts";
import { snapshotTasks } from "./tamper-check.ts";
import { type Attempted, type IterationSetting, taskEnv } from "./iteration.ts";
import type { Prompt } from "./run-deps.ts";
import type { RunState } from "./run-state.ts";
import { recordPrompt, sayStopped, type SessionEnd } from "./session.ts";
import { sprintModeOf } from "./sprint.ts";
import { readStatusEarly, type SessionEffects, collectEffects } from "./session-effects.ts";
import { syncUserIndex } from "./user-index.ts";
import { beginSession } from "./work-tree.ts";

/** One attempt at a task: gather, assemble, snapshot, run, interpret, verify. */
export async function attempt(state: RunState, claim: Claim, setting: IterationSetting): Promise<Attempted> {
  const { deps, work } = state;
  const history = await readHistory(deps.store, claim, state.history);
  state.history = history;
  const brief = await gatherTask(deps.store, claim.task, { ...deps.rules, history });
  const prompt = await assemble(state, claim, { ...setting, brief });
  await syncUserIndex(state);
  await beginSession(work, claim.task.id);
  const held = await snapshotTasks(deps.store);
  let look: Promise<Status> | undefined;
  const session = await run(state, claim, {
    ...setting,
    prompt,
    onGone: () => void (look = readStatusEarly(state, look)),
  });
  const assigned = { task: claim.task.id, attempt: attemptName(deps.run, claim, setting.iteration) };
  const effects = await collectEffects(state, { held, assigned, look });
  const said = await read(state, claim, { setting, session, effects });
  return await judgeAttempt(state, { claim, setting, brief, session, effects, said });
}

/** Step 4: the prompt is written down before anything starts. */
async function assemble(
  state: RunState,
  { task }: Claim,
  { iteration, folder, agent, brief }: IterationSetting & { readonly brief: TaskBrief },
): Promise<Prompt> {
  const { deps } = state;
  const gates = [...deps.gates.ofTask(task), ...deps.gates.gates, ...state.agentsGates];
  const prompt = await deps.prompt({
    mode: "build",
    sprintMode: sprintModeOf(state, task.id),
    iteration,
    maxIterations: state.iterations,
    harness: agent.name,
    brief,
    verification: { acceptance: task.acceptance, gates, red: state.red },
    isShort: wasTooLong(brief),
    notes: [...notesOfOther(state, task.id), ...brief.notes],
  });
  recordPrompt(folder, prompt);
  return prompt;
}

/** Notes belong to their task in the store. One that is settled has no next prompt of its own: the next one tells them. */
const notesOfOther = ({ noted }: RunState, task: TaskId): readonly string[] =>
  noted === undefined || noted.task === task ? [] : noted.notes;

/** Step 6. What the session finds in its environment is its key to our channels (W-01). */
async function run(
  { deps, tally }: RunState,
  claim: Claim,
  setting: IterationSetting & { readonly prompt: Prompt; readonly onGone: () => void },
): Promise<SessionEnd> {
  const { iteration, agent, model, folder, prompt, onGone, signal } = setting;
  const session = await workSession(deps, {
    agent,
    model,
    prompt,
    cwd: deps.root,
    folder,
    env: { ...taskEnv(claim, iteration), RALPHCTL_ATTEMPT: attemptName(deps.run, claim, iteration) },
    name: String(iteration),
    onEvent: (event) => deps.emit({ ...event, iteration }),
    onGone,
    signal,
    budget: budgetLeft(deps.rules, tally),
  });
  sayStopped(deps, { iteration, ...session });
  return session;
}

export const attemptName = (run: string, { lease }: Pick<Claim, "lease">, iteration: number): string =>
  `${run}.${iteration}.${lease.fence}`;

/** Step 7: every channel at which the agent may have said something. */
async function read(
  { deps }: RunState,
  claim: Claim,
  about: { readonly setting: IterationSetting; readonly session: SessionEnd; readonly effects: SessionEffects },
): Promise<Interpretation> {
  const { setting, session, effects } = about;
  const { id } = claim.task;
  const { command } = effects;
  const heard = interpret(
    { ...session, command, markedPlan: effects.followed.claims.some((marked) => marked.id === id) },
    {
      // Nobody was told the id of a goal.
      taskId: id === deps.goal?.task ? undefined : id,
      promise: deps.rules.promise,
      hasGoal: deps.goal !== undefined,
    },
  );
  const isAsked = heard.claim === "none" && session.outcome.kind === "done" && !deps.stop.aborted;
  const isDone = isAsked && (await deps.attend?.isDone(claim.task)) === true;
  const said: Interpretation = isDone ? { ...heard, claim: "done", channel: "person" } : heard;
  const { iteration } = setting;
  if (said.claim !== "none") deps.emit({ type: "claim.made", iteration, claim: said.claim, channel: said.channel });
  for (const note of [...said.notes, ...effects.notes]) deps.emit({ type: "protocol.broken", iteration, note });
  return said;
}
