import { join, relative } from "node:path";
import { agentEnding } from "../domain/agent-ending.ts";
import type { AgentEvent, AgentOutcome, StopReason } from "../domain/agent-event.ts";
import { RalphError } from "../domain/error.ts";
import { createFinalMessage } from "../domain/final-message.ts";
import { type Budget, isSpent } from "../domain/run/budget.ts";
import { NOTHING_USED, type SessionUsage, withUsage } from "../domain/usage.ts";
import { wholePrompt, type Session } from "../harness/harness.ts";
import { type AgentLimits, type AgentResult, runAgent } from "../system/process/agent-process.ts";
import { type AttendedResult, runAttended } from "../system/process/attended-process.ts";
import { writeOnce, writeAtomic } from "../system/folder.ts";
import { MARKER } from "../system/process/marker.ts";
import { randomUuid } from "../system/random-name.ts";
import type { Agent, Prompt, RunDeps } from "./run-deps.ts";

export interface SessionRequest {
  readonly agent: Agent;
  readonly model: string | undefined;
  readonly prompt: Prompt;
  /** Where the agent works. */
  readonly cwd: string;
  /** Where everything about the session lies. */
  readonly folder: string;
  /** What the session finds in its environment beside the run's. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Part of the mark by which its processes are found. */
  readonly name: string;
  readonly onEvent: (event: AgentEvent) => void;
  /** Told when its last process is gone, a moment before all that it said is known. */
  readonly onGone?: () => void;
  /** Ends it before its time; beside the run's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** What it may take. It is stopped when that is spent, unless it has given its result by then. */
  readonly budget?: Budget;
}

/** What came of a session: how it ended, what it said at the end, what it took. */
export interface SessionEnd {
  readonly outcome: AgentOutcome;
  readonly message: string;
  readonly usage: SessionUsage;
  readonly sessionId: string | undefined;
  /** Why our watchdog, or a person, stopped it. */
  readonly stoppedBy: AgentResult["stoppedBy"];
  /** It had spent what it might take. */
  readonly isOverBudget: boolean;
  readonly swept: number;
  readonly durationMs: number;
  /** All that the agent was given to read, to recognise an echo by. */
  readonly given: string;
}

/** Writes down what the agent is sent, before anything starts (step 4). */
export function recordPrompt(folder: string, { system, text }: Prompt): void {
  writeOnce(join(folder, "prompt.md"), text);
  writeOnce(join(folder, "system.md"), system);
}

/** A session as its harness is told of it. */
const sessionFor = ({ isRoot, self }: RunDeps, request: SessionRequest): Session => ({
  prompt: request.prompt.text,
  systemPrompt: request.prompt.system,
  model: request.model,
  cwd: request.cwd,
  folder: request.folder,
  sessionId: request.agent.harness.facts.takesSessionId ? randomUuid() : undefined,
  budgetUsd: request.budget?.costUsd,
  settings: request.agent.settings,
  isRoot,
  self,
});

/** All that the agent was given to read. */
const givenTo = ({ agent, prompt }: SessionRequest, asked: Session): string =>
  agent.harness.facts.takesSystemPrompt ? `${prompt.system}\n${prompt.text}` : wholePrompt(asked);

/** A session that works on something: alone, or with a person where one attends. */
export const workSession = (deps: RunDeps, request: SessionRequest): Promise<SessionEnd> =>
  deps.attend === undefined ? runSession(deps, request) : runAttendedSession(deps, request);

/** Step 6: one session of an agent, from start to the end of its last process. */
export async function runSession(deps: RunDeps, request: SessionRequest): Promise<SessionEnd> {
  const { agent, folder } = request;
  const { harness } = agent;
  const asked = sessionFor(deps, request);
  const reader = harness.reader(asked);
  const purse = watchBudget(request.budget ?? {}, reader.hasResult);
  const heard = listen((event) => {
    request.onEvent(event);
    purse.spend(heard.usage());
  });
  const others = request.signal === undefined ? [] : [request.signal];
  const result = await runAgent({
    command: harness.start(asked),
    reader,
    stopOrder: harness.facts.stopOrder,
    cwd: request.cwd,
    env: { ...deps.env, ...request.env },
    marker: { name: MARKER, value: `${deps.runId}.${request.name}` },
    limits: deps.rules.session,
    transcript: join(folder, "transcript.ndjson"),
    stderr: join(folder, "stderr.log"),
    onEvent: (event) => heard.add(inTree(deps.root, event)),
    onGone: request.onGone,
    caughtUp: deps.caughtUp,
    signal: AbortSignal.any([deps.stop, purse.spent, ...others]),
    kill: deps.kill,
    keepsProcesses: deps.rules.keepsProcesses,
    starter: deps.starter,
  }).finally(purse.close);
  return {
    outcome: result.outcome,
    message: heard.message(),
    usage: heard.usage(),
    sessionId: heard.sessionId() ?? asked.sessionId,
    stoppedBy: result.stoppedBy,
    isOverBudget: result.stoppedBy === "abort" && purse.spent.aborted,
    swept: result.swept.length,
    durationMs: result.durationMs,
    given: givenTo(request, asked),
  };
}

