import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { RalphError } from "../domain/error.ts";
import { formatSize } from "../domain/size.ts";
import { codeOf } from "./error-code.ts";

export interface TextFileRules {
  /** A larger file is refused, and never more than this is read. */
  readonly limitBytes: number;
  /** How a sentence about the file begins, such as "The prompt file `PROMPT_build.md`". */
  readonly what: string;
  /** For a file that is written back: its byte order mark stays in the text. */
  readonly keepsByteOrderMark?: boolean | undefined;
}

/** The text of a file, without its byte order mark unless that is kept; undefined when there is no such file. Line ends stay as they are. */
export async function readTextFile(path: string, rules: TextFileRules): Promise<string | undefined> {
  const bytes = readBytes(path, rules);
  if (bytes === undefined) return undefined;
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    throw new RalphError("data", `${rules.what} is not text: line ${lineAt(bytes, nul)} has a NUL byte`, {
      hint: "Check that it is the right file, and save it as UTF-8 text",
    });
  }
  try {
    return decode(bytes, rules.keepsByteOrderMark);
  } catch (cause) {
    throw new RalphError("data", `${rules.what} has invalid UTF-8 in line ${brokenLine(bytes)}`, {
      hint: "Save it as UTF-8 text",
      cause,
    });
  }
}

function readBytes(path: string, rules: TextFileRules): Buffer | undefined {
  let bytes: Buffer | "not a file";
  try {
    bytes = readAtMost(path, rules.limitBytes + 1);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
    throw new RalphError("io", `${rules.what} cannot be read: ${reason}`, {
      hint: "Check the file and its permissions",
      cause,
    });
  }
  if (bytes === "not a file") {
    throw new RalphError("io", `${rules.what} cannot be read: it is a folder or a device`, {
      hint: "Replace it with a file",
    });
  }
  if (bytes.length > rules.limitBytes) {
    throw new RalphError("data", `${rules.what} is larger than ${formatSize(rules.limitBytes)}`, {
      hint: "Check that it is the right file, or make it smaller",
    });
  }
  return bytes;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "its name is too long",
  EIO: "the disk reported an error",
};

/** Non-blocking: a pipe in place of the file would otherwise block forever. */
function readAtMost(path: string, limitBytes: number): Buffer | "not a file" {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return "not a file";
    const chunks: Buffer[] = [];
    for (let left = limitBytes; left > 0; left -= chunks.at(-1)!.length) {
      // As much as the file has, and one byte for its end; some have more than they say, as those in /proc.
      const expected = stat.size + 1 - (limitBytes - left);
      const buffer = Buffer.allocUnsafe(Math.min(left, Math.max(expected, 512), 65_536));
      const length = readSync(file, buffer);
      if (length === 0) break;
      chunks.push(buffer.subarray(0, length));
    }
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  } finally {
    closeSync(file);
  }
}

const decode = (bytes: Uint8Array, keepsByteOrderMark = false): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: keepsByteOrderMark }).decode(bytes);

const lineAt = (bytes: Buffer, offset: number): number =>
  bytes.subarray(0, offset).toString("latin1").split("\n").length;

/** A line feed is never part of a longer character, so each line can be tried alone. */
function brokenLine(bytes: Buffer): number {
  let start = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf(10, start);
    try {
      decode(bytes.subarray(start, end < 0 ? bytes.length : end));
    } catch {
      return line; // the broken one, which is what was asked for
    }
    if (end < 0) return line;
    start = end + 1;
  }
}
