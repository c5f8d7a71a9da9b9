import { type Hub, openHub } from "../../app/page/hub.ts";
import { openRedactor } from "../../app/redactor.ts";
import { type HttpReply, type HttpRequest, type LoopbackServer, serveLoopback } from "../../app/page/serve.ts";
import type { Caller } from "../../app/task/caller.ts";
import { createRedactor, mapStrings } from "../../domain/redact.ts";
import { API } from "../api.ts";
import { streamEvents } from "./events.ts";
import { refusalOf } from "./guard.ts";
import { INDEX_PAGE, refusedPage } from "./index-page.ts";
import { errorReply, failure, jsonReply, reply, withHeaders } from "./replies.ts";
import { createReads } from "./routes.ts";
import { findRoute } from "./find-route.ts";

export interface PageHost {
  readonly caller: Caller;
  readonly token: string;
  /** 0: a free one. */
  readonly port: number;
  /** The files of the page, by name. */
  readonly assets: Readonly<Record<string, Uint8Array>>;
  readonly onBug: (error: unknown) => void;
}

export interface PageServer extends LoopbackServer {
  readonly hub: Hub;
}

/** U-01: serves the page and its API, until it is closed. */
export async function servePage(host: PageHost): Promise<PageServer> {
  const hub = await openHub(host.caller.cwd);
  const answer = createAnswer(host, hub);
  const server = await serveLoopback({ port: host.port, answer, onBug: host.onBug });
  const close = async (): Promise<void> => {
    hub.close();
    await server.close();
  };
  return { ...server, hub, close };
}

/** Of every request, in this order: who asks, what for, and only then the workspace. */
function createAnswer({ caller, token, assets }: PageHost, hub: Hub) {
  const read = createReader(caller);
  return async (request: HttpRequest, port: number): Promise<HttpReply> => {
    const refusal = refusalOf(request, { port, token });
    const { method, target } = request;
    const [path = "", query = ""] = target.split("?", 2);
    if (refusal !== undefined) {
      const { status, error, hint } = refusal;
      if (!path.startsWith(`${API}/`)) return reply(status, "text/html; charset=utf-8", refusedPage(error, hint));
      return failure(status, error, hint);
    }
    if (!path.startsWith(`${API}/`)) return assetReply(method, path, assets);
    const asked = { method, path: path.slice(API.length), query: new URLSearchParams(query) };
    if (asked.path === "/events") return method === "GET" ? eventsReply(request, asked.query) : onlyGet();
    return await read(asked);
  };

  function eventsReply(request: HttpRequest, query: URLSearchParams): HttpReply {
    const [last] = request.header("last-event-id");
    const wish = { hub, run: query.get("run") ?? undefined, last, redact: createRedactor(caller.env) };
    return reply(200, "text/event-stream; charset=utf-8", (out) => streamEvents(out, wish));
  }
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

function assetReply(method: string, path: string, assets: PageHost["assets"]): HttpReply {
  if (method !== "GET" && method !== "HEAD") return onlyGet();
  if (path === "/") return reply(200, "text/html; charset=utf-8", INDEX_PAGE);
  const name = path.slice(1);
  const file = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (file === undefined) return notFound();
  return reply(200, TYPES[name.split(".").at(-1)!] ?? "application/octet-stream", file);
}

const notFound = (): HttpReply => failure(404, "There is nothing at this address", "See docs/reference/api.md");

const onlyGet = (): HttpReply =>
  withHeaders(failure(405, "This address can only be read", "Send GET"), { allow: "GET" });

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

function createReader(caller: Caller) {
  const reads = createReads(caller);
  return async ({ method, path, query }: Asked): Promise<HttpReply> => {
    const route = findRoute(path, Object.keys(reads));
    if (route === undefined) return notFound();
    if (method !== "GET") return onlyGet();
    const redact = await openRedactor(caller);
    try {
      // Found among the keys of it.
      const value = await reads[route.path as keyof typeof reads]({ named: route.named, query });
      return jsonReply(mapStrings(value, redact));
    } catch (error) {
      return errorReply(error);
    }
  };
}
