import { groupBy } from "./group.ts";

/** How tests begin that lie inside of a source file: modules of Rust, blocks of Zig and Vitest. */
const BEGINNINGS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\.rs$/,
    /^[ \t]*#\[cfg\(test\)\]\s*(?:#\[(?!cfg\(test\)\])[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{/gm,
  ],
  [/\.zig$/, /^[ \t]*test\s+("(?:[^"\\\n]|\\.)*"|[\w.]+)?\s*\{/gm],
  [/\.[cm]?[jt]sx?$/, /^if\s*\(\s*import\.meta\.(vitest)\s*\)\s*\{/gm],
];

/** Comments, strings and characters, in which braces mean nothing; and braces. */
const PARTS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\br(#*)"[\s\S]*?"\1|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[^'\n]*)'|`(?:[^`\\]|\\[\s\S])*`|[{}]/g;

interface Block {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function blocksIn(path: string, text: string): Block[] {
  const [, beginning] = BEGINNINGS.find(([files]) => files.test(path)) ?? [];
  if (beginning === undefined) return [];
  const blocks: Block[] = [];
  for (const match of text.matchAll(beginning)) {
    if (match.index < (blocks.at(-1)?.end ?? 0)) continue; // a part of the last one
    const open = match.index + match[0].length - 1;
    blocks.push({ name: match[1] ?? "", start: match.index, end: endOf(text, open) });
  }
  return blocks;
}

/** Behind the brace that closes the one at this place. */
function endOf(text: string, open: number): number {
  let depth = 0;
  for (const part of text.slice(open).matchAll(PARTS)) {
    if (part[0] === "{") depth += 1;
    else if (part[0] === "}" && --depth === 0) return open + part.index + 1;
  }
  return text.length;
}

const bare = (text: string): string => text.replaceAll(/\s+/g, "");

/**
 * T-11: a source file of the work with the tests that the base has inside of it. Undefined if they are the same, or if
 * they moved: `others` are further files of the work.
 */
export function withOldInlineTests(
  { path, before, after }: { readonly path: string; readonly before: string; readonly after: string },
  others: readonly string[] = [],
): string | undefined {
  const all = [after, ...others].map(bare);
  const bareBlock = (text: string, { start, end }: Block): string => bare(text.slice(start, end));
  const old = blocksIn(path, before);
  const changed = old.filter((block) => !all.some((text) => text.includes(bareBlock(before, block))));
  if (changed.length === 0) return undefined;
  const known = new Set(old.map((block) => bareBlock(before, block)));
  const edited = blocksIn(path, after).filter((block) => !known.has(bareBlock(after, block)));
  const byName = groupBy(edited, ({ name }) => name);
  const inPlaceOf = new Map<Block, string>();
  let rest = "";
  for (const { name, start, end } of changed) {
    const place = byName.get(name)?.shift();
    if (place === undefined) rest += `\n\n${before.slice(start, end)}`;
    else inPlaceOf.set(place, before.slice(start, end));
  }
  let text = "";
  let read = 0;
  for (const place of edited) {
    text += after.slice(read, place.start) + (inPlaceOf.get(place) ?? after.slice(place.start, place.end));
    read = place.end;
  }
  text += after.slice(read);
  return rest === "" ? text : `${text.trimEnd()}${rest}\n`;
}
