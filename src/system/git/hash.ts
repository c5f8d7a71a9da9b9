import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, readlinkSync, type BigIntStats } from "node:fs";
import type { FileState } from "../../domain/change.ts";
import { git, gitBytes } from "./git.ts";
import { encodePath, quotePath } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import type { StatusEntry } from "./status.ts";

/** What a path that differs from HEAD is, and how to tell later that it was not touched. */
export interface PathState {
  readonly path: string;
  readonly head: FileState | undefined;
  readonly now: FileState | undefined;
  /** Size, times and number of the file: the same again means the same content. */
  readonly stat: string | undefined;
}

/**
 * Larger new files of a person are told apart by size and time: reading them at every look would take longer than the
 * work. Those of a place are read: it must hold exactly the tree that was put there. In a lane, huge ones are not: their
 * size rejects them.
 */
const LARGEST_READ = 5n * 1024n * 1024n;
export const HUGE = 512n * 1024n * 1024n;
const HUGE_NAME = "huge";

/** Whether a new file is too large to be kept in the repository without a person's word. */
export const isHuge = (state: FileState | undefined): boolean => state?.hash.startsWith(HUGE_NAME) === true;

/** The state of a nested repository that is not a submodule. */
export const NESTED: FileState = { mode: "160000", hash: "nested" };

export const absolute = ({ folder }: Pick<Repository, "folder">, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), encodePath(path)]);

/** Names the content of everything that status listed. `known`: what an earlier look found, by path. */
export async function readStates(
  repository: Repository,
  entries: readonly StatusEntry[],
  known: (path: string, stat: string) => FileState | undefined,
): Promise<PathState[]> {
  const states: PathState[] = [];
  const unread: { readonly entry: StatusEntry; readonly mode: string; readonly stat: string }[] = [];
  for (const entry of entries) {
    const { path, head } = entry;
    const isMissing = entry.now === "gone" || entry.now === "nested" || isBehindLink(repository, entry);
    const found = isMissing ? undefined : look(repository, path);
    if (entry.now === "nested") states.push({ path, head, now: NESTED, stat: undefined });
    // Git does not list a folder: the file that was there is gone.
    else if (found === undefined || (found.isDirectory() && !entry.submodule)) {
      states.push({ path, head, now: undefined, stat: undefined });
    } else if (found.isDirectory() && entry.submodule) states.push(await submoduleState(repository, entry));
    else {
      const mode = modeOf(repository, entry, found);
      const stat = statKey(found);
      const now = known(path, `${mode} ${stat}`) ?? quickState(repository, entry, { mode, found });
      if (now === undefined) unread.push({ entry, mode, stat: `${mode} ${stat}` });
      else states.push({ path, head, now, stat: `${mode} ${stat}` });
    }
  }
  const paths = unread.map(({ entry }) => entry.path);
  const hashes = await hashFiles(repository, paths);
  for (const [index, { entry, mode, stat }] of unread.entries()) {
    const hash = hashes[index] ?? `stat ${stat}`;
    states.push({ path: entry.path, head: entry.head, now: { mode, hash }, stat });
  }
  return states;
}

/** Git's name for a piece of content. */
export const objectName = (
  { objectFormat }: Repository,
  type: "blob" | "tree" | "commit",
  content: Uint8Array,
): string => createHash(objectFormat).update(`${type} ${content.length}\0`).update(content).digest("hex");

/** The stat of a path that git could store. Pipes and sockets count as missing: reading one could block forever. */
function look(repository: Repository, path: string): BigIntStats | undefined {
  try {
    const found = lstatSync(absolute(repository, path), { bigint: true });
    return found.isFile() || found.isSymbolicLink() || found.isDirectory() ? found : undefined;
  } catch {
    return undefined; // it went away since git looked: it is gone
  }
}

