import type { ServerResponse } from "node:http";

/** An answer: a whole body, or a stream that is written as it comes. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | ((out: StreamOut) => void);
}

/** The reader's end of a stream. */
export interface StreamOut {
  readonly write: (text: string) => void;
  /** What the reader has not taken yet, in bytes. */
  readonly waiting: () => number;
  /** Called whenever the reader has taken everything. */
  readonly onDrained: (taken: () => void) => void;
  /** Called once, when the reader or the server has gone. */
  readonly onClosed: (closed: () => void) => void;
  readonly end: () => void;
}

export function sendReply(outgoing: ServerResponse, { status, headers, body }: HttpReply): void {
  // The reader may have gone in the meantime.
  outgoing.on("error", () => undefined);
  outgoing.writeHead(status, headers);
  if (typeof body !== "function") {
    outgoing.end(outgoing.req.method === "HEAD" ? undefined : body);
    return;
  }
  outgoing.flushHeaders();
  // A stream lasts: the time limit is for requests.
  outgoing.socket?.setTimeout(0);
  outgoing.socket?.setNoDelay(true);
  body({
    write: (text) => void outgoing.write(text),
    waiting: () => outgoing.writableLength,
    onDrained: (taken) => void outgoing.on("drain", taken),
    onClosed: (closed) => void outgoing.once("close", closed),
    end: () => void outgoing.end(),
  });
}
