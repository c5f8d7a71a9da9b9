import type { FileState } from "../../domain/change.ts";
import { mustBytes } from "./git.ts";
import { openTreeReader, parseTree, type TreeReader } from "./object-reader.ts";
import { encodePath } from "./path.ts";
import { objectName, type PathState } from "./hash.ts";
import { emptyTree, QUIET, type Repository, type TreeObject } from "./repository.ts";

/** A tree, and those of its folders that HEAD does not have, each after the ones inside it. */
export interface NamedTree {
  readonly tree: string;
  readonly folders: readonly { readonly name: string; readonly content: Buffer }[];
}

/** Git's name for the tree that HEAD and these files make together. Nothing is written. */
export async function nameTree(
  repository: Repository,
  head: string | undefined,
  states: readonly PathState[],
): Promise<NamedTree> {
  const reader = openTreeReader(repository);
  try {
    const root = head === undefined ? undefined : await reader.read(`${head}^{tree}`);
    if (states.length === 0) return { tree: root?.name ?? emptyTree(repository), folders: [] };
    const folders: TreeObject[] = [];
    const tree = await nameFolder({ repository, reader, folders }, root?.content, folderOf(states));
    for (const folder of folders) repository.trees.set(folder.name, folder);
    return { tree: tree ?? emptyTree(repository), folders };
  } finally {
    reader.close();
  }
}

/** Writes trees whose files git has already; one git for all of them. */
export async function storeTree(repository: Repository, { tree, folders }: NamedTree): Promise<void> {
  if (folders.length === 0) return;
  const lines = folders.flatMap(({ content }) => [
    ...Array.from(parseTree(repository, content), ([name, { mode, hash }]) =>
      Buffer.from(`${mode.padStart(6, "0")} ${TYPES[mode] ?? "blob"} ${hash}\t${name}\0`, "latin1"),
    ),
    Buffer.from([0]),
  ]);
  const args = [...QUIET, "mktree", "-z", "--batch", "--missing"];
  const answer = await mustBytes(repository, args, { stdin: Buffer.concat(lines) });
  if (answer.stdout.toString().trim().split("\n").at(-1) !== tree) throw new Error("git names the tree otherwise");
}

const TYPES: Readonly<Record<string, string>> = { "40000": "tree", "160000": "commit" };

/** What changed in a folder, by the bytes of the name (as latin1 text, so that order is that of the bytes). */
interface Folder {
  readonly files: Map<string, PathState>;
  readonly folders: Map<string, Folder>;
}

function folderOf(states: readonly PathState[]): Folder {
  const root: Folder = { files: new Map(), folders: new Map() };
  for (const state of states) {
    if (state.now?.hash === "nested") continue;
    const parts = encodePath(state.path).toString("latin1").split("/");
    const name = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      const next = folder.folders.get(part) ?? { files: new Map(), folders: new Map() };
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.set(name, state);
  }
  return root;
}

interface Place {
  readonly repository: Repository;
  readonly reader: TreeReader;
  readonly folders: TreeObject[];
}

/** Undefined for a folder in which nothing is left. */
async function nameFolder(place: Place, content: Buffer | undefined, folder: Folder): Promise<string | undefined> {
  const { repository, reader, folders } = place;
  const entries = content === undefined ? new Map<string, FileState>() : parseTree(repository, content);
  for (const [name, { now }] of folder.files) {
    if (now === undefined) entries.delete(name);
    else entries.set(name, { mode: now.mode.replace(/^0/, ""), hash: asObject(repository, now.hash) });
  }
  for (const [name, inside] of folder.folders) {
    const old = entries.get(name);
    const tree = old?.mode === "40000" ? await reader.read(old.hash) : undefined;
    const hash = await nameFolder(place, tree?.content, inside);
    if (hash !== undefined) entries.set(name, { mode: "40000", hash });
    // A folder that became a file has its own entry by now.
    else if (old?.mode === "40000") entries.delete(name);
  }
  if (entries.size === 0) return undefined;
  const written = formatTree(entries);
  const name = objectName(repository, "tree", written);
  folders.push({ name, content: written });
  return name;
}

/** Files that are told apart by size and time have no name of git's; theirs must be as good. */
const asObject = (repository: Repository, hash: string): string =>
  /^[0-9a-f]+$/.test(hash) ? hash : objectName(repository, "blob", Buffer.from(hash));

function formatTree(entries: ReadonlyMap<string, FileState>): Buffer {
  const key = ([name, { mode }]: readonly [string, FileState]): string => (mode === "40000" ? `${name}/` : name);
  const sorted = [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(([name, { mode, hash }]) => [Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(hash, "hex")]),
  );
}
