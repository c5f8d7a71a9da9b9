import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "./folder.ts";
import { withFileLock } from "./file-lock.ts";
import { orWriteError } from "./io-error.ts";
import { loadSqlite } from "./sqlite-driver.ts";

/** A file with a copy of lines that are numbered elsewhere. Several processes may add to it; each line is there once. */
export interface MirrorFile {
  /** How many whole lines it has. */
  readonly count: () => number;
  /** Adds lines, of which the first has this many before it. Those that are there already are left out. */
  readonly add: (before: number, lines: readonly string[]) => number;
}

const LOCK_MS = 10_000;
const CHUNK = 256 * 1024;
const LINE_END = 0x0a;

export async function openMirrorFile(path: string): Promise<MirrorFile> {
  await makeFolder(dirname(path), { isPrivate: true });
  const driver = await loadSqlite();
  // Lines up to a place in the file: only what is behind it is counted again.
  let known = { bytes: 0, lines: 0 };
  const locked = <Result>(work: (file: number) => Result): Result =>
    withFileLock({ driver, file: `${path}.turn`, waitMs: LOCK_MS }, () =>
      orWriteError(path, () => {
        const file = openSync(path, "a+", 0o600);
        try {
          known = counted(file, known);
          // A process that died while it wrote: the rest of its line comes again, whole.
          if (fstatSync(file).size > known.bytes) ftruncateSync(file, known.bytes);
          return work(file);
        } finally {
          closeSync(file);
        }
      }),
    );
  return {
    count: () => locked(() => known.lines),
    add: (before, lines) =>
      locked((file) => {
        if (before > known.lines) return known.lines;
        const fresh = lines.slice(known.lines - before).map((line) => `${line.replaceAll(/[\r\n]/g, " ")}\n`);
        const text = Buffer.from(fresh.join(""));
        writeFileSync(file, text);
        known = { bytes: known.bytes + text.length, lines: known.lines + fresh.length };
        return known.lines;
      }),
  };
}

interface Counted {
  readonly bytes: number;
  readonly lines: number;
}

/** A file that has become shorter is another one. */
function counted(file: number, known: Counted): Counted {
  let { bytes, lines } = fstatSync(file).size < known.bytes ? { bytes: 0, lines: 0 } : known;
  const buffer = Buffer.alloc(CHUNK);
  for (let position = bytes; ;) {
    const read = readSync(file, buffer, 0, CHUNK, position);
    if (read === 0) return { bytes, lines };
    for (let at = buffer.indexOf(LINE_END); at !== -1 && at < read; at = buffer.indexOf(LINE_END, at + 1)) {
      lines += 1;
      bytes = position + at + 1;
    }
    position += read;
  }
}
