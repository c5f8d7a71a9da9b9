import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../error-code.ts";
import { filesBelow, pathExists } from "../folder.ts";
import { git, type GitPlace } from "./git.ts";

// Refs are read from git's files, loose ones first and packed ones after them, as git does. A git for each look would
// take longer than all other work of a landing. Only git writes refs.

/** Where the files of refs are: each working tree has its own HEAD. */
export interface RefFolders {
  readonly gitFolder: string;
  readonly commonFolder: string;
}

export interface FoundRef {
  /** Undefined: it does not exist, or is a branch without a commit. */
  readonly object: string | undefined;
  /** The ref that it stands for, as HEAD for a branch. */
  readonly target?: string | undefined;
}

/** A symbolic ref may lead to another, as far as git itself would follow. */
const MAX_DEPTH = 5;

/** Undefined if only git can tell: refs in another format, symbolic links, damaged files. */
export function refInFiles(folders: RefFolders, name: string): FoundRef | undefined {
  try {
    return hasOtherFormat(folders) ? undefined : findRef(folders, name, MAX_DEPTH);
  } catch {
    return undefined; // git shall say why
  }
}

function findRef(folders: RefFolders, name: string, depth: number): FoundRef | undefined {
  if (depth === 0 || name.includes("..")) return undefined;
  const { gitFolder, commonFolder } = folders;
  const loose = readPlain(join(name === "HEAD" ? gitFolder : commonFolder, name));
  const text = loose?.toString().trimEnd() ?? packedRef(commonFolder, name);
  if (text === undefined) return { object: undefined };
  if (isObjectName(text)) return { object: text };
  const target = /^ref:\s*(refs\/.+)$/.exec(text)?.[1];
  const found = target === undefined ? undefined : findRef(folders, target, depth - 1);
  return found && { object: found.object, target: found.target ?? target };
}

/** Whether there may be refs whose names begin so. */
export async function mayHaveRefs(folders: RefFolders, below: `${string}/`): Promise<boolean> {
  const { commonFolder } = folders;
  if (hasOtherFormat(folders)) return true;
  const names = await filesBelow(join(commonFolder, below));
  const isRef = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  if (names.some((path) => isRef(path) && !path.endsWith(".lock"))) return true;
  return readPlain(join(commonFolder, "packed-refs"))?.includes(` ${below}`) === true;
}

/** Where HEAD of a working tree is. */
export interface HeadPlace {
  /** The full name of the branch; undefined: HEAD is detached. */
  readonly ref: string | undefined;
  /** Undefined before the first commit. */
  readonly commit: string | undefined;
}

export async function readHead(place: GitPlace & RefFolders): Promise<HeadPlace> {
  const found = refInFiles(place, "HEAD");
  if (found !== undefined) return { ref: found.target, commit: found.object };
  const [ref, commit] = await Promise.all([
    git(place, ["symbolic-ref", "--quiet", "HEAD"]),
    git(place, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
  ]);
  return {
    ref: ref.code === 0 ? ref.stdout.trim() : undefined,
    commit: commit.code === 0 ? commit.stdout.trim() : undefined,
  };
}

const hasOtherFormat = ({ commonFolder }: RefFolders): boolean => pathExists(join(commonFolder, "reftable"));

const isObjectName = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text);

function packedRef(commonFolder: string, name: string): string | undefined {
  const packed = readPlain(join(commonFolder, "packed-refs"));
  const at = packed?.indexOf(` ${name}\n`) ?? -1;
  return at < 0 ? undefined : packed?.toString("latin1", packed.lastIndexOf(0x0a, at) + 1, at);
}

/** Undefined if there is no such file. */
function readPlain(path: string): Buffer | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return undefined;
    // A pipe of that name would keep us waiting, and old versions of git made links.
    if (!found.isFile()) throw new Error(`${path} is not a file`);
    return readFileSync(path);
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(cause))) return undefined; // packed just now, or below another ref
    throw cause;
  }
}
