import { join, relative } from "node:path";
import { agentEnding } from "../domain/agent-ending.ts";
import { type AgentEvent, type AgentOutcome, type AgentReader, isAnswer } from "../domain/agent-event.ts";
import { createDenials } from "../domain/denied-tool.ts";
import { RalphError } from "../domain/error.ts";
import { createFinalMessage } from "../domain/final-message.ts";
import { type Budget, isEmpty } from "../domain/run/budget.ts";
import { DOOR } from "../domain/run/session.ts";
import { createRefusals } from "../domain/sandbox/refusals.ts";
import { readSigils, type Sigils } from "../domain/sigil/read-sigils.ts";
import { NOTHING_USED, type SessionUsage, withUsage } from "../domain/usage.ts";
import { readOwnFiles, wholePrompt, type Session } from "../harness/harness.ts";
import { type AgentCommand, type AgentResult, runAgent } from "../system/process/agent-process.ts";
import { type AttendedResult, runAttended } from "../system/process/attended-process.ts";
import { writeOnce, writeAtomic } from "../system/folder.ts";
import type { Box } from "../system/process/box.ts";
import { partMarker } from "../system/process/marker.ts";
import { randomUuid } from "../system/random-name.ts";
import type { Agent, Prompt, RunDeps } from "./run-deps.ts";
import { moneyOf, type ReachedLimit, watchBudget } from "./watch-budget.ts";
import { watchFirstWord } from "./first-word.ts";
import { withEstimate } from "./estimated-reader.ts";

export interface SessionRequest {
  readonly agent: Agent;
  readonly model: string | undefined;
  readonly prompt: Prompt;
  /** The working directory of the agent. */
  readonly cwd: string;
  /** The folder of the session's files. */
  readonly folder: string;
  /** Added to the environment of the run. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Part of the marker of its processes. */
  readonly name: string;
  readonly onEvent: (event: AgentEvent) => void;
  /** Called when its last process has ended, shortly before all of its output is read. */
  readonly onGone?: () => void;
  /** Stops the session, in addition to the run's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** The session is stopped when this is spent, unless it has given its result by then. */
  readonly budget?: Budget;
  /** The same when this time is over: what is left of the run's. */
  readonly timeMs?: number | undefined;
}

export interface SessionEnd {
  readonly outcome: AgentOutcome;
  readonly message: string;
  readonly usage: SessionUsage;
  readonly sessionId: string | undefined;
  /** The model has said nothing. */
  readonly isUnanswered?: boolean;
  /** What the CLI said of tools that its settings do not allow, the first few. */
  readonly denied?: readonly string[];
  /** Why the watchdog or a person stopped it. */
  readonly stoppedBy: AgentResult["stoppedBy"];
  /** It reached a limit of the run: money, tokens or time. */
  readonly isOverBudget: boolean;
  /** Which one. */
  readonly reached?: ReachedLimit | undefined;
  readonly swept: number;
  readonly durationMs: number;
  /** Everything that the agent was given to read, to recognise echoes. */
  readonly given: string;
}

/** Step 4: records the prompt before the session starts. */
export function recordPrompt(folder: string, { system, text }: Prompt): void {
  writeOnce(join(folder, "prompt.md"), text);
  writeOnce(join(folder, "system.md"), system);
}

const sessionFor = ({ isRoot, self, boxes }: RunDeps, request: SessionRequest): Session => ({
  prompt: request.prompt.text,
  systemPrompt: request.prompt.system,
  model: request.model,
  cwd: request.cwd,
  folder: request.folder,
  sessionId: request.agent.harness.facts.takesSessionId ? randomUuid() : undefined,
  budgetUsd: request.budget?.costUsd,
  settings: request.agent.settings,
  isRoot,
  isSandboxed: boxes?.isSandbox,
  self,
});

const givenTo = ({ agent, prompt }: SessionRequest, session: Session): string =>
  agent.harness.facts.takesSystemPrompt ? `${prompt.system}\n${prompt.text}` : wholePrompt(session);

