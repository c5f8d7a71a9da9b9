import type { RunEvent } from "../../domain/run/event.ts";
import { createRunRecorder } from "../../domain/run/run-record.ts";
import type { Terminal } from "../io.ts";
import { localTime } from "../format/run-text.ts";
import { createRunLines, type RunLines } from "../format/run-lines.ts";
import { renderBlock } from "./block.ts";
import type { Detail, ViewState } from "./block-view.ts";
import { createLineStyles } from "./line-styles.ts";
import { createPalette, type Palette, wantsColors } from "./palette.ts";
import { createKeyHandler, readKeys, type RunControls } from "./key-handler.ts";
import { createScreen } from "./screen.ts";
import { span, wrapped } from "./spans.ts";

/** A run at a terminal, as it goes on. */
export interface RunView {
  readonly emit: (event: RunEvent, atMs: number) => void;
  /** Prints extra lines, which must be printable. */
  readonly print: (lines: readonly string[]) => void;
  /** Leaves the terminal as it was, with all lines printed. */
  readonly close: () => void;
}

export interface RunViewRequest {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly verbose: boolean;
  /** Aborted when the run is to stop. */
  readonly stop: AbortSignal;
  readonly controls: RunControls;
}

const TICK_MS = 1000;

/** Scrolling lines with the state of the run below them, and keys to control it. */
export function openRunView(request: RunViewRequest): RunView {
  const { terminal, env, verbose, stop, controls } = request;
  const palette = createPalette(wantsColors(env));
  const { run, add } = createRunRecorder("open");
  let person: ViewState = {
    detail: verbose ? "more" : "normal",
    asked: { pause: false, stop: false },
    isStopped: false,
    note: undefined,
    editor: undefined,
    wantsHelp: false,
    hasKeys: terminal.hasKeys,
  };
  const currentState = (): ViewState => ({ ...person, isStopped: stop.aborted });
  const screen = createScreen(terminal.write, () =>
    renderBlock(run, { ...terminal.size(), nowMs: Date.now(), palette, clock: localTime, person: currentState() }),
  );
  const lines = linesOn(request, palette, () => person.detail);
  const pressed = createKeyHandler({
    controls,
    terminal,
    run,
    person: currentState,
    change: (next) => {
      person = { ...person, ...next };
      screen.refresh();
    },
    redraw: screen.redraw,
  });
  const leave = terminal.open({
    onKeys: (sent) => {
      for (const key of readKeys(person.editor === undefined ? sent : pasted(sent))) pressed(key);
    },
    onResize: screen.redraw,
    onLeave: screen.hide,
    onReturn: screen.show,
  });
  screen.show();
  const ticker = setInterval(screen.refresh, TICK_MS).unref();
  stop.addEventListener("abort", screen.refresh);
  return {
    emit: (event, atMs) => {
      add(event, atMs);
      if (event.type === "run.resumed") person = { ...person, asked: { ...person.asked, pause: false } };
      // A note about the last wait does not apply to this one.
      if (event.type === "run.waiting") person = { ...person, note: undefined };
      screen.print(lines(event, atMs));
      screen.refresh();
    },
    print: screen.print,
    close: () => {
      clearInterval(ticker);
      stop.removeEventListener("abort", screen.refresh);
      screen.close();
      leave();
    },
  };
}

/** Several lines at once were pasted: only the end of the last is an Enter. */
const pasted = (sent: string): string => sent.replaceAll(/[\r\n]+(?=[^\r\n])/g, " ");

/** Verbosity and width may change at any time. */
function linesOn({ terminal, stop }: RunViewRequest, palette: Palette, detail: () => Detail): RunLines {
  const columns = (): number => Math.max(MIN_WIDTH, terminal.size().columns);
  return createRunLines({
    get verbose() {
      return detail() === "more";
    },
    get quiet() {
      return detail() === "less";
    },
    get width() {
      return columns() - 1;
    },
    time: false,
    isStopping: () => stop.aborted,
    clock: localTime,
    looks: (margin) =>
      createLineStyles({ palette, columns: () => columns() - margin(), wantsDiffs: () => detail() === "more" }),
  });
}

const MIN_WIDTH = 20;

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
    return wrapped([span(line.slice(start.length))], width, { first: [span(start)], rest });
  });
  return [...folded, ...(next < 0 ? [] : lines.slice(next))].join("\n");
}
