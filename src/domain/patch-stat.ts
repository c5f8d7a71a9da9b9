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
  /** Lines of the old and the new file that are left in this hunk: a removed line may read like a header. */
  let left: readonly [old: number, now: number] = [0, 0];
  const count = (change: Partial<FileStat>): void => {
    const last = files.pop();
    if (last !== undefined) files.push({ ...last, ...change });
  };
  return {
    line: (text: string): void => {
      const last = files.at(-1);
      if (left[0] > 0 || left[1] > 0) {
        if (text.startsWith("+")) count({ added: last!.added + 1 });
        if (text.startsWith("-")) count({ removed: last!.removed + 1 });
        left = [left[0] - (/^[+\\]/.test(text) ? 0 : 1), left[1] - (/^[-\\]/.test(text) ? 0 : 1)];
        return;
      }
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(text);
      if (hunk !== null && last !== undefined) left = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      else if (text.startsWith(HEAD)) files.push({ path: pathIn(text), added: 0, removed: 0, isBinary: false });
      else if (text === "GIT binary patch" || text.startsWith("Binary files ")) count({ isBinary: true });
    },
    files: (): readonly FileStat[] => [...files],
  };
}

const HEAD = "diff --git ";

/** Without renames both names are the same, so that each is half of the line. */
function pathIn(text: string): string {
  const names = text.slice(HEAD.length);
  const half = names.slice(0, (names.length - 1) / 2);
  return half.replace(/^("?)a\//, "$1");
}
