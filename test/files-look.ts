import type { FileChange } from "../src/domain/change.ts";
import type { Look } from "../src/gate/gate.ts";

export type Files = Readonly<Record<string, string>>;

/** Files in memory. */
export const filesLook = (files: Files): Look => ({
  // One with a NUL is not a text.
  text: async (path) => (files[path]?.includes("\0") === true ? undefined : files[path]),
  has: async (path) => path in files || Object.keys(files).some((name) => name.startsWith(`${path}/`)),
  async names(folder) {
    const start = folder === "" ? "" : `${folder}/`;
    const inside = Object.keys(files).filter((name) => name.startsWith(start));
    return [...new Set(inside.map((name) => name.slice(start.length).split("/")[0]!))].sort();
  },
});

/** How one set of files becomes another. */
export function changesOf(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => before[path] !== after[path],
  );
  const state = (text: string | undefined) => (text === undefined ? undefined : { mode: "100644", hash: text });
  return paths.map((path) => ({
    path,
    kind: before[path] === undefined ? "added" : after[path] === undefined ? "deleted" : "modified",
    before: state(before[path]),
    after: state(after[path]),
  }));
}