/** Of a file that the index has removed, git does not say whether it is there; it may be seen through a link. */
function isBehindLink(repository: Repository, { path, head, now }: StatusEntry): boolean {
  if (head === undefined || now !== "unknown") return false;
  const folders = Array.from(path.matchAll(/\//g), ({ index }) => path.slice(0, index));
  return folders.some((folder) => look(repository, folder)?.isSymbolicLink() === true);
}

const statKey = (found: BigIntStats): string => `${found.size}:${found.mtimeNs}:${found.ctimeNs}:${found.ino}`;

function modeOf(repository: Repository, entry: StatusEntry, found: BigIntStats): string {
  if (entry.now !== "unknown") return entry.now;
  if (found.isSymbolicLink()) return "120000";
  const known = knownMode(repository, entry);
  if (known !== undefined && isOnlyInGit(repository, known)) return known;
  if (!repository.hasFileMode && known?.startsWith("100")) return known;
  return repository.hasFileMode && (found.mode & 0o100n) !== 0n ? "100755" : "100644";
}

/** Only in a place of ours the index is what we put there. */
const knownMode = ({ gitDir }: Repository, { head, staged }: StatusEntry): string | undefined =>
  gitDir === undefined ? head?.mode : (staged ?? head?.mode);

/** Whether the file system cannot say that a file is a link or a program, so that git's own word holds. */
export const isOnlyInGit = ({ hasLinks, hasFileMode }: Repository, mode: string): boolean =>
  (!hasLinks && mode === "120000") || (!hasFileMode && mode === "100755");

/** The state of a file if git is not needed to read it. */
function quickState(
  repository: Repository,
  { path, head }: StatusEntry,
  { mode, found }: { readonly mode: string; readonly found: BigIntStats },
): FileState | undefined {
  if (found.isSymbolicLink()) {
    const target = readlinkSync(absolute(repository, path), { encoding: "buffer" });
    return { mode, hash: objectName(repository, "blob", target) };
  }
  // The hash of a file that HEAD has must be comparable with HEAD's.
  const isPlace = repository.gitDir !== undefined;
  // The room has one if a person allows it, and must hold exactly that.
  const isLane = /\/\d+\.view$/.test(repository.gitDir ?? "");
  if (found.size > HUGE && head === undefined && isLane)
    return { mode, hash: `${HUGE_NAME} ${found.size}:${found.mtimeNs}` };
  if (found.size > LARGEST_READ && head === undefined && !isPlace)
    return { mode, hash: `stat ${found.size}:${found.mtimeNs}` };
  if (found.size > LARGEST_READ || (mode !== "120000" && isConverted(repository, path))) return undefined;
  try {
    return { mode, hash: objectName(repository, "blob", readFileSync(absolute(repository, path))) };
  } catch {
    return undefined; // git shall say why it cannot be read
  }
}

/** Whether git might store something else than the file's bytes: attributes of its folder or of one above it. */
export function isConverted(repository: Repository, path: string): boolean {
  if (repository.convertsAll) return true;
  const parts = path.split("/");
  return parts.some((_, depth) =>
    existsSync(absolute(repository, [...parts.slice(0, depth), ".gitattributes"].join("/"))),
  );
}

async function submoduleState(repository: Repository, entry: StatusEntry): Promise<PathState> {
  const { path, head, submodule } = entry;
  const inside = { folder: `${repository.folder}/${path}`, env: repository.env };
  // In an empty folder git would ask the repository around it.
  const isFilled = existsSync(`${inside.folder}/.git`);
  const moved = isFilled && submodule?.moved ? (await git(inside, ["rev-parse", "HEAD"])).stdout.trim() : undefined;
  // Only in a place of ours the index is what we put there.
  const unfilled = repository.gitDir === undefined ? head?.hash : submodule?.staged;
  const commit = isFilled ? (moved ?? head?.hash) : unfilled;
  // Files changed inside a registered repository are not ours to commit, but they are a change.
  const hash = `${commit}${submodule?.touched ? " touched" : ""}`;
  return { path, head, now: { mode: "160000", hash }, stat: undefined };
}

/** As `git add` would name them, filters included. Undefined where a file cannot be read. */
export async function hashFiles(
  repository: Repository,
  paths: readonly string[],
  flags: readonly string[] = [],
): Promise<(string | undefined)[]> {
  if (paths.length === 0) return [];
  const stdin = paths.map((path) => `${quotePath(path)}\n`).join("");
  const answer = await gitBytes(repository, [...QUIET, "hash-object", ...flags, "--stdin-paths"], { stdin });
  const hashes = answer.stdout.toString().split("\n").slice(0, -1);
  if (answer.code === 0 || hashes.length >= paths.length) return hashes;
  // Git stops at the first file that it cannot read; the others have names.
  return [...hashes, undefined, ...(await hashFiles(repository, paths.slice(hashes.length + 1), flags))];
}

/** Files that filters or an encoding cannot turn into what git would store. */
export async function refusedPaths(repository: Repository, paths: readonly string[]): Promise<string[]> {
  const converted = paths.filter((path) => isConverted(repository, path) && look(repository, path)?.isFile() === true);
  const hashes = await hashFiles(repository, converted, ["-w"]);
  return converted.filter((_, at) => hashes[at] === undefined);
}
