/** The state of a file: git's mode and the hash of its content. */
export interface FileState {
  /** `100644`, `100755` (a program), `120000` (a link), `160000` (a repository inside). */
  readonly mode: string;
  /** Git's hash of the content; for a file too large to read each time, its size and times. */
  readonly hash: string;
}

/** One path that changed. */
export interface FileChange {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted" | "mode";
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** The change of a path; undefined if there is none. */
export function changeOf(
  path: string,
  before: FileState | undefined,
  after: FileState | undefined,
): FileChange | undefined {
  if (before === undefined) return after && { path, kind: "added", before, after };
  if (after === undefined) return { path, kind: "deleted", before, after };
  if (before.hash !== after.hash) return { path, kind: "modified", before, after };
  return before.mode === after.mode ? undefined : { path, kind: "mode", before, after };
}

/** Paths in one order everywhere: that of their code units. */
export const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
