/** How tests begin that lie inside of a source file: modules of Rust, blocks of Zig and Vitest. */
const BEGINNINGS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.rs$/, /^[ \t]*#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{/gm],
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
  return [...text.matchAll(beginning)].map((match) => {
    const open = match.index + match[0].length - 1;
    return { name: match[1] ?? "", start: match.index, end: endOf(text, open) };
  });
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
  const changed = blocksIn(path, before).filter(({ start, end }) => {
    const block = bare(before.slice(start, end));
    return !all.some((text) => text.includes(block));
  });
  if (changed.length === 0) return undefined;
  let text = after;
  for (const { name, start, end } of changed) {
    const block = before.slice(start, end);
    const now = blocksIn(path, text).find((one) => one.name === name);
    text =
      now === undefined ? `${text.trimEnd()}\n\n${block}\n` : text.slice(0, now.start) + block + text.slice(now.end);
  }
  return text;
}
