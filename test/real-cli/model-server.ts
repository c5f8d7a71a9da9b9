import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { anthropic } from "./wire-anthropic.ts";
import { chat } from "./wire-chat.ts";
import { gemini } from "./wire-gemini.ts";
import { responses } from "./wire-responses.ts";
import type { Step, Wire } from "./wire.ts";

/** A model on loopback that plays a script, in the wire format in which it is asked. */
export interface ModelServer {
  readonly url: string;
  /** Bodies of the requests that were for the agent itself: those that offer tools. */
  readonly asked: readonly string[];
  /** Where a client wanted to go through us as its proxy: nothing of a test may leave the machine. */
  readonly elsewhere: readonly string[];
  readonly close: () => Promise<void>;
}

const ROUTES: readonly (readonly [path: RegExp, wire: Wire])[] = [
  [/\/v1\/messages$/, anthropic],
  [/\/responses$/, responses],
  [/\/chat\/completions$/, chat],
  [/:(?:streamG|g)enerateContent$/, gemini],
];

/** Questions beside the session that offer tools all the same: whether a command may run, and what a person might say next. */
const ASIDE = ["## Pending tool call to classify", "[SUGGESTION MODE: "];

/** A step; or what makes one for each request, until it makes none and the next one's turn has come. */
export type Scripted = Step | ((asked: Asked) => Step | undefined);

/** A request for the agent itself. */
export interface Asked {
  readonly path: string;
  readonly body: string;
}

/** Each request that offers tools takes one step; the last one repeats. */
export async function startModel(script: readonly Scripted[]): Promise<ModelServer> {
  const asked: string[] = [];
  const elsewhere: string[] = [];
  const left = [...script];
  const next = (request: Asked): Step => {
    asked.push(request.body);
    for (;;) {
      const [first] = left;
      const step = typeof first === "function" ? first(request) : first!;
      if (left.length > 1 && typeof first !== "function") left.shift();
      if (step !== undefined) return step;
      left.shift();
    }
  };
  const server = createServer((request, response) => {
    const isProxied = !request.url!.startsWith("/");
    if (isProxied) elsewhere.push(request.url!);
    // A client may go away in the middle.
    answer(request, response, next).catch(() => response.destroy());
  });
  server.on("connect", (request, socket) => {
    elsewhere.push(request.url!);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    elsewhere,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, next: (asked: Asked) => Step): Promise<void> {
  const path = new URL(request.url!, "http://localhost").pathname;
  const text = await bodyOf(request);
  const wire = ROUTES.find(([route]) => route.test(path))?.[1];
  if (wire === undefined) return json(response, { error: { message: `There is no ${path}` } }, { status: 404 });
  const body = JSON.parse(text) as { readonly tools?: readonly object[]; readonly model?: string; stream?: boolean };
  const hasTools = (body.tools ?? []).some((tool) => Object.keys(tool).length > 0);
  const isAgent = hasTools && !ASIDE.some((words) => text.includes(words));
  // Titles, summaries and the like.
  const step = isAgent ? next({ path, body: text }) : { text: "ok" };
  if (step.hangs === true) return;
  if (step.error !== undefined) return json(response, step.error.body, step.error);
  const { stream, whole } = wire(step, body.model ?? /models\/([^:]+):/.exec(path)?.[1] ?? "model");
  if (body.stream !== true && !path.endsWith(":streamGenerateContent")) return json(response, whole, { status: 200 });
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const sent = step.breaksOff === true ? stream.slice(0, Math.ceil(stream.length / 2)) : stream;
  for (const event of sent) response.write(event);
  if (step.breaksOff === true) response.socket?.end();
  else response.end();
}

interface Head {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function json(response: ServerResponse, body: unknown, { status, headers = {} }: Head): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const whole = Buffer.concat(parts);
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(whole) : whole).toString("utf8");
}
