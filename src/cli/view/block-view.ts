import type { Editor } from "./editor.ts";
import type { Palette } from "./palette.ts";
import type { OtherTasks } from "../../app/run/other-tasks.ts";

/** How much of a run is printed. */
export type Detail = "less" | "normal" | "more";

/** The state of the view that the person controls. */
export interface ViewState {
  readonly detail: Detail;
  /** Requested with a key, but not in effect yet. */
  readonly asked: { readonly pause: boolean; readonly stop: boolean };
  /** Ctrl-C was pressed, or a signal came. */
  readonly isStopped: boolean;
  /** Shown for a moment in the last line. */
  readonly note: string | undefined;
  readonly editor: Editor | undefined;
  /** The lane whose words are shown; undefined: all. */
  readonly lane: number | undefined;
  readonly wantsHelp: boolean;
  /** Keys do something. */
  readonly hasKeys: boolean;
  /** The run belongs to another terminal. */
  readonly isWatching: boolean;
}

export interface BlockView {
  /** Of the terminal. */
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly palette: Palette;
  /** Local time as `2026-11-16 14:05:09`. */
  readonly clock: (ms: number) => string;
  readonly person: ViewState;
  /** Undefined until they are known. */
  readonly tasks?: OtherTasks | undefined;
}
