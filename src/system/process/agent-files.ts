import { open, readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { AgentReader, OwnFile } from "../../domain/agent-event.ts";
import type { Environment } from "../../domain/environment.ts";
import { createLineSplitter } from "../line-splitter.ts";
import { readTextFile } from "../text-file.ts";

const MAX_COLLECTED = 16 * 1024 * 1024;

/** Files that an agent was asked to write, by path. What cannot be read is as good as missing: its reader goes on. */
export async function collectFiles(paths: readonly string[] = []): Promise<Record<string, string>> {
  const rules = { limitBytes: MAX_COLLECTED, what: "A file of the agent" };
  const texts = await Promise.all(paths.map((path) => readTextFile(path, rules).catch(() => undefined)));
  return Object.fromEntries(paths.flatMap((path, index) => (texts[index] === undefined ? [] : [[path, texts[index]]])));
}

/** How far below its folder a file is looked for, and among how many names at most. */
const MAX_DEPTH = 4;
const MAX_NAMES = 20_000;
/** How much of it is read at once, and the longest of its lines that a reader is given. In bytes. */
const PIECE = 256 * 1024;
const MAX_LINE = 1024 * 1024;

/**
 * A file that a CLI keeps for itself, as its reader asks for it. What cannot be found or read is as good as missing: it
 * only says more precisely what is known without it.
 */
interface OwnFileLines {
  /** Hands on the lines that are new. */
  readonly look: () => Promise<void>;
  readonly isFound: () => boolean;
}

export function openOwnFile({ wants, own }: Pick<AgentReader, "wants" | "own">, env: Environment): OwnFileLines {
  let path: string | undefined;
  let position = 0;
  let looking: Promise<void> = Promise.resolve();
  const onLine = (line: string): void => own?.(line);
  const lines = createLineSplitter({ limitBytes: MAX_LINE, onLine, onLongLine: () => undefined });
  const readOn = async (): Promise<void> => {
    const wanted = wants?.();
    if (wanted === undefined) return;
    path ??= await pathOf(wanted, env);
    if (path !== undefined) position = await readFrom(path, position, lines.push);
  };
  return {
    // One after the other: no line may come twice.
    look: async () => await (looking = looking.then(readOn).catch(() => undefined)),
    isFound: () => path !== undefined,
  };
}

/** How often a CLI's own file is looked at. Until it is there, each search takes time, so they become rarer. */
const LOOK_MS = 100;
const MAX_SEARCH_MS = 1000;

/** Looks until the returned function is called. */
export function lookNowAndThen(own: OwnFileLines, onLook: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let waitMs = LOOK_MS;
  const look = async (): Promise<void> => {
    await own.look();
    if (isOver) return;
    onLook();
    waitMs = own.isFound() ? LOOK_MS : Math.min(waitMs * 1.2, MAX_SEARCH_MS);
    timer = setTimeout(() => void look(), waitMs);
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function pathOf({ variable, otherwise, folder, endsWith }: OwnFile, env: Environment) {
  const home = env[variable] || join(env["HOME"] || "", otherwise);
  if (!isAbsolute(home)) return undefined;
  return await find(join(home, folder), endsWith, { depth: MAX_DEPTH, names: MAX_NAMES });
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

/** Hands on what stands behind a position, and says where that ends. */
async function readFrom(path: string, position: number, take: (bytes: Buffer) => void): Promise<number> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    for (let at = position; ;) {
      // A buffer for each: the taker may keep it.
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(PIECE, size - at)), position: at });
      if (bytesRead === 0) return at;
      take(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}
