/** Lines that scroll, and a block below them that stays. */
export interface Screen {
  readonly print: (lines: readonly string[]) => void;
  /** Redraws the block if it changed. */
  readonly refresh: () => void;
  /** Redraws everything after a resize. */
  readonly redraw: () => void;
  /** Removes the block until `show`; lines continue. */
  readonly hide: () => void;
  readonly show: () => void;
  /** Prints all lines and removes the block for good. */
  readonly close: () => void;
}

/** At most ten frames a second. */
const FRAME_MS = 100;
/** The most text that waits for a frame: an agent may print faster than anyone reads. */
const MOST_WAITING = 65_536;

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
// Terminals that support it show the frame only when it is complete.
const BEGIN_FRAME = "\u001b[?2026h";
const END_FRAME = "\u001b[?2026l";
const NO_WRAP = "\u001b[?7l";
const WRAP = "\u001b[?7h";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

/**
 * Draws frames. Between frames the cursor is at the start of the block, so that clearing below the cursor erases the block
 * even after a resize. The block begins with an empty line: if we are killed, the shell writes its word there, and its
 * prompt below, where the terminal's guard clears the rest.
 */
export function createScreen(write: (text: string) => void, block: () => readonly string[]): Screen {
  /** Lines that have not been printed yet. */
  let waiting = "";
  let drawn: readonly string[] | undefined = [];
  let place: "shown" | "hidden" = "hidden";
  let lastAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  const takeWaiting = (): string => {
    const lines = waiting === "" ? "" : `\r${CLEAR_BELOW}${waiting}`;
    waiting = "";
    return lines;
  };
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    lastAt = performance.now();
    const next = place === "hidden" ? [] : block();
    if (waiting === "" && isSame(drawn, next)) return;
    write(`${BEGIN_FRAME}${takeWaiting() || "\r"}${blockText(next)}${END_FRAME}`);
    drawn = next;
  };
  const soon = (): void => {
    if (timer !== undefined) return;
    const restMs = lastAt + FRAME_MS - performance.now();
    if (restMs <= 0) draw();
    else timer = setTimeout(draw, restMs).unref();
  };
  const anew = (action: () => void): void => {
    drawn = undefined;
    action();
  };
  const turn = (next: typeof place): void => {
    if (next === place) return;
    place = next;
    if (next === "shown") write(HIDE_CURSOR);
    anew(draw);
    if (next === "hidden") write(SHOW_CURSOR);
  };
  return {
    print: (lines) => {
      if (lines.length === 0) return;
      waiting += lines.map((line) => `${line}\r\n`).join("");
      if (waiting.length > MOST_WAITING) anew(() => write(takeWaiting()));
      soon();
    },
    refresh: soon,
    redraw: () => anew(soon),
    hide: () => turn("hidden"),
    show: () => turn("shown"),
    close: () => {
      turn("hidden");
      draw();
    },
  };
}

const isSame = (drawn: readonly string[] | undefined, next: readonly string[]): boolean =>
  drawn !== undefined && drawn.length === next.length && drawn.every((line, index) => line === next[index]);

/** The block, with the cursor back at its start. The terminal cuts lines that are too wide. */
function blockText(lines: readonly string[]): string {
  if (lines.length === 0) return CLEAR_BELOW;
  const all = ["", ...lines].map((line) => `${line}${CLEAR_LINE}`);
  return `${NO_WRAP}${all.join("\r\n")}${CLEAR_BELOW}${WRAP}\u001b[${lines.length}A\r`;
}
