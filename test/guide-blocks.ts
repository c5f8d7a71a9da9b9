import { readFileSync, readdirSync } from "node:fs";

/** A code block of a document. */
export interface Block {
  /** What follows the opening fence: `sh`, `yaml`. */
  readonly kind: string;
  readonly text: string;
  /** The line of its opening fence. */
  readonly line: number;
}

const GUIDES = "docs/guides";

/** Every document whose code blocks are tried; a new guide is one of them by lying there. */
export const GUIDE_FILES: readonly string[] = readdirSync(GUIDES)
  .filter((name) => name.endsWith(".md"))
  .map((name) => `${GUIDES}/${name}`)
  .sort();

export const blocksOf = (file: string): Block[] => readBlocks(readFileSync(file, "utf8"));

/** The fenced blocks of a text; one that is never closed reaches to its end. */
export function readBlocks(text: string): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const fence = /^(`{3,})(.*)$/.exec(lines[index]!);
    if (fence === null) continue;
    const end = lines.indexOf(fence[1]!, index + 1);
    const close = end === -1 ? lines.length : end;
    const inside = lines.slice(index + 1, close).map((line) => `${line}\n`);
    blocks.push({ kind: fence[2]!.trim(), text: inside.join(""), line: index + 1 });
    index = close;
  }
  return blocks;
}

/** The file that a block is, by the comment in its first line; in a script, by that in its second. */
export function fileOf({ kind, text }: Block): string | undefined {
  const [first = "", second = ""] = text.split("\n");
  if (kind === "yaml") return /^# (\S+\.ya?ml)\b/.exec(first)?.[1];
  if (kind === "md") return /^<!-- (\S+\.md) -->$/.exec(first)?.[1];
  if (kind === "sh" && first.startsWith("#!")) return /^# (\S+)$/.exec(second)?.[1];
  return undefined;
}
