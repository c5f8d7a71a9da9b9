/** What one line of a patch is. */
export type PatchLine =
  /** A file begins. `path` is as git writes it: without renames, of both sides. */
  | { readonly kind: "file"; readonly path: string }
  /** Lines of a file begin: the numbers of the first, and what git found around them. */
  | { readonly kind: "hunk"; readonly was: number; readonly is: number; readonly about: string }
  | { readonly kind: "added" | "removed" | "same"; readonly text: string }
  | { readonly kind: "binary" }
  /** Everything else: modes, names, notes. */
  | { readonly kind: "other"; readonly text: string };

const HEAD = "diff --git ";

const KINDS = { "+": "added", "-": "removed", " ": "same" } as const;

/** Reads a patch as git writes it, line by line: it may be larger than memory. */
export function createPatchReader(): (text: string) => PatchLine {
  /** Lines of the old and the new file that are left in this hunk: a removed line may read like a header. */
  let left: readonly [old: number, now: number] = [0, 0];
  let hasFile = false;
  return (text) => {
    // No line of a hunk begins like that; a secret of many lines that was hidden leaves fewer than the hunk says.
    if (text.startsWith(HEAD)) {
      [left, hasFile] = [[0, 0], true];
      return { kind: "file", path: pathIn(text) };
    }
    const mark = text.charAt(0);
    if (left[0] > 0 || left[1] > 0) {
      left = [left[0] - (/[+\\]/.test(mark) ? 0 : 1), left[1] - (/[-\\]/.test(mark) ? 0 : 1)];
      if (mark === "\\") return { kind: "other", text };
      return { kind: KINDS[mark as keyof typeof KINDS] ?? "same", text: text.slice(1) };
    }
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)/.exec(text);
    if (hunk !== null && hasFile) {
      left = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      return { kind: "hunk", was: Number(hunk[1]), is: Number(hunk[3]), about: hunk[5]! };
    }
    if (text === "GIT binary patch" || text.startsWith("Binary files ")) return { kind: "binary" };
    return { kind: "other", text };
  };
}

/** Without renames both names are the same, so that each is half of the line. */
function pathIn(text: string): string {
  const names = text.slice(HEAD.length);
  const half = names.slice(0, (names.length - 1) / 2);
  return half.replace(/^("?)a\//, "$1");
}
