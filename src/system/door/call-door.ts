import { connect, type Socket } from "node:net";
import { RalphError } from "../../domain/error.ts";
import { codeOf } from "../error-code.ts";
import { type DoorHead, drained, type Frame, frame, frames, readFrames } from "./frames.ts";

/** The ends of a command inside a session. */
export interface DoorEnds {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly drained: () => Promise<void> | undefined;
  /** Read only when the command asks for it: the rest may belong to another program. */
  readonly input: () => AsyncIterable<Uint8Array>;
}

/** How often to try while the run answers too many others, and the pause between two tries. */
const TRIES = 200;
const PAUSE_MS = 50;

/** Has the run at the other end of a socket run a command, and returns the exit code. */
export async function callDoor(path: string, head: DoorHead, ends: DoorEnds): Promise<number> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const socket = await reach(path);
    try {
      const code = await converse(socket, head, ends);
      if (code !== "busy") return code;
    } finally {
      socket.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new RalphError("busy", "The run answers too many commands at once", { hint: "Try again" });
}

const reach = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      // What goes wrong from now on ends the frames.
      socket.off("error", refuse).on("error", () => undefined);
      resolve(socket);
    });
    const refuse = (cause: Error): void => reject(unreachable(cause));
    socket.on("error", refuse);
  });

async function converse(socket: Socket, head: DoorHead, ends: DoorEnds): Promise<number | "busy"> {
  socket.write(frame("head", JSON.stringify(head)));
  // A character may be cut in two.
  const decoders = { out: new TextDecoder(), err: new TextDecoder() };
  for await (const { kind, content } of untilClosed(readFrames(socket))) {
    if (kind === "busy") return "busy";
    if (kind === "exit") return Number(content.toString());
    if (kind === "want input") void sendInput(socket, ends);
    if (kind === "out" || kind === "err") ends[kind](decoders[kind].decode(content, { stream: true }));
    await ends.drained();
  }
  throw ended();
}

/** A connection that breaks is one that ends: the run is gone. */
async function* untilClosed(received: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  try {
    yield* received;
  } catch {
    // no `exit` came, and that is reported
  }
}

async function sendInput(socket: Socket, { input }: DoorEnds): Promise<void> {
  try {
    for await (const bytes of input()) await sendPiecewise(socket, bytes);
    if (socket.writable) socket.write(frame("input end"));
  } catch {
    socket.destroy(); // the run must not take half of the input for all of it
  }
}

async function sendPiecewise(socket: Socket, bytes: Uint8Array): Promise<void> {
  for (const piece of frames("input", bytes)) {
    if (!socket.writable) throw new Error("The run no longer listens");
    if (!socket.write(piece)) await drained(socket);
  }
}

const ended = (cause?: Error): RalphError =>
  new RalphError("unavailable", "The run that this session belongs to has ended", {
    hint: "End this session: the next ralphctl run starts another",
    cause,
  });

function unreachable(cause: Error): RalphError {
  const code = codeOf(cause);
  if (code === "ENOENT" || code === "ECONNREFUSED") return ended(cause);
  return new RalphError("unavailable", `Cannot reach the run that this session belongs to: ${code}`, {
    hint: "Let the agent connect to the socket that RALPHCTL_DOOR names",
    cause,
  });
}
