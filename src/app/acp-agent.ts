import { type AnyMessage, client, methods } from "@agentclientprotocol/sdk";
import { ACP_VERSION, type AcpNote, type AcpPermissions, modelChoice, permissionAnswer } from "../domain/acp.ts";
import { formatDuration } from "../domain/duration.ts";
import { isMapping, type Mapping, parseMapping } from "../domain/mapping.ts";
import { version } from "../domain/version.ts";
import { followLog } from "./agent-log.ts";
import { print, printError } from "../system/process/scripted-process.ts";
import { startTalking } from "../system/process/talking-process.ts";
import { endsWithin } from "../system/sleep.ts";

/** The agent to talk to, and what about. */
export interface AcpOrder {
  readonly command: readonly [file: string, ...args: string[]];
  readonly prompt: string;
  readonly model: string | undefined;
  readonly permissions: AcpPermissions;
  /** A file to which it writes what it does not say. */
  readonly log?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes every message of the agent, and our own lines (`AcpNote`). Default: standard output. */
  readonly print?: (line: string) => void;
  /** Takes other lines of the agent: a banner, words for a person. Default: standard error. */
  readonly printOther?: (line: string) => void;
  /** Ends the session in order, and at once. */
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
  /** How long the agent may take for each answer before it works. */
  readonly startMs?: number;
}

/** A start may include a download, and servers of the agent's own. */
const START_MS = 120_000;
/** How long an agent may take to end its turn when it is told to. */
const CANCEL_MS = 2000;
const STOPPED = 130;

/**
 * One session by the Agent Client Protocol: a new session, a prompt, and its answer. Returns the exit code: 0 if the agent
 * answered, otherwise its own.
 */
export async function talkToAgent(order: AcpOrder): Promise<number> {
  const { log, printOther = printErrorLine } = order;
  let isOver = false;
  const followed = log === undefined ? undefined : followLog(log, { isOver: () => isOver, print: printOther });
  try {
    return await talkTo(order);
  } finally {
    isOver = true;
    await followed;
  }
}

async function talkTo(order: AcpOrder): Promise<number> {
  const talk = await openTalk(order);
  const answer = converse(order, talk);
  const stopped = new Promise<undefined>((resolve) => {
    if (order.stop.aborted) resolve(undefined);
    order.stop.addEventListener("abort", () => resolve(undefined));
  });
  const answered = await Promise.race([answer, stopped]);
  if (answered === undefined) {
    await talk.cancel(answer);
    await talk.end(order.kill);
    return STOPPED;
  }
  const code = await talk.end(order.stop);
  return answered ? 0 : code;
}

interface Talk {
  /** The answer; undefined if it is an error, or does not come. */
  readonly ask: (method: string, params: Mapping, withinMs?: number) => Promise<Mapping | undefined>;
  readonly note: (note: AcpNote) => void;
  /** Tells the agent to end its turn, and waits for it a moment. */
  readonly cancel: (answer: Promise<unknown>) => Promise<void>;
  readonly end: (now: AbortSignal) => Promise<number>;
}

/** Starts the agent and connects to it. */
async function openTalk(order: AcpOrder): Promise<Talk> {
  const { command, cwd, env, permissions, print = printLine, printOther = printErrorLine, stop } = order;
  const incoming = new TransformStream<AnyMessage, AnyMessage>(undefined, undefined, { highWaterMark: Infinity });
  const inbox = incoming.writable.getWriter();
  const note = (one: AcpNote): void => print(JSON.stringify(one));
  const [file, ...args] = command;
  const child = await startTalking({
    file,
    args,
    cwd,
    env,
    onLine: (line) => {
      const message = parseMapping(line);
      if (message?.["jsonrpc"] !== "2.0") return printOther(line);
      print(line);
      // What it only tells is for the reader of these lines.
      if ("id" in message) void inbox.write(message as never).catch(nothing);
    },
  });
  void child.silent.then(async () => await inbox.close().catch(nothing));
  let prompted: unknown;
  const outgoing = new WritableStream<AnyMessage>({
    write: (message) => {
      if ("method" in message && message.method === methods.agent.session.prompt) prompted = sessionIn(message.params);
      note({ sent: brief(message) });
      child.send(JSON.stringify(message));
    },
  });
  const { agent } = client({ name: "ralphctl" })
    .onRequest(methods.client.session.requestPermission, asMapping, ({ params }) =>
      // A turn that is cancelled is asked nothing more.
      permissionAnswer(stop.aborted ? [] : params["options"], permissions),
    )
    .connect({ readable: incoming.readable, writable: outgoing });
  return {
    note,
    ask: async (method, params, withinMs) => {
      // What it failed with stands in a line of the agent.
      const answer = agent.request(method, params).then(asMapping, () => undefined);
      if (withinMs === undefined || (await endsWithin(answer, withinMs))) return await answer;
      const message = `did not answer ${method} within ${formatDuration(withinMs)}`;
      note({ problem: { about: "agent", message } });
      return undefined;
    },
    cancel: async (answer) => {
      if (prompted === undefined) return;
      await agent.notify(methods.agent.session.cancel, { sessionId: prompted }).catch(nothing);
      await endsWithin(answer, CANCEL_MS);
    },
    end: child.end,
  };
}

/** Whether the agent answered the prompt, or ralphctl has said why it was not asked. */
async function converse({ prompt, model, cwd, startMs = START_MS }: AcpOrder, talk: Talk): Promise<boolean> {
  const { ask, note } = talk;
  const about = await ask(methods.agent.initialize, HELLO, startMs);
  if (about === undefined) return false;
  // Its reader says so.
  if (about["protocolVersion"] !== ACP_VERSION) return false;
  const session = await ask(methods.agent.session.new, { cwd, mcpServers: [], _meta: ASKED_FOR }, startMs);
  if (session === undefined) return false;
  const { sessionId } = session;
  const choice = model === undefined ? { chosen: true as const } : modelChoice(session, model);
  if ("problem" in choice) {
    note(choice);
    return false;
  }
  if ("method" in choice && (await ask(choice.method, choice.params, startMs)) === undefined) return false;
  const words = { sessionId, prompt: [{ type: "text", text: prompt }] };
  return (await ask(methods.agent.session.prompt, words)) !== undefined;
}

/** It works with files and programs itself. */
const HELLO: Mapping = {
  protocolVersion: ACP_VERSION,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: "ralphctl", title: "ralphctl", version },
};

/** Claude Code's adapter tells of requests that it repeats; others ignore it. */
const ASKED_FOR: Mapping = { claudeCode: { emitRawSDKMessages: [{ type: "system", subtype: "api_retry" }] } };

/** A connection that ended takes no more. */
const nothing = (): undefined => undefined;

const printLine = (line: string): void => print(`${line}\n`);
const printErrorLine = (line: string): void => printError(`${line}\n`);

const asMapping = (value: unknown): Mapping => (isMapping(value) ? value : {});

const sessionIn = (params: unknown): unknown => asMapping(params)["sessionId"];

/** The prompt itself is recorded elsewhere. */
const brief = (message: AnyMessage): Mapping =>
  "method" in message && message.method === methods.agent.session.prompt
    ? { ...message, params: { sessionId: sessionIn(message.params) } }
    : { ...message };
