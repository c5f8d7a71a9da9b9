import { createPatchReader, type PatchLine } from "./patch-line.ts";
import type { FileStat } from "./patch-stat.ts";

/** What a patch does to one file, to be looked at. */
export interface PatchFile extends FileStat {
  readonly change: "added" | "deleted" | "renamed" | "changed";
  /** Its path before it was renamed. */
  readonly from?: string;
  /** Its new mode, if that changed: `100755`. */
  readonly mode?: string;
  readonly rows: readonly PatchRow[];
}

/** `was` and `is`: the numbers of the line in the old and in the new file. */
export type PatchRow =
  | { readonly kind: "hunk"; readonly text: string; readonly was: number; readonly is: number }
  | { readonly kind: "added" | "same"; readonly text: string; readonly was?: number; readonly is: number }
  | { readonly kind: "removed"; readonly text: string; readonly was: number };

type Growing = { -readonly [Key in keyof PatchFile]: PatchFile[Key] } & { rows: PatchRow[] };

/** The files of a patch with their lines. */
export function patchFiles(text: string): PatchFile[] {
  const files: Growing[] = [];
  const read = createPatchReader();
  let [was, is] = [0, 0];
  const add = (file: Growing, line: PatchLine): void => {
    if (line.kind === "hunk") {
      [was, is] = [line.was, line.is];
      file.rows.push({ kind: "hunk", text: line.about, was, is });
    } else if (line.kind === "added") {
      file.rows.push({ kind: "added", text: line.text, is });
      [file.added, is] = [file.added + 1, is + 1];
    } else if (line.kind === "removed") {
      file.rows.push({ kind: "removed", text: line.text, was });
      [file.removed, was] = [file.removed + 1, was + 1];
    } else if (line.kind === "same") {
      file.rows.push({ kind: "same", text: line.text, was, is });
      [was, is] = [was + 1, is + 1];
    } else if (line.kind === "binary") file.isBinary = true;
    else if (line.kind === "other" && file.rows.length === 0) addHead(file, line.text);
  };
  for (const each of text.split("\n")) {
    const line = read(each);
    const last = files.at(-1);
    if (line.kind === "file") {
      const path = withoutQuotes(line.path);
      files.push({ path, change: "changed", added: 0, removed: 0, isBinary: false, rows: [] });
    } else if (last !== undefined && !(last.isBinary && line.kind === "other")) add(last, line);
  }
  return files;
}

function addHead(file: Growing, text: string): void {
  const [, from] = /^(?:rename|copy) from (.+)$/.exec(text) ?? [];
  const [, to] = /^(?:rename|copy) to (.+)$/.exec(text) ?? [];
  const [, mode] = /^new mode (\d+)$/.exec(text) ?? [];
  if (text.startsWith("new file mode ")) file.change = "added";
  else if (text.startsWith("deleted file mode ")) file.change = "deleted";
  else if (from !== undefined) file.from = withoutQuotes(from);
  else if (to !== undefined) [file.path, file.change] = [withoutQuotes(to), "renamed"];
  else if (mode !== undefined) file.mode = mode;
}

/** Git quotes names with unusual characters: `"na\303\257ve"`. */
export function withoutQuotes(path: string): string {
  if (!/^".*"$/.test(path)) return path;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [, octal, escaped, plain] of path.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else bytes.push(...encoder.encode(plain ?? ESCAPES[escaped!] ?? escaped!));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
