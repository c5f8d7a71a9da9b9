import { type Hub, openHub } from "../../app/page/hub.ts";
import { createOpenLinks } from "../../app/page/open-link.ts";
import { type HttpReply, type HttpRequest, type LoopbackServer, serveLoopback } from "../../app/page/serve.ts";
import type { Redactor } from "../../domain/redact.ts";
import { API } from "../api.ts";
import { streamEvents } from "./events.ts";
import { refusalOf } from "./guard.ts";
import { INDEX_PAGE, refusedPage } from "./index-page.ts";
import { createAnswerRead, createSecrets } from "./answer-read.ts";
import { answerWrite } from "./answer-write.ts";
import { findRoute } from "./find-route.ts";
import { errorReply, failure, reply, withHeaders } from "./replies.ts";
import type { ActHost } from "./verbs.ts";

export interface PageHost {
  /** Who reads and writes. It asks nobody: no person sits at the terminal of a server. */
  readonly actor: Omit<ActHost, "from">;
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
  const hub = await openHub(host.actor);
  const answer = createAnswer(host, hub);
  const server = await serveLoopback({ port: host.port, answer, onBug: host.onBug });
  const close = async (): Promise<void> => {
    hub.close();
    await server.close();
  };
  return { ...server, hub, close };
}

/** Of every request, in this order: who asks, what for, and only then the workspace. */
function createAnswer(host: PageHost, hub: Hub) {
  const { token, assets } = host;
  const caller: ActHost = { ...host.actor, from: FROM };
  const secrets = createSecrets(caller);
  const read = createAnswerRead(caller, secrets);
  const isOpenLink = createOpenLinks(token);
  return async (request: HttpRequest, port: number): Promise<HttpReply> => {
    const refused = refusalOf(request, { port, token });
    const { method, target } = request;
    const [path = "", query = ""] = target.split("?", 2);
    const isApi = path.startsWith(`${API}/`);
    if (refused !== undefined) {
      const { status, error, hint } = refused;
      if (isApi) return failure(status, error, hint);
      return reply(status, "text/html; charset=utf-8", refusedPage(error, hint));
    }
    const opens = isOpenLink(path);
    if (opens === true)
      return withHeaders(reply(303, "text/plain; charset=utf-8", ""), { location: `/#token=${token}` });
    if (opens === false) return reply(403, "text/html; charset=utf-8", refusedPage(USED.error, USED.hint));
    if (!isApi) return assetReply(method, path, assets);
    const below = path.slice(API.length);
    const verb = findRoute(below, ["/do/VERB"])?.named[0];
    if (verb !== undefined) return method === "POST" ? await answerWrite(verb, request, caller) : only("POST");
    if (method !== "GET") return only("GET");
    const asked = new URLSearchParams(query);
    if (below === "/events")
      return await eventsReply(request, asked.get("run") ?? undefined, { hub, secrets }).catch(errorReply);
    return (await read(below, asked)) ?? notFound();
  };
}

const USED = {
  error: "This link was good for one minute and one use",
  hint: "Type ralphctl ui --url, and open the address that it prints",
};

/** U-04: in the log of tasks and runs. */
const FROM = "from the page at 127.0.0.1";

async function eventsReply(
  request: HttpRequest,
  run: string | undefined,
  { hub, secrets }: { readonly hub: Hub; readonly secrets: () => Promise<Redactor> },
): Promise<HttpReply> {
  const redact = await secrets();
  if (run !== undefined) await hub.checkRun(run);
  const [last] = request.header("last-event-id");
  const wish = { hub, run, last, redact };
  return reply(200, "text/event-stream; charset=utf-8", (out) => streamEvents(out, wish));
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

function assetReply(method: string, path: string, assets: PageHost["assets"]): HttpReply {
  if (method !== "GET" && method !== "HEAD") return only("GET");
  if (path === "/") return reply(200, "text/html; charset=utf-8", INDEX_PAGE);
  const name = path.slice(1);
  const file = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (file === undefined) return notFound();
  return reply(200, TYPES[name.split(".").at(-1)!] ?? "application/octet-stream", file);
}

const notFound = (): HttpReply => failure(404, "There is nothing at this address", "See docs/reference/api.md");

const only = (method: "GET" | "POST"): HttpReply =>
  withHeaders(failure(405, `This address takes only ${method}`, `Send ${method}`), { allow: method });