const sessionEnv = ({ env, door }: RunDeps, request: SessionRequest): SessionRequest["env"] => ({
  ...env,
  ...request.env,
  [DOOR]: door,
});

/** Runs a session, in the terminal if a person attends it. */
export const workSession = (deps: RunDeps, request: SessionRequest): Promise<SessionEnd> =>
  deps.attend === undefined ? runSession(deps, request) : runAttendedSession(deps, request);

/** Step 6: runs one session of an agent until its last process has ended. */
export async function runSession(deps: RunDeps, request: SessionRequest): Promise<SessionEnd> {
  const { agent, folder } = request;
  const { harness } = agent;
  const env = sessionEnv(deps, request);
  const asked = sessionFor(deps, request);
  const session = { ...asked, own: await readOwnFiles(harness, { ...asked, env }) };
  const given = givenTo(request, session);
  const reader = readerFor(request, session, { given, isSpent: () => budget.spent.aborted });
  const budget = watchBudget(request, reader, () => listener.usage());
  const firstWord = watchFirstWord(harness, session, request.onEvent);
  const listener = createListener((event) => {
    firstWord.heard();
    request.onEvent(event);
    budget.heard(event);
    if (event.type === "agent.tool-result") tellRefused(event.output);
    // A plain program says there what it misses, and not only on its standard error.
    if (event.type === "agent.text" && event.block === "output") tellRefused(event.text);
  });
  const signals = request.signal === undefined ? [] : [request.signal];
  const command = harness.start(session);
  const box = await boxAround(deps, request, { ...command, env: { ...env, ...command.env } });
  const refused = createRefusals(box?.places, { home: env["HOME"], cwd: request.cwd });
  const tellRefused = (text: string): void =>
    refused(text).forEach((refusal) => request.onEvent({ type: "agent.refused", ...refusal }));
  const result = await runAgent({
    command,
    box,
    onStderr: tellRefused,
    reader,
    stopOrder: harness.facts.stopOrder,
    cwd: request.cwd,
    env,
    marker: partMarker(deps.runId, request.name),
    limits: deps.rules.session,
    transcript: join(folder, "transcript.ndjson"),
    stderr: join(folder, "stderr.log"),
    onEvent: (event) => listener.add(inTree(deps.root, event)),
    onLook: isEmpty(request.budget) ? undefined : budget.look,
    onGone: request.onGone,
    caughtUp: deps.caughtUp,
    isThrough: () => isClaim(readSigils(listener.message(), given)),
    signal: AbortSignal.any([deps.stop, budget.spent, ...signals]),
    kill: deps.kill,
    keepsProcesses: deps.rules.keepsProcesses,
  }).finally(() => [firstWord, budget].forEach(({ close }) => close()));
  return {
    outcome: result.outcome,
    message: listener.message(),
    usage: listener.usage(),
    sessionId: listener.sessionId() ?? session.sessionId,
    isUnanswered: !listener.hasAnswer(),
    denied: listener.denied(),
    stoppedBy: result.stoppedBy,
    isOverBudget: (result.stoppedBy === "abort" && budget.spent.aborted) || stoppedItself(request, result.outcome),
    reached: (budget.spent.reason as ReachedLimit | undefined) ?? moneyOf(request),
    swept: result.swept.length,
    durationMs: result.durationMs,
    given,
  };
}

/** What stands around a session. Its files can be read; of these it writes those that it was asked for. */
const boxAround = async (
  { boxes }: Pick<RunDeps, "boxes">,
  { agent, cwd, folder }: SessionRequest,
  command: Pick<AgentCommand, "file" | "args" | "env" | "collect">,
): Promise<Box | undefined> =>
  await boxes?.agent({
    cwd,
    env: command.env,
    write: command.collect ?? [],
    read: [folder],
    own: agent.harness.facts.places,
    words: [command.file, ...command.args],
  });

