import type { RunEvent, RunStarted } from "../../domain/run/event.ts";
import type { Terminal } from "../io.ts";
import type { ViewState } from "./block-view.ts";
import { createKeyHandler, readKeys, type RunControls } from "./key-handler.ts";
import { createScreen } from "./screen.ts";
import type { OtherTasks } from "../../app/run/other-tasks.ts";
import { createViewModel } from "./view-model.ts";

/** A run at a terminal, as it goes on. */
export interface RunView {
  readonly emit: (event: RunEvent, atMs: number) => void;
  /** For a run that began earlier: past events first. The last lines of them are printed by `caughtUp`. */
  readonly recall: (event: RunEvent, atMs: number) => void;
  readonly caughtUp: () => void;
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
  /** Reads the tasks that stand beside the lanes; absent: none do. */
  readonly tasks?: (started: RunStarted) => Promise<OtherTasks>;
}

const TICK_MS = 1000;

/** Scrolling lines with the state of the run below them, and keys to control it. */
export function openRunView(request: RunViewRequest): RunView {
  const { terminal, stop, controls } = request;
  const model = createViewModel(request, () => screen.refresh());
  const { run, person } = model;
  const screen = createScreen(terminal.write, model.block);
  const show = (lines: readonly string[]): void => {
    screen.print(lines);
    screen.refresh();
  };
  const change = (next: Partial<ViewState>): void => show(model.change(next));
  const pressed = createKeyHandler({ controls, terminal, run, person, change, redraw: screen.redraw });
  const leave = terminal.open({
    onKeys: (sent) => {
      for (const key of readKeys(person().editor === undefined ? sent : pasted(sent))) pressed(key);
    },
    onResize: screen.redraw,
    onLeave: screen.hide,
    onReturn: screen.show,
  });
  screen.show();
  const ticker = setInterval(() => {
    model.tick();
    screen.refresh();
  }, TICK_MS).unref();
  stop.addEventListener("abort", screen.refresh);
  let past: readonly string[] = [];
  return {
    emit: (event, atMs) => show(model.add(event, atMs)),
    recall: (event, atMs) => {
      past = [...past, ...model.add(event, atMs)].slice(-terminal.size().rows);
    },
    caughtUp: () => {
      show(past);
      past = [];
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
