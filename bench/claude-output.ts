import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const RECORDED = "src/harness/recorded/claude";
/** Sessions that did work; the others are about failures and have few lines. */
const SESSIONS = ["basic", "multi-tools", "tool-fail", "utf8", "x-partial"];

/** Sizes of what tools give back, in characters: most say little, some show a file. */
const RESULT_SIZES = [60, 300, 120, 2500, 80, 900, 6000, 200];

interface Line {
  readonly type: string;
  readonly message?: { readonly id?: string; readonly content?: readonly Readonly<Record<string, unknown>>[] };
}

/**
 * Writes output as Claude Code prints it, until it is large enough: lines of recorded sessions, each message with an id
 * of its own, and tool results that are pieces of this repository's source. The last line is a result.
 */
export function writeClaudeOutput(path: string, bytes: number): void {
  const recorded = SESSIONS.flatMap((name) => linesOf(join(RECORDED, `${name}.ndjson`)));
  const middle = recorded.filter(({ type }) => type === "assistant" || type === "user" || type === "stream_event");
  const source = readdirSync("src/loop")
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join("src/loop", name), "utf8"))
    .join("\n");
  const file = openSync(path, "w");
  const write = (lines: readonly object[]): number =>
    writeSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  write(recorded.slice(0, 1));
  for (let turn = 0, written = 0; written < bytes; turn += 1) {
    written += write(middle.map((line, at) => varied(line, turn * 1000 + at, source)));
  }
  write(recorded.filter(({ type }) => type === "result").slice(0, 1));
  closeSync(file);
}

function varied(line: Line, number: number, source: string): Line {
  if (line.message === undefined) return line;
  const size = RESULT_SIZES[number % RESULT_SIZES.length]!;
  const start = (number * 977) % (source.length - size);
  const text = source.slice(start, start + size);
  const content = line.message.content?.map((block) =>
    block["type"] === "tool_result" ? { ...block, content: text } : block,
  );
  const isResult = line.type === "user";
  return {
    ...line,
    message: {
      ...line.message,
      ...(line.message.id !== undefined && { id: `msg_${number}` }),
      ...(content && { content }),
    },
    // The CLI repeats what a tool gave back, in a form of its own.
    ...(isResult && { tool_use_result: { stdout: text, stderr: "", interrupted: false, isImage: false } }),
  };
}

const linesOf = (path: string): Line[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
