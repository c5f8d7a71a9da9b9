import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { RalphError } from "../domain/error.ts";
import { formatSize } from "../domain/size.ts";
import { codeOf } from "./error-code.ts";

export interface TextLine {
  /** Without what ends it. */
  readonly text: string;
  /** 1-based. */
  readonly number: number;
}

const CHUNK = 1024 * 1024;
const LIMIT = 16 * 1024 * 1024;

/** The bytes of a file, or of whatever the path leads to, piece by piece. */
export async function* fileBytes(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw readError(path, cause);
  }
}

/**
 * The same at once, for a file that lies on this disk: what Node has for streams takes longer to load than most files to read.
 * `from`: how many bytes are left out.
 */
export function* filePieces(path: string, from = 0): Iterable<Uint8Array> {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    for (let at = from; ;) {
      const buffer = Buffer.allocUnsafe(PIECE);
      const read = readSync(file, buffer, 0, PIECE, at);
      if (read === 0) return;
      at += read;
      yield buffer.subarray(0, read);
    }
  } catch (cause) {
    throw readError(path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const PIECE = 128 * 1024;

function readError(path: string, cause: unknown): RalphError {
  const code = codeOf(cause);
  const isMissing = code === "ENOENT" || code === "ENOTDIR";
  return new RalphError(isMissing ? "data" : "io", `Cannot read ${path}: ${isMissing ? "no such file" : code}`, {
    hint: isMissing ? "Check the name" : "Check the file and its permissions",
    cause,
  });
}

/** Lines in groups, however long the whole is; a byte order mark is left out. Throws for what is no UTF-8. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<readonly TextLine[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  let number = 0;
  const decode = (chunk: Uint8Array | undefined): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (cause) {
      const message = `After line ${number}: invalid UTF-8`;
      throw new RalphError("data", message, { hint: "Save it as UTF-8 text", cause });
    }
  };
  for await (const chunk of bytes) {
    const parts = (rest + decode(chunk)).split("\n");
    rest = parts.pop()!;
    if (rest.length > LIMIT) {
      throw new RalphError("data", `Line ${number + parts.length + 1} is longer than ${formatSize(LIMIT)}`, {
        hint: "Check that it is the right file",
      });
    }
    if (parts.length > 0) yield parts.map((text) => ({ text: withoutReturn(text), number: ++number }));
  }
  rest += decode(undefined);
  if (rest !== "") yield [{ text: withoutReturn(rest), number: ++number }];
}

const withoutReturn = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text);
