import { join } from "node:path";
import { entriesIn, pathExists } from "../system/folder.ts";
import type { Repository } from "../system/git/repository.ts";
import { openTreeFiles } from "../system/git/tree-files.ts";
import { readTextFile } from "../system/text-file.ts";
import { CODE } from "./resolve/read-data.ts";
import type { Look } from "./source.ts";

const LARGEST = 4 * 1024 * 1024;

/** The files of a folder. */
export const folderLook = (folder: string): Look => ({
  async text(path) {
    try {
      return await readTextFile(join(folder, path), { limitBytes: LARGEST, what: `\`${path}\`` });
    } catch {
      return undefined; // not a text: it defines no gate, and one that it did define is gone
    }
  },
  has: async (path) => pathExists(join(folder, path)),
  names: (path) => entriesIn(join(folder, path)),
});

/** The files of a commit or tree, below a folder of it. `close` ends the git that reads them. */
export function treeLook(repository: Repository, tree: string, under = ""): Look & { readonly close: () => void } {
  const files = openTreeFiles(repository, tree);
  const at = (path: string): string => [under, path].filter((part) => part !== "").join("/");
  return {
    async text(path) {
      const bytes = await files.read(at(path));
      // A NUL in a comment of code must not hide the rest of it.
      const isText = bytes !== undefined && bytes.length <= LARGEST && (CODE.test(path) || !bytes.includes(0));
      return isText ? bytes.toString() : undefined;
    },
    has: async (path) => (await files.state(at(path))) !== undefined,
    names: (folder) => files.names(at(folder)),
    close: files.close,
  };
}
