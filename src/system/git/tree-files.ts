import type { FileState } from "../../domain/change.ts";
import { openTreeReader, parseTree } from "./object-reader.ts";
import { encodePath, decodePath } from "./path.ts";
import type { Repository } from "./repository.ts";

/** The files of a commit or tree, read without a checkout. */
export interface TreeFiles {
  /** Undefined if there is no file. A link is the text of its target. */
  readonly read: (path: string) => Promise<Buffer | undefined>;
  readonly state: (path: string) => Promise<FileState | undefined>;
  /** The names in a folder, in order; none if there is no such folder. */
  readonly names: (folder: string) => Promise<readonly string[]>;
  /** Ends the git that reads. */
  readonly close: () => void;
}

type Entries = ReadonlyMap<string, FileState>;

/** Most names are the same text in every encoding. */
const ASCII = /^[\u0020-\u007e]*$/;

/** Opens a commit or tree. A git starts when something is read that is not known yet. */
export function openTreeFiles(repository: Repository, tree: string): TreeFiles {
  const reader = openTreeReader(repository);
  const folders = new Map<string, Promise<Entries>>();
  const entriesOf = async (folder: string): Promise<Entries> => {
    if (folder === "") return parseTree(repository, (await reader.read(`${tree}^{tree}`)).content);
    const entry = await stateAt(folder);
    return entry?.mode === "40000" ? parseTree(repository, (await reader.read(entry.hash)).content) : new Map();
  };
  const entries = (folder: string): Promise<Entries> => {
    const known = folders.get(folder) ?? entriesOf(folder);
    folders.set(folder, known);
    return known;
  };
  // Names are bytes: see parseTree.
  const stateAt = async (path: string): Promise<FileState | undefined> => {
    const slash = path.lastIndexOf("/");
    return (await entries(path.slice(0, Math.max(slash, 0)))).get(path.slice(slash + 1));
  };
  const bytes = (path: string): string => (ASCII.test(path) ? path : encodePath(path).toString("latin1"));
  return {
    async read(path) {
      const state = await stateAt(bytes(path));
      return state === undefined || !/^1[02]0/.test(state.mode) ? undefined : await reader.readFile(state.hash);
    },
    state: (path) => stateAt(bytes(path)),
    names: async (folder) =>
      [...(await entries(bytes(folder))).keys()].map((name) =>
        ASCII.test(name) ? name : decodePath(Buffer.from(name, "latin1")),
      ),
    close: () => reader.close(),
  };
}
