import { open, readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { OwnFile } from "../../domain/agent-event.ts";
import { readTextFile } from "../text-file.ts";

const MAX_COLLECTED = 16 * 1024 * 1024;

/** Files that an agent was asked to write, by path. What cannot be read is as good as missing: its reader goes on. */
export async function collectFiles(paths: readonly string[] = []): Promise<Record<string, string>> {
  const rules = { limitBytes: MAX_COLLECTED, what: "A file of the agent" };
  const texts = await Promise.all(paths.map((path) => readTextFile(path, rules).catch(() => undefined)));
  return Object.fromEntries(paths.flatMap((path, index) => (texts[index] === undefined ? [] : [[path, texts[index]]])));
}

/** Of a file that may be large, what was written last is wanted. */
const MAX_BYTES = 1024 * 1024;
/** How far below its folder it is looked for, and among how many names at most. */
const MAX_DEPTH = 4;
const MAX_NAMES = 20_000;

/**
 * The end of a file that a CLI keeps for itself. What cannot be found or read is as good as missing: it only says more
 * precisely what is known without it.
 */
export async function readOwnFile(
  wanted: OwnFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  const home = env[wanted.variable] || join(env["HOME"] || "", wanted.otherwise);
  if (!isAbsolute(home)) return undefined;
  try {
    const path = await find(join(home, wanted.folder), wanted.endsWith, { depth: MAX_DEPTH, names: MAX_NAMES });
    return path === undefined ? undefined : await readEnd(path);
  } catch {
    return undefined;
  }
}

/** Folders are named by their dates: the last is the newest, and looked at first. */
async function find(
  folder: string,
  endsWith: string,
  left: { readonly depth: number; names: number },
): Promise<string | undefined> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? 1 : -1));
  left.names -= entries.length;
  const file = entries.find((entry) => entry.isFile() && entry.name.endsWith(endsWith));
  if (file !== undefined) return join(folder, file.name);
  if (left.depth === 0) return undefined;
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    if (left.names <= 0) return undefined;
    const below = { depth: left.depth - 1, names: left.names };
    const found = await find(join(folder, name), endsWith, below);
    left.names = below.names;
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readEnd(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - MAX_BYTES);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
