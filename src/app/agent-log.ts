import { followFile } from "../system/follow-file.ts";
import { createLineSplitter } from "../system/line-splitter.ts";

const LONGEST = 64 * 1024;
/** Time and level, as Gemini CLI writes them. */
const HEAD = /^\[[^\]]{1,40}\] \[([A-Z]{1,10})\] /;

/** Prints warnings and errors of an agent's log, without time and level, until it is over. */
export async function followLog(
  path: string,
  { isOver, print }: { readonly isOver: () => boolean; readonly print: (line: string) => void },
): Promise<void> {
  let isTold = false;
  const tell = (line: string): void => {
    const level = HEAD.exec(line)?.[1];
    // Other lines belong to the one before.
    if (level !== undefined) isTold = level === "WARN" || level === "ERROR";
    if (isTold) print(line.replace(HEAD, ""));
  };
  const lines = createLineSplitter({ limitBytes: LONGEST, onLine: tell, onLongLine: ({ head }) => tell(head) });
  for await (const bytes of followFile(path, isOver)) lines.push(Buffer.from(bytes));
  lines.end();
}
