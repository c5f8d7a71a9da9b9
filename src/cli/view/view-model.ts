import type { RunEvent } from "../../domain/run/event.ts";
import { createRunRecorder, type RunRecord } from "../../domain/run/run-record.ts";
import { createRunLines, type RunLines } from "../../format/run-lines.ts";
import { localTime } from "../../format/run-text.ts";
import { renderBlock } from "./block.ts";
import type { Detail, ViewState } from "./block-view.ts";
import { createLaneFilter } from "./lane-filter.ts";
import { createLineStyles } from "./line-styles.ts";
import { createPalette, type Palette, wantsColors } from "./palette.ts";
import type { RunViewRequest } from "./run-view.ts";
import { COLUMNS_FOR_TASKS } from "./task-column.ts";
import { createTaskLoader } from "./task-loader.ts";

/** What a view knows of a run and of the person, without a screen. */
export interface ViewModel {
  readonly run: RunRecord;
  readonly person: () => ViewState;
  /** Returns lines to print. */
  readonly change: (next: Partial<ViewState>) => readonly string[];
  /** Takes an event in, and returns lines to print. */
  readonly add: (event: RunEvent, atMs: number) => readonly string[];
  readonly block: () => readonly string[];
  /** Called every second. */
  readonly tick: () => void;
}

/** After these, other tasks may be ready. */
const TASK_EVENTS: ReadonlySet<string> = new Set([
  "run.started",
  "tasks.changed",
  "iteration.started",
  "iteration.finished",
]);

export function createViewModel(request: RunViewRequest, onLoaded: () => void): ViewModel {
  const { terminal, env, stop, controls } = request;
  const palette = createPalette(wantsColors(env));
  const { run, add } = createRunRecorder("open");
  let person: ViewState = {
    detail: request.verbose ? "more" : "normal",
    asked: { pause: false, stop: false },
    isStopped: false,
    note: undefined,
    editor: undefined,
    lane: undefined,
    wantsHelp: false,
    hasKeys: terminal.hasKeys,
    isWatching: controls.watching !== undefined,
  };
  const current = (): ViewState => ({ ...person, isStopped: stop.aborted });
  const lines = linesOn(request, palette, () => person.detail);
  const filter = createLaneFilter(run, current);
  const loader = createTaskLoader({
    load: async () => run.summary.started && (await request.tasks?.(run.summary.started)),
    isWanted: () => terminal.size().columns >= COLUMNS_FOR_TASKS,
    onLoaded,
  });
  return {
    run,
    person: current,
    change: (next) => {
      const before = person.lane;
      person = { ...person, ...next };
      const { lane } = person;
      if (lane === before) return [];
      return lane === undefined
        ? [palette.faint("Showing all lanes")]
        : [palette.faint(`Showing lane ${lane}`), ...filter.take(lane)];
    },
    add: (event, atMs) => {
      add(event, atMs);
      if (TASK_EVENTS.has(event.type)) loader.changed();
      if (event.type === "run.resumed") person = { ...person, asked: { ...person.asked, pause: false } };
      if (event.type === "run.asked") person = { ...person, asked: { stop: event.stop, pause: event.pause } };
      // A note about the last wait does not apply to this one.
      if (event.type === "run.waiting") person = { ...person, note: undefined };
      return filter.shown(event, lines(event, atMs));
    },
    block: () => {
      const now = { nowMs: Date.now(), clock: localTime, person: current(), tasks: loader.tasks() };
      return renderBlock(run, { ...terminal.size(), palette, ...now });
    },
    tick: loader.tick,
  };
}

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
