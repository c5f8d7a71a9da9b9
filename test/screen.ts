import headless from "@xterm/headless";
import type { Terminal, TerminalListener } from "../src/cli/io.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What somebody sees. */
export interface SeenScreen {
  /** What has scrolled away, and the rows below it, without blanks at their ends and without blank rows at the end. */
  readonly text: string;
  /** The rows that are seen now, likewise. */
  readonly shown: string;
  readonly cursor: { readonly x: number; readonly y: number };
  /** Whether any character has a colour or another look. */
  readonly hasLooks: boolean;
  /** Whether a line that is too long goes on in the next row, as it should. */
  readonly wraps: boolean;
}

type Step = string | Size;

/** What a terminal shows after texts were written to it, and after changes of its size. */
export async function screenAfter(first: Size, steps: readonly Step[]): Promise<SeenScreen> {
  const { columns: cols, rows } = first;
  const terminal = new headless.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true });
  for (const step of steps) {
    if (typeof step === "string") await new Promise<void>((done) => terminal.write(step, done));
    else terminal.resize(step.columns, step.rows);
  }
  const { active } = terminal.buffer;
  const all = Array.from({ length: active.length }, (_, row) => active.getLine(row)!);
  const texts = all.map((line) => line.translateToString(true));
  const looks = all.flatMap((line) => Array.from({ length: terminal.cols }, (_, column) => line.getCell(column)!));
  const seen: SeenScreen = {
    text: texts.join("\n").trimEnd(),
    shown: texts.slice(active.baseY).join("\n").trimEnd(),
    cursor: { x: active.cursorX, y: active.cursorY },
    hasLooks: looks.some((cell) => !cell.isAttributeDefault()),
    wraps: terminal.modes.wraparoundMode,
  };
  terminal.dispose();
  return seen;
}

/** A terminal that remembers what was done to it. */
export interface RecordedTerminal {
  readonly terminal: Terminal;
  readonly type: (sent: string) => void;
  readonly resize: (size: Size) => void;
  /** Each text that was written. */
  readonly writes: () => readonly string[];
  /** What was asked of it: `interrupt`, `suspend`, `close` … */
  readonly calls: () => readonly string[];
  readonly screen: () => Promise<SeenScreen>;
}

export function recordedTerminal(first: Size): RecordedTerminal {
  const steps: Step[] = [];
  const calls: string[] = [];
  let size = first;
  let listener: TerminalListener | undefined;
  return {
    terminal: {
      size: () => size,
      write: (text) => void steps.push(text),
      hasKeys: true,
      open: (next) => {
        listener = next;
        return () => void calls.push("close");
      },
      interrupt: () => void calls.push("interrupt"),
      suspend: () => void calls.push("suspend"),
      quit: () => void calls.push("quit"),
    },
    type: (sent) => listener!.onKeys(sent),
    resize: (next) => {
      size = next;
      steps.push(next);
      listener!.onResize();
    },
    writes: () => steps.filter((step) => typeof step === "string"),
    calls: () => calls,
    screen: async () => await screenAfter(first, steps),
  };
}
