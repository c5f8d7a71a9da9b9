import { rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { ioError } from "../io-error.ts";
import { ownedFolders } from "../temporary-folder.ts";
import { type DoorHead, drained, type Frame, frame, type FrameKind, frames, readFrames } from "./frames.ts";

/** A command that came through a door. */
export interface DoorCall extends DoorHead {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when the session has read the output; undefined when it has. */
  readonly drained: () => Promise<void> | undefined;
  /** The standard input of the program in the session, which sends it from now on. Throws if it ends before its end. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** Aborted when the program in the session is gone. */
  readonly gone: AbortSignal;
}

/** Runs a command, and returns its exit code. */
export type AnswerCall = (call: DoorCall) => Promise<number>;

export interface Door {
  /** The socket. */
  readonly path: string;
  /** Hangs up, and waits for commands that are being answered. */
  readonly close: () => Promise<void>;
}

const MAX_CALLS = 32;
const HEAD_MS = 30_000;

/** Opens a socket that only this user can reach. The next run removes what is left of it after a kill. */
export async function openDoor(answer: AnswerCall, { headMs = HEAD_MS } = {}): Promise<Door> {
  const sockets = new Set<Socket>();
  const answers = new Set<Promise<void>>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // Hanging up is the session's right.
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    if (answers.size >= MAX_CALLS) {
      socket.resume().end(frame("busy"));
      return;
    }
    const answered = serve(socket, answer, headMs).finally(() => answers.delete(answered));
    answers.add(answered);
  });
  const { folder, path } = await placeForSocket();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(ioError(`listen on ${path}`, cause)));
    server.listen(path, resolve);
  });
  return {
    path,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(answers);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A longer name does not fit into the address of a socket, on some systems. */
const MAX_PATH_BYTES = 99;

async function placeForSocket(): Promise<{ readonly folder: string; readonly path: string }> {
  let cause: unknown;
  for (const make of ownedFolders("door")) {
    try {
      const folder = await make();
      const path = join(folder, "s");
      if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return { folder, path };
      await rm(folder, { recursive: true });
    } catch (error) {
      cause = error;
    }
  }
  throw new RalphError("config", "Cannot make a socket for the commands of sessions in the temporary folder", {
    hint: "Set TMPDIR to a folder with a short path that can be written",
    cause,
  });
}

async function serve(socket: Socket, answer: AnswerCall, headMs: number): Promise<void> {
  const gone = new AbortController();
  socket.on("close", () => gone.abort());
  const silence = setTimeout(() => socket.destroy(), headMs);
  try {
    const received = readFrames(socket);
    const head = headOf((await received.next()).value);
    clearTimeout(silence);
    const code = await answer({ ...head, ...channels(socket, received), gone: gone.signal });
    socket.end(frame("exit", String(code)));
    // The session hangs up; until then it may still send input.
    while ((await received.next()).done !== true);
  } catch {
    // it sent something else or nothing, or is gone
  } finally {
    clearTimeout(silence);
    socket.destroy();
  }
}

function headOf(first: Frame | undefined): DoorHead {
  if (first?.kind !== "head") throw new Error("No command");
  return JSON.parse(first.content.toString()) as DoorHead;
}

function channels(socket: Socket, received: AsyncGenerator<Frame, undefined>): Omit<DoorCall, keyof DoorHead | "gone"> {
  const send = (kind: FrameKind, text: string): void => {
    for (const piece of frames(kind, text)) if (socket.writable) socket.write(piece);
  };
  return {
    out: (text) => send("out", text),
    err: (text) => send("err", text),
    drained: () => (socket.writable && socket.writableNeedDrain ? drained(socket) : undefined),
    input: async function* () {
      if (socket.writable) socket.write(frame("want input"));
      // Not by `for await`, which would close the socket at the end of the input.
      for (;;) {
        const next = await received.next().catch(() => undefined);
        if (next?.value === undefined) throw cutOff();
        if (next.value.kind === "input end") return;
        if (next.value.kind === "input") yield next.value.content;
      }
    },
  };
}

/** Half of a list must not be taken for the whole. */
const cutOff = (): RalphError =>
  new RalphError("io", "The command was interrupted before it had sent all of its input", { hint: "Try again" });
