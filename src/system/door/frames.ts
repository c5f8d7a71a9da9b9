import type { Socket } from "node:net";

/**
 * The frames of a door: a letter, the length of the content in four bytes, the content. The program in the session sends
 * `head` first, and its input when the run wants it; the run sends the output as it comes, and `exit` last.
 */
const LETTERS = {
  head: "h",
  input: "i",
  "input end": "e",
  "want input": "w",
  out: "o",
  err: "r",
  exit: "x",
  /** Too many commands at once: try again. */
  busy: "b",
} as const;

export type FrameKind = keyof typeof LETTERS;

export interface Frame {
  readonly kind: FrameKind;
  readonly content: Buffer;
}

/** A command inside a session. */
export interface DoorHead {
  readonly argv: readonly string[];
  /** Variables of ours only. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter.charCodeAt(0), kind as FrameKind]));
const PREFIX_BYTES = 5;
const MAX_BYTES = 16 * 1024 * 1024;

export function frame(kind: FrameKind, content: string | Uint8Array = ""): Buffer {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.write(LETTERS[kind], "latin1");
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

const PIECE_BYTES = 1024 * 1024;

/** Content of any length, as frames that are never too large. */
export function* frames(kind: FrameKind, content: string | Uint8Array): Generator<Buffer> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield frame(kind, bytes.subarray(at, at + PIECE_BYTES));
}

/** Reads the frames in a stream of bytes. Throws at the first that is none. */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<Frame, undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  let needed = PREFIX_BYTES;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size < needed) continue;
    let bytes = parts.length === 1 ? part : Buffer.concat(parts);
    for (needed = neededOf(bytes); bytes.length >= needed; needed = neededOf(bytes)) {
      yield { kind: KINDS.get(bytes[0]!)!, content: bytes.subarray(PREFIX_BYTES, needed) };
      bytes = bytes.subarray(needed);
    }
    parts = [bytes];
    size = bytes.length;
  }
  return undefined;
}

/** How many bytes the frame at the beginning has, as far as that is known. */
function neededOf(bytes: Buffer): number {
  if (bytes.length > 0 && !KINDS.has(bytes[0]!)) throw new Error("Not a frame of a door");
  if (bytes.length < PREFIX_BYTES) return PREFIX_BYTES;
  const length = bytes.readUInt32BE(1);
  if (length > MAX_BYTES) throw new Error(`A frame of ${length} bytes is too large`);
  return PREFIX_BYTES + length;
}

/** Resolves when a socket has sent everything, or is closed. */
export const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
