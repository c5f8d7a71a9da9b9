import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { RalphError } from "../../domain/error.ts";
import { codeOf } from "../error-code.ts";
import type { LocalConnection } from "../process/socket-holders.ts";
import { type HttpReply, sendReply } from "./send-reply.ts";

/** A request before anything of its body is read. Names of headers are lower case. */
export interface HttpRequest {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly target: string;
  /** All values of a header; none: empty. */
  readonly header: (name: string) => readonly string[];
  /** The body as text; undefined as soon as it is known to be larger. */
  readonly body: (limitBytes: number) => Promise<string | undefined>;
  readonly connection: LocalConnection;
}

export interface LoopbackServer {
  readonly port: number;
  /** Ends all connections. */
  readonly close: () => Promise<void>;
}

export interface ServeRequest {
  /** 0: a free one. */
  readonly port: number;
  readonly answer: (request: HttpRequest, port: number) => Promise<HttpReply>;
  /** An answer that failed is a bug: the reader gets 500, and this the error. */
  readonly onBug: (error: unknown) => void;
}

const BOTH = ["127.0.0.1", "::1"] as const;
const TRIES = 20;

/** U-02: answers on 127.0.0.1 and, where the machine has it, ::1, at the same port. */
export async function serveLoopback(request: ServeRequest): Promise<LoopbackServer> {
  for (let left = request.port === 0 ? TRIES : 1; ; left -= 1) {
    try {
      return await listenOnBoth(request);
    } catch (error) {
      // A free port of one address may be taken on the other.
      if (codeOf(error) === "EADDRINUSE" && left > 1) continue;
      throw listenError(error, request.port);
    }
  }
}

async function listenOnBoth(request: ServeRequest): Promise<LoopbackServer> {
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closed));
  };
  let { port } = request;
  try {
    for (const host of BOTH) {
      const server = limited(request, () => port);
      if (!(await listens(server, host, port))) continue;
      servers.push(server);
      const address = server.address();
      if (typeof address === "object" && address !== null) ({ port } = address);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}

const LARGEST_HEADERS = 16 * 1024;
/** Slow senders are cut off after this. */
const SLOWEST_MS = 10_000;
const LOOK_MS = 2000;
const IDLE_MS = 5000;
/** Fifty pages with a few requests each. More wait in the system's queue, or are refused. */
const MOST_CONNECTIONS = 512;

/** Limits against senders that never end: header, whole request, idle connection, number of connections. */
function limited({ answer, onBug }: ServeRequest, port: () => number): Server {
  const server = createServer(
    {
      maxHeaderSize: LARGEST_HEADERS,
      headersTimeout: SLOWEST_MS,
      requestTimeout: SLOWEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
    (incoming, outgoing) => {
      const fail = (error: unknown): HttpReply => {
        onBug(error);
        return { status: 500, headers: {}, body: "" };
      };
      const respond = async (): Promise<void> =>
        finish(incoming, outgoing, await answer(requestOf(incoming), port()).catch(fail));
      void respond().catch(onBug);
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  // U-02: Node would drop what comes after so many, such as an origin that is refused. Their size has its limit.
  server.maxHeadersCount = 0;
  // One that cannot be parsed gets no answer of Node's own.
  server.on("clientError", (_, socket) => socket.destroy());
  return server;
}

/** What a body still has is never read: the connection ends with the answer. */
function finish(incoming: IncomingMessage, outgoing: ServerResponse, reply: HttpReply): void {
  const isRead = incoming.complete || incoming.readableEnded;
  const hasBody = incoming.headers["content-length"] !== undefined || "transfer-encoding" in incoming.headers;
  if (hasBody && !isRead) {
    outgoing.setHeader("connection", "close");
    outgoing.once("finish", () => incoming.destroy());
  }
  sendReply(outgoing, reply);
}

const requestOf = (incoming: IncomingMessage): HttpRequest => ({
  method: incoming.method ?? "",
  target: incoming.url ?? "",
  header: (name) => incoming.headersDistinct[name] ?? [],
  body: async (limitBytes) => await bodyOf(incoming, limitBytes),
  connection: { ownPort: incoming.socket.localPort ?? 0, peerPort: incoming.socket.remotePort ?? 0 },
});

function bodyOf(incoming: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > limitBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    incoming.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length <= limitBytes) pieces.push(piece);
      else {
        incoming.pause();
        resolve(undefined);
      }
    });
    incoming.on("end", () => resolve(Buffer.concat(pieces).toString("utf8")));
    incoming.on("close", () => reject(new Error("The request was broken off")));
    incoming.on("error", reject);
  });
}

/** False: the machine does not have this address. */
function listens(server: Server, host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const isMissing = ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"].includes(codeOf(error) ?? "");
      if (isMissing && host === "::1") resolve(false);
      else reject(error);
    });
    server.listen({ host, port, exclusive: true }, () => resolve(true));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function listenError(error: unknown, port: number): RalphError {
  const code = codeOf(error);
  const why =
    code === "EADDRINUSE" ? "another program has it" : code === "EACCES" ? "it is not allowed" : String(error);
  return new RalphError("unavailable", `Cannot serve on port ${port}: ${why}`, {
    hint: "Leave out --port: a free one is found",
    cause: error,
  });
}
