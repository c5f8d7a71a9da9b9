import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The first and the last bytes of a file; the same ones twice when it is short. */
export interface FileEnds {
  readonly head: string;
  readonly tail: string;
  readonly size: number;
}

/** Looks at both ends of a file, however long it is; undefined when there is none, or it cannot be read. */
export function fileEnds(path: string, bytes: number): FileEnds | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined; // whoever looks at many files leaves this one out
  }
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, bytes);
    const head = textAt(file, 0, length);
    return { head, tail: size <= bytes ? head : textAt(file, size - length, length), size };
  } catch {
    return undefined; // a folder, or a file that was cut meanwhile
  } finally {
    closeSync(file);
  }
}

function textAt(file: number, position: number, length: number): string {
  const buffer = Buffer.alloc(length);
  return buffer.toString("utf8", 0, readSync(file, buffer, 0, length, position));
}