/** P-44: it was given the rest of the run's budget, and stopped when that was spent. */
const stoppedItself = ({ budget }: SessionRequest, outcome: AgentOutcome): boolean =>
  outcome.kind === "turn-limit" && outcome.isBudget === true && budget?.costUsd !== undefined;

/** A claim is the agent's last word on its task: a server that it left running adds nothing. */
const isClaim = ({ done, failed, promise }: Sigils): boolean => (done ?? failed ?? promise) !== undefined;

/** With a budget, what an agent took is estimated if it tells nothing of it. */
function readerFor(
  { agent, budget }: SessionRequest,
  session: Session,
  about: { readonly given: string; readonly isSpent: () => boolean },
): AgentReader {
  const { harness } = agent;
  const reader = harness.reader(session);
  return isEmpty(budget) || harness.facts.isPlayed === true
    ? reader
    : withEstimate(reader, { ...about, model: session.model });
}

/** Paths in events are relative to the workspace. */
const inTree = (root: string, event: AgentEvent): AgentEvent =>
  event.type === "agent.long-line" ? { ...event, file: relative(root, event.file) } : event;

interface Listener {
  readonly add: (event: AgentEvent) => void;
  readonly message: () => string;
  readonly usage: () => SessionUsage;
  readonly sessionId: () => string | undefined;
  readonly hasAnswer: () => boolean;
  readonly denied: () => readonly string[];
}

/** Collects the final message, usage and session id from events, in bounded memory. */
function createListener(onEvent: (event: AgentEvent) => void): Listener {
  const message = createFinalMessage();
  let usage = NOTHING_USED;
  let sessionId: string | undefined;
  let hasAnswer = false;
  const denied = createDenials();
  return {
    add: (event) => {
      hasAnswer ||= isAnswer(event);
      denied.add(event);
      message.add(event);
      if (event.type === "agent.session") sessionId = event.sessionId ?? sessionId;
      usage = withUsage(usage, event);
      onEvent(event);
    },
    message: message.text,
    usage: () => usage,
    sessionId: () => sessionId,
    hasAnswer: () => hasAnswer,
    denied: denied.list,
  };
}

/** Step 6 of `step`: gives the terminal to the agent until it ends. ralphctl does not see its output. */
async function runAttendedSession(deps: RunDeps, request: SessionRequest): Promise<SessionEnd> {
  const { harness, name } = request.agent;
  const session = sessionFor(deps, request);
  const command = harness.attended?.(session);
  if (command === undefined) throw notAttended(name);
  for (const { path, text } of command.files) await writeAtomic(path, text);
  const env = { ...sessionEnv(deps, request), ...command.env };
  const result = await runAttended({
    file: command.file,
    args: command.args,
    env,
    box: await boxAround(deps, request, { ...command, env }),
    cwd: request.cwd,
    marker: partMarker(deps.runId, request.name),
    keepsProcesses: deps.rules.keepsProcesses,
  });
  const outcome = outcomeOf(result);
  request.onEvent({ type: "agent.ended", outcome });
  return {
    outcome,
    message: "",
    usage: NOTHING_USED,
    sessionId: session.sessionId,
    stoppedBy: undefined,
    isOverBudget: false,
    swept: result.swept.length,
    durationMs: result.durationMs,
    given: givenTo(request, session),
  };
}

export const notAttended = (harness: string): RalphError =>
  new RalphError("config", `The harness ${harness} has no interactive mode`, {
    hint: "Choose another with --harness, or let it work alone: ralphctl run",
  });

/** People leave an interactive program with Ctrl-C, so that counts as a normal end. */
function outcomeOf({ code, signal, stoppedBy }: AttendedResult): AgentOutcome {
  if (stoppedBy !== undefined) return { kind: "aborted" };
  if (code === 0 || code === 130 || signal === "SIGINT") return { kind: "done" };
  return agentEnding(undefined, { code, signal, stderr: "" });
}
