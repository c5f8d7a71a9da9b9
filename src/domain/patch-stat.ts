import { createPatchReader } from "./patch-line.ts";

/** How many lines of a file a patch adds and removes. */
export interface FileStat {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
}

/** Counts a patch as git writes it, line by line: it may be larger than memory. */
export function createPatchStat() {
  const files: FileStat[] = [];
  const read = createPatchReader();
  const count = (change: (last: FileStat) => Partial<FileStat>): void => {
    const last = files.pop();
    if (last !== undefined) files.push({ ...last, ...change(last) });
  };
  return {
    line: (text: string): void => {
      const line = read(text);
      if (line.kind === "file") files.push({ path: line.path, added: 0, removed: 0, isBinary: false });
      else if (line.kind === "added") count(({ added }) => ({ added: added + 1 }));
      else if (line.kind === "removed") count(({ removed }) => ({ removed: removed + 1 }));
      else if (line.kind === "binary") count(() => ({ isBinary: true }));
    },
    files: (): readonly FileStat[] => [...files],
  };
}
