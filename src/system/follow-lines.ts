import { followFile } from "./follow-file.ts";
import { createLineSplitter } from "./line-splitter.ts";

const LONGEST_LINE = 64 * 1024;

/** Hands on each line of a file that a program writes to, until it is over; of a long line its beginning. */
export async function followLines(
  path: string,
  { onLine, isOver }: { readonly onLine: (line: string) => void; readonly isOver: () => boolean },
): Promise<void> {
  const lines = createLineSplitter({ limitBytes: LONGEST_LINE, onLine, onLongLine: ({ head }) => onLine(head) });
  for await (const bytes of followFile(path, isOver)) lines.push(Buffer.from(bytes));
  lines.end();
}
