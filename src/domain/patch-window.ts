import { createPatchReader } from "./patch-line.ts";

export interface PatchLimits {
  /** Lines of one file, and of all. */
  readonly perFile: number;
  readonly inAll: number;
  /** Characters of one line. */
  readonly perLine: number;
}

/**
 * Keeps the beginning of each file of a patch, line by line, as a shorter patch. A file of which no line has room is
 * left with its name.
 */
export function createPatchWindow({ perFile, inAll, perLine }: PatchLimits) {
  const kept: string[] = [];
  const read = createPatchReader();
  let [ofFile, lines, isBinary] = [0, 0, false];
  return {
    line: (text: string): void => {
      const { kind } = read(text);
      if (kind === "file") [ofFile, isBinary] = [0, false];
      else if (kind === "binary") isBinary = true;
      else if (isBinary) return;
      const isBody = kind !== "file" && kind !== "binary" && (kind !== "other" || ofFile > 0);
      if (isBody && (ofFile >= perFile || lines >= inAll)) return;
      if (isBody) [ofFile, lines] = [ofFile + 1, lines + 1];
      kept.push(text.length > perLine ? `${text.slice(0, perLine).replace(/[\uD800-\uDBFF]$/, "")}…` : text);
    },
    /** How many lines of files are kept. */
    lines: (): number => lines,
    text: (): string => kept.map((line) => `${line}\n`).join(""),
  };
}
