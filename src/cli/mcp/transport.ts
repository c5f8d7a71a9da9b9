import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Io } from "../io.ts";

/** Messages on standard input and output, one line each. `ended` resolves when the input ends. */
export function lineTransport(io: Io): { readonly transport: Transport; readonly ended: Promise<void> } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const unanswered = unansweredRequests();
  const transport: Transport = {
    start: async () => {
      const deliver = (message: JSONRPCMessage | Error): void => {
        if (message instanceof Error) return transport.onerror?.(message);
        unanswered.received(message);
        transport.onmessage?.(message);
      };
      void receive(io, deliver)
        .then(unanswered.none)
        .finally(() => void transport.close());
    },
    send: async (message) => {
      io.out(serializeMessage(message));
      unanswered.sent(message);
      await io.drained();
    },
    close: async () => {
      transport.onclose?.();
      end();
    },
  };
  return { transport, ended };
}

async function receive(io: Io, deliver: (message: JSONRPCMessage | Error) => void): Promise<void> {
  const buffer = new ReadBuffer();
  try {
    for await (const bytes of io.inputBytes()) {
      buffer.append(Buffer.from(bytes));
      for (let message = next(buffer); message !== null; message = next(buffer)) deliver(message);
    }
  } catch (error) {
    deliver(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Null until a line is complete. Invalid lines are reported and skipped. */
function next(buffer: ReadBuffer): JSONRPCMessage | Error | null {
  try {
    return buffer.readMessage();
  } catch (cause) {
    return new Error("A line of standard input is not a protocol message", { cause });
  }
}

/** Waits for open calls when the client leaves: they are short, and a claim deserves its answer. */
function unansweredRequests() {
  const ids = new Set<string | number>();
  let onNone: () => void = () => undefined;
  const forget = (id: unknown): void => {
    if (typeof id === "string" || typeof id === "number") ids.delete(id);
    if (ids.size === 0) onNone();
  };
  return {
    received: (message: JSONRPCMessage): void => {
      // A subscription has no answer until it ends.
      if (isJSONRPCRequest(message) && message.method !== "subscriptions/listen") ids.add(message.id);
      else if ("method" in message && message.method === "notifications/cancelled")
        forget(message.params?.["requestId"]);
    },
    sent: (message: JSONRPCMessage): void => {
      if (isJSONRPCResponse(message)) forget(message.id);
    },
    none: async (): Promise<void> => {
      if (ids.size > 0) await new Promise<void>((resolve) => (onNone = resolve));
    },
  };
}
