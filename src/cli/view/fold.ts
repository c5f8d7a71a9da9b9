import { type Span, wrapped } from "./spans.ts";

const plain = (text: string): Span => ({ text, paint: (same) => same });

/**
 * Wraps a summary between words, with continuation lines indented. Lines after `Next:` are for copying, and stay as they
 * are.
 */
export function foldSummary(text: string, width: number): string {
  const lines = text.split("\n");
  const next = lines.indexOf("Next:");
  const folded = (next < 0 ? lines : lines.slice(0, next)).flatMap((line) => {
    const [start] = /^ *(?:\S+ {2,})?/.exec(line)!;
    const rest = " ".repeat(Math.min(start.length || 2, Math.floor(width / 2)));
    return wrapped([plain(line.slice(start.length))], width, { first: [plain(start)], rest });
  });
  return [...folded, ...(next < 0 ? [] : lines.slice(next))].join("\n");
}