/** Paths in events are relative to the working tree. */
const inTree = (root: string, event: AgentEvent): AgentEvent =>
  event.type === "agent.long-line" ? { ...event, file: relative(root, event.file) } : event;

/** How long a session that has spent everything may take to give its result: it may be in its last words. */
const LAST_WORDS_MS = 2000;

interface Purse {
  readonly spend: (usage: SessionUsage) => void;
  /** Aborted when everything is spent, and no result was given. */
  readonly spent: AbortSignal;
  readonly close: () => void;
}

function watchBudget(budget: Budget, hasResult: () => boolean): Purse {
  const spent = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    spend: (usage) => {
      if (!isSpent(budget, usage)) return;
      timer ??= setTimeout(() => {
        if (!hasResult()) spent.abort();
      }, LAST_WORDS_MS);
    },
    spent: spent.signal,
    close: () => clearTimeout(timer),
  };
}

interface Listener {
  readonly add: (event: AgentEvent) => void;
  readonly message: () => string;
  readonly usage: () => SessionUsage;
  readonly sessionId: () => string | undefined;
}

/** Keeps what is needed of the events as they pass, in bounded memory. */
function listen(onEvent: (event: AgentEvent) => void): Listener {
  const message = createFinalMessage();
  let usage = NOTHING_USED;
  let sessionId: string | undefined;
  return {
    add: (event) => {
      message.add(event);
      if (event.type === "agent.session") sessionId = event.sessionId ?? sessionId;
      usage = withUsage(usage, event);
      onEvent(event);
    },
    message: message.text,
    usage: () => usage,
    sessionId: () => sessionId,
  };
}

/** Step 6 of `step`: the terminal is the agent's until it ends. What is said there is heard by the person alone. */
async function runAttendedSession(deps: RunDeps, request: SessionRequest): Promise<SessionEnd> {
  const { harness, name } = request.agent;
  const asked = sessionFor(deps, request);
  const command = harness.attended?.(asked);
  if (command === undefined) throw notAttended(name);
  for (const { path, text } of command.files) await writeAtomic(path, text);
  const result = await runAttended({
    file: command.file,
    args: command.args,
    env: { ...deps.env, ...request.env, ...command.env },
    cwd: request.cwd,
    marker: { name: MARKER, value: `${deps.runId}.${request.name}` },
    keepsProcesses: deps.rules.keepsProcesses,
  });
  const outcome = outcomeOf(result);
  request.onEvent({ type: "agent.ended", outcome });
  return {
    outcome,
    message: "",
    usage: NOTHING_USED,
    sessionId: asked.sessionId,
    stoppedBy: undefined,
    isOverBudget: false,
    swept: result.swept.length,
    durationMs: result.durationMs,
    given: givenTo(request, asked),
  };
}

export const notAttended = (harness: string): RalphError =>
  new RalphError("config", `The harness ${harness} has no interface for a person`, {
    hint: "Choose another with --harness, or let it work alone: ralphctl run",
  });

/** Ctrl-C is how people leave a program: that is an end like any other. */
function outcomeOf({ code, signal, stoppedBy }: AttendedResult): AgentOutcome {
  if (stoppedBy !== undefined) return { kind: "aborted" };
  if (code === 0 || code === 130 || signal === "SIGINT") return { kind: "done" };
  return agentEnding(undefined, { code, signal, stderr: "" });
}

const WHY: Readonly<Record<StopReason, string>> = {
  inactivity: "It was silent for too long",
  wall: "It exceeded the time limit of a session",
  grace: "It gave its result but did not exit",
  refused: "It kept asking although its login was refused",
  abort: "It was stopped with the run",
};

const OVER_BUDGET = "It reached the budget of the run";

/** What was over, as the configuration calls it. */
const LIMITS: Readonly<Partial<Record<StopReason, readonly [key: string, limit: keyof AgentLimits]>>> = {
  inactivity: ["limits.inactivity", "inactivityMs"],
  wall: ["limits.attempt", "wallMs"],
  grace: ["limits.grace", "graceMs"],
};

export interface Stopped extends Pick<SessionEnd, "stoppedBy" | "isOverBudget" | "swept"> {
  readonly iteration: number;
  /** Whose session it was; the agent's own has no name. */
  readonly whose?: string;
}

/** What was done about an agent that did not end by itself, and about what it left running. */
export function reportStopped({ emit, rules }: RunDeps, stopped: Stopped): void {
  const { iteration, whose, stoppedBy, isOverBudget, swept } = stopped;
  const say = (text: string, about: { readonly limit?: string; readonly limitMs?: number } = {}): void =>
    emit({ type: "session.stopped", iteration, why: text.replace(/^It(?= )/, whose ?? "It"), ...about });
  if (stoppedBy !== undefined) {
    const over = LIMITS[stoppedBy];
    const about = over && { limit: over[0], limitMs: rules.session[over[1]] };
    say(isOverBudget ? OVER_BUDGET : WHY[stoppedBy], about);
  }
  if (swept === 1) say("It left a process running, and ralphctl ended it");
  if (swept > 1) say(`It left ${swept} processes running, and ralphctl ended them`);
}
