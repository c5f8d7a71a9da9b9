import { open, type FileHandle } from "node:fs/promises";
import { join, parse } from "node:path";
import type { GateOutput } from "../domain/gate.ts";
import { codeOf } from "./error-code.ts";
import { ioError } from "./io-error.ts";
import { whileInMadeFolder } from "./made-folder.ts";

/** What the report shows of an output that is longer. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 12 * 1024;

/** Records what a gate said, where that is known as a whole. */
export async function recordOutput(wanted: string, text: string): Promise<GateOutput> {
  const { file, path } = await openOutput(wanted);
  try {
    await file.writeFile(text);
    return { file: path, ...(await readEnds(file)) };
  } catch (cause) {
    throw ioError(`write ${path}`, cause);
  } finally {
    await file.close();
  }
}

/** A file of its own: what was recorded is never written over. `test.log` is followed by `test.2.log`. */
export async function openOutput(wanted: string): Promise<{ readonly file: FileHandle; readonly path: string }> {
  const { dir, name, ext } = parse(wanted);
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? wanted : join(dir, `${name}.${number}${ext}`);
    try {
      return { file: await whileInMadeFolder(path, () => open(path, "ax+", 0o600)), path };
    } catch (cause) {
      if (codeOf(cause) === "EEXIST" && number < MAX_FILES) continue;
      throw ioError(`write ${path}`, cause);
    }
  }
}

const MAX_FILES = 10_000;

/** How much it is, with its beginning and its end; the end is empty when the beginning is all. */
export async function readEnds(file: FileHandle): Promise<Omit<GateOutput, "file">> {
  const { size } = await file.stat();
  const isWhole = size <= HEAD_BYTES + TAIL_BYTES;
  const head = await readAt(file, 0, isWhole ? size : HEAD_BYTES);
  const tail = isWhole ? Buffer.alloc(0) : await readAt(file, size - TAIL_BYTES, TAIL_BYTES);
  return { bytes: size, head: head.toString(), tail: tail.toString() };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read({ buffer, position });
  return buffer.subarray(0, bytesRead);
}
