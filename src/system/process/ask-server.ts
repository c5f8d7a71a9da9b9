import { RalphError } from "../../domain/error.ts";
import type { Environment } from "../../domain/environment.ts";
import { formatDuration } from "../../domain/duration.ts";
import { parseMapping } from "../../domain/mapping.ts";
import type { RemoteServer, StartedServer, ToolServer } from "../../domain/tool-server.ts";
import { codeOf } from "../error-code.ts";
import { randomUuid } from "../random-name.ts";
import { endsWithin } from "../sleep.ts";
import { MARKER, withMarker } from "./marker.ts";
import { sweep } from "./sweep.ts";
import { startTalking } from "./talking-process.ts";

interface Asking {
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What every client says first. */
const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "ralphctl", version: "1" } },
};

/** Why a server of tools (MCP) does not answer; undefined: it does. Nothing of it is left. */
export async function whyNoAnswer(server: ToolServer, asking: Asking): Promise<string | undefined> {
  const filled = fill(server, asking.env);
  return await ("url" in filled ? askByPost(filled, asking) : askByStreams(filled, asking));
}

async function askByStreams(
  { command: [file, ...args], env, cwd }: StartedServer,
  asking: Asking,
): Promise<string | undefined> {
  const marker = { name: MARKER, value: `probe.${randomUuid()}` };
  try {
    let answered = (): void => undefined;
    const answer = new Promise<void>((resolve) => (answered = resolve));
    const server = await startTalking({
      file,
      args,
      cwd: cwd ?? asking.cwd,
      env: withMarker({ ...asking.env, ...env }, marker),
      isQuiet: true,
      onLine: (line) => void (parseMapping(line)?.["id"] === HELLO.id && answered()),
    });
    server.send(JSON.stringify(HELLO));
    let isAnswered = false;
    const heard = answer.then(() => void (isAnswered = true));
    const isOver = await endsWithin(Promise.race([heard, server.silent]), asking.timeoutMs, asking.signal);
    await server.end(AbortSignal.abort());
    if (isAnswered) return undefined;
    return isOver ? "it ended without an answer" : late(asking);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return error.message;
  } finally {
    await sweep(marker);
  }
}

/** Any answer will do: a server that wants a login, or another way of asking, keeps nobody waiting. */
async function askByPost({ url, headers }: RemoteServer, { timeoutMs, signal }: Asking): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(HELLO),
      redirect: "manual",
      signal: AbortSignal.any([timeout, signal]),
    });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    if (timeout.aborted) return late({ timeoutMs });
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
    return `no connection: ${codeOf(cause)}`;
  }
}

const late = ({ timeoutMs }: Pick<Asking, "timeoutMs">): string => `no answer within ${formatDuration(timeoutMs)}`;

/** The CLIs let people name variables in these values, each in its own way. */
function fill<Value>(value: Value, env: Environment): Value {
  const valueOf = (...[whole, ...names]: readonly (string | undefined)[]): string => {
    const [name, otherwise, plain, opencodes] = names;
    return env[name ?? plain ?? opencodes ?? ""] ?? otherwise ?? whole!;
  };
  const filled = (_: string, one: unknown): unknown =>
    typeof one === "string" ? one.replaceAll(VARIABLE, valueOf as never) : one;
  return JSON.parse(JSON.stringify(value), filled) as Value;
}

const VARIABLE = /\$\{(\w+)(?::-([^}]*))?\}|\$(\w+)|\{env:(\w+)\}/g;
