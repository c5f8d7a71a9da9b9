import { groupBy } from "./group.ts";
import { type Block, examplesFor, examplesIn } from "./inline-examples.ts";

/** How tests begin that lie inside of a source file: modules and functions of Rust, blocks of Zig and Vitest. */
const BEGINNINGS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\.rs$/,
    /^(?:[ \t]*#\[(?!cfg\(test\)\])(?:path|cfg)\b[^\]\n]*\][ \t]*\r?\n){0,3}[ \t]*#\[cfg\(test\)\]\s*(?:#\[(?!cfg\(test\)\])[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*[{;]|^[ \t]*#\[(?:\w+::)*test\b[^\]\n]*\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)[^{};]*\{/gm,
  ],
  [/\.zig$/, /^[ \t]*test\s+("(?:[^"\\\n]|\\.)*"|[\w.]+)?\s*\{/gm],
  [/\.[cm]?[jt]sx?$/, /^if\s*\(\s*import\.meta\.(vitest)\s*\)\s*\{/gm],
];

/** Comments, strings and characters, in which braces mean nothing; and braces. */
const PARTS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\br(#*)"[\s\S]*?"\1|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[^'\n]*)'|`(?:[^`\\]|\\[\s\S])*`|[{}]/g;

function blocksIn(path: string, text: string): Block[] {
  const [, beginning] = BEGINNINGS.find(([files]) => files.test(path)) ?? [];
  if (beginning === undefined) return [];
  const blocks: Block[] = [];
  for (const match of text.matchAll(beginning)) {
    if (match.index < (blocks.at(-1)?.end ?? 0)) continue; // a part of the last one
    const open = match.index + match[0].length - 1;
    // A module in a file of its own is only named here.
    const end = text[open] === ";" ? open + 1 : endOf(text, open);
    blocks.push({ name: match[1] ?? match[2] ?? "", start: match.index, end });
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

interface Source {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/**
 * T-11: a source file of the work with the tests that the base has inside of it. Undefined if they are the same, or if
 * they moved: `others` are further files of the work.
 */
export function withOldInlineTests(source: Source, others: readonly string[] = []): string | undefined {
  const { path, before } = source;
  const all = [source.after, ...others].map(bare);
  const named = new Set(
    [source.after, ...others].flatMap((text) => blocksIn(path, text).map((block) => bareBlock(text, block))),
  );
  const blocks = putBack(source, {
    find: (text) => blocksIn(path, text),
    // What stands before the name of a module can lead to another file.
    isKept: (block) => (block.endsWith(";") ? named.has(block) : all.some((text) => text.includes(block))),
    alone: (text) => `\n\n${text}`,
  });
  const examples = examplesFor(path);
  if (examples === undefined || !before.includes(examples.mark)) return blocks;
  const find = (text: string): Block[] => examplesIn(examples, text);
  const known = new Set([source.after, ...others].flatMap((text) => find(text).map((block) => bareBlock(text, block))));
  const after = blocks ?? source.after;
  return putBack({ ...source, after }, { find, isKept: (block) => known.has(block), alone: examples.alone }) ?? blocks;
}

interface Parts {
  readonly find: (text: string) => Block[];
  /** Whether the work still has a part, here or elsewhere. */
  readonly isKept: (bareBlock: string) => boolean;
  /** A part whose place is gone, as text for the end of the file. */
  readonly alone: (text: string) => string;
}

const bareBlock = (text: string, { start, end }: Block): string => bare(text.slice(start, end));

function putBack({ before, after }: Source, { find, isKept, alone }: Parts): string | undefined {
  const old = find(before);
  const changed = old.filter((block) => !isKept(bareBlock(before, block)));
  if (changed.length === 0) return undefined;
  const known = new Set(old.map((block) => bareBlock(before, block)));
  const edited = find(after).filter((block) => !known.has(bareBlock(after, block)));
  const byName = groupBy(edited, ({ name }) => name);
  const inPlaceOf = new Map<Block, string>();
  let rest = "";
  for (const { name, start, end } of changed) {
    const place = byName.get(name)?.shift();
    if (place === undefined) rest += alone(before.slice(start, end));
    else inPlaceOf.set(place, before.slice(start, end));
  }
  let text = "";
  let read = 0;
  for (const place of edited) {
    text += after.slice(read, place.start) + (inPlaceOf.get(place) ?? after.slice(place.start, place.end));
    read = place.end;
  }
  text += after.slice(read);
  return rest === "" ? text : `${text.trimEnd()}${rest.trimEnd()}\n`;
}
