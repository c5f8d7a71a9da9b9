import { spawn } from "node:child_process";
import type { FileState } from "../../domain/change.ts";
import { RalphError } from "../../domain/error.ts";
import { GIT_START, gitEnvironment, gitWords } from "./git.ts";
import type { Repository, TreeObject } from "./repository.ts";

/** The entries of a folder, by the bytes of their names (as latin1 text, so that order is that of the bytes). */
export function parseTree({ objectFormat }: Repository, content: Buffer): Map<string, FileState> {
  const size = objectFormat === "sha1" ? 20 : 32;
  const entries = new Map<string, FileState>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, space);
    entries.set(content.toString("latin1", space + 1, nul), {
      mode: content.toString("latin1", at, space),
      hash: content.toString("hex", nul + 1, nul + 1 + size),
    });
    at = nul + 1 + size;
  }
  return entries;
}

export interface TreeReader {
  readonly read: (name: string) => Promise<TreeObject>;
  /** The content of a file; undefined if git has no such file. */
  readonly readFile: (name: string) => Promise<Buffer | undefined>;
  readonly close: () => void;
}

/** Larger ones are not remembered. */
const LARGEST_FILE = 16 * 1024;

/** Reads trees and small files that are not known yet. A git is started when the first of them is asked for. */
export function openTreeReader(repository: Repository): TreeReader {
  const { trees, files } = repository;
  let shared: SharedBatch | undefined;
  const read = async (name: string): Promise<GitObject> => {
    shared ??= shareBatch(repository);
    const asked = shared.batch;
    const found = await asked.read(name);
    if (found !== undefined) return found;
    // What is sent to our process group also reaches a git that was only just forked and has not left it yet. And a git
    // before 2.36 does not know the quick way.
    if (shared.batch === asked) shared.batch = openBatch(repository, PLAIN);
    const again = await shared.batch.read(name);
    if (again === undefined) throw new RalphError("io", "git cat-file ended early", { hint: "Run git fsck" });
    return again;
  };
  return {
    async read(name) {
      const known = trees.get(name) ?? trees.get(name.replace(/\^\{tree\}$/, ""));
      if (known !== undefined) return known;
      const { type, ...found } = await read(name);
      if (type !== "tree") throw new RalphError("io", `git has no tree ${name}`, { hint: "Run git fsck" });
      // A part of a buffer would keep the whole of it.
      const tree = { ...found, content: Buffer.from(found.content) };
      trees.set(name, tree);
      trees.set(tree.name, tree);
      return tree;
    },
    async readFile(name) {
      const known = files.get(name);
      if (known !== undefined) return known;
      const { type, content } = await read(name);
      if (type !== "blob") return undefined;
      if (content.length <= LARGEST_FILE) files.set(name, Buffer.from(content));
      return content;
    },
    close: () => {
      if (shared !== undefined) leaveBatch(repository, shared);
      shared = undefined;
    },
  };
}

/** A git that readers share which are open at the same time. */
interface SharedBatch {
  batch: Batch;
  users: number;
}

const BATCHES = new WeakMap<Repository, SharedBatch>();

function shareBatch(repository: Repository): SharedBatch {
  const shared = BATCHES.get(repository) ?? { batch: openBatch(repository, QUICK), users: 0 };
  BATCHES.set(repository, shared);
  shared.users += 1;
  return shared;
}

function leaveBatch(repository: Repository, shared: SharedBatch): void {
  shared.users -= 1;
  if (shared.users > 0) return;
  BATCHES.delete(repository);
  shared.batch.close();
}

interface GitObject extends TreeObject {
  /** "missing" if git does not have it. */
  readonly type: string;
}

/** A git that answers in the order of the questions. */
interface Batch {
  /** Undefined: it has ended. */
  readonly read: (name: string) => Promise<GitObject | undefined>;
  readonly close: () => void;
}

/** How git is asked for objects. */
interface Asking {
  readonly args: readonly string[];
  readonly line: (name: string) => string;
  /** After all that is asked at once. */
  readonly end: string;
}

/** Git writes each answer by itself. */
const PLAIN: Asking = { args: ["--batch"], line: (name) => `${name}\n`, end: "" };

/** Git writes the answers together, when it is told to: hundreds of small ones take less than half the time. */
const QUICK: Asking = {
  args: ["--batch-command", "--buffer"],
  line: (name) => `contents ${name}\n`,
  end: "flush\n",
};

function openBatch(repository: Repository, { args, line, end: last }: Asking): Batch {
  const child = spawn("git", [...gitWords(repository), "cat-file", ...args], {
    cwd: repository.folder,
    env: gitEnvironment(repository.env),
    stdio: ["pipe", "pipe", "ignore"],
    ...GIT_START,
  });
  const waiting: ((object: GitObject | undefined) => void)[] = [];
  const answers = answerReader();
  let isOver = false;
  let asked = "";
  // One write for all that is asked at once.
  const send = (): void => {
    child.stdin.write(`${asked}${last}`);
    asked = "";
  };
  child.stdout.on("data", (chunk: Buffer) => {
    for (const object of answers(chunk)) waiting.shift()?.(object);
  });
  for (const end of ["error", "close"]) {
    child.on(end, () => {
      isOver = true;
      for (const resolve of waiting.splice(0)) resolve(undefined);
    });
  }
  child.stdin.on("error", () => undefined); // it ended early: read says so
  return {
    read: (name) =>
      new Promise((resolve) => {
        if (isOver) return resolve(undefined);
        waiting.push(resolve);
        if (asked === "") process.nextTick(send);
        asked += line(name);
      }),
    close: () => void child.stdin.end(),
  };
}

/** Takes what `cat-file --batch` writes, piece by piece, and returns the objects that are whole. */
function answerReader(): (chunk: Buffer) => GitObject[] {
  let chunks: Buffer[] = [];
  let size = 0;
  /** How much must be there before it is worth a look. */
  let wanted = 1;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < wanted) return [];
    let buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    const objects: GitObject[] = [];
    for (;;) {
      const end = buffer.indexOf(0x0a);
      wanted = buffer.length + 1;
      if (end < 0) break;
      const [name = "", type = "missing", length] = buffer.toString("latin1", 0, end).split(" ");
      const stop = type === "missing" ? end : end + 1 + Number(length);
      wanted = stop + 1;
      if (buffer.length < wanted) break;
      objects.push({ name, type, content: buffer.subarray(end + 1, stop) });
      buffer = buffer.subarray(stop + 1);
    }
    chunks = [buffer];
    size = buffer.length;
    return objects;
  };
}
