import { RalphError } from "../../domain/error.ts";
import { printable } from "../../domain/printable.ts";
import { openIterations, type RunRecord } from "../../domain/run/run-record.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import type { Terminal } from "../io.ts";
import { plural } from "../../format/run-text.ts";
import { unitOf } from "./activity.ts";
import type { Detail, ViewState } from "./block-view.ts";
import { lanesOf } from "./lane-lines.ts";
import { type EditKey, emptyEditor, type Editor, textOf, withKey, withText } from "./editor.ts";

/** Requests to the run. Each rejects with a RalphError if it fails. */
export interface RunControls {
  readonly pause: () => Promise<void>;
  /** Also ends a wait. */
  readonly resume: () => Promise<void>;
  readonly stopAfter: () => Promise<void>;
  /** Only for a run in another terminal: stops it now, and ends the view without stopping it. */
  readonly watching?: { readonly stopNow: () => Promise<void>; readonly leave: () => void };
  /** Returns false for a blank text. */
  readonly addContext: (text: string) => Promise<boolean>;
}

export interface KeyHandlerRequest {
  readonly controls: RunControls;
  readonly terminal: Pick<Terminal, "interrupt" | "suspend" | "quit">;
  readonly run: RunRecord;
  readonly person: () => ViewState;
  readonly change: (next: Partial<ViewState>) => void;
  readonly redraw: () => void;
}

const NOTE_MS = 4000;
/** Longer input was pasted, not typed. */
const MOST_AT_ONCE = 3;

const NEXT_DETAIL: Readonly<Record<Detail, Detail>> = { less: "normal", normal: "more", more: "less" };
const DETAIL_NOTES: Readonly<Record<Detail, string>> = {
  less: "Showing only verdicts and problems",
  normal: "Showing the normal output",
  more: "Showing also thinking, results and notices",
};

/** What each key does. */
export function createKeyHandler(request: KeyHandlerRequest): (key: Key) => void {
  const { controls, terminal, person, change } = request;
  const { watching } = controls;
  let timer: NodeJS.Timeout | undefined;
  const say = (note: string): void => {
    change({ note });
    clearTimeout(timer);
    timer = setTimeout(() => change({ note: undefined }), NOTE_MS).unref();
  };
  const attempt = (action: Promise<void>): void => void action.catch((error: unknown) => say(troubleOf(error)));
  const commands: Readonly<Record<string, () => void>> = {
    p: () => attempt(togglePause(request, say)),
    s: () => attempt(stopAfter(request, say)),
    c: () => change({ editor: emptyEditor, wantsHelp: false, note: undefined }),
    v: () => {
      const detail = NEXT_DETAIL[person().detail];
      change({ detail });
      say(DETAIL_NOTES[detail]);
    },
    "?": () => change({ wantsHelp: !person().wantsHelp, note: undefined }),
    ...(watching !== undefined && {
      S: () => attempt(watching.stopNow().then(() => say(stoppingNote(controls)))),
      q: watching.leave,
    }),
  };
  const isLane = (key: string): boolean => /^\d$/.test(key) && hasLanes(request.run.summary);
  const add = async (text: string): Promise<void> => {
    change({ editor: undefined });
    if (text.trim() === "") return;
    say((await controls.addContext(text)) ? "Added: the next iteration will see it" : "Nothing was added");
  };
  return (key) => {
    const { editor } = person();
    if (key.kind === "interrupt") (watching?.leave ?? terminal.interrupt)();
    else if (key.kind === "suspend") terminal.suspend();
    else if (key.kind === "quit") terminal.quit();
    else if (key.kind === "redraw") request.redraw();
    else if (editor !== undefined) edit(editor, key, { change, add: (text) => attempt(add(text)) });
    else if (key.kind === "escape") change({ wantsHelp: false });
    else if (key.kind === "text" && key.text.length <= MOST_AT_ONCE) {
      for (const one of key.text)
        if (isLane(one)) chooseLane(request, Number(one), say);
        else commands[one]?.();
    }
  };
}

/** A digit shows the words of its lane, or of that row in a fleet, whose lanes have long numbers; the same again, or 0, those of all. */
function chooseLane({ run, person, change }: KeyHandlerRequest, digit: number, say: Say): void {
  const lanes = lanesOf(run);
  if (digit > lanes.length) return say(`There ${lanes.length === 1 ? "is" : "are"} ${plural(lanes.length, "lane")}`);
  const lane = lanes[digit - 1];
  change({ lane: lane === person().lane ? undefined : lane, note: undefined });
}

function edit(
  editor: Editor,
  key: Key,
  { change, add }: Pick<KeyHandlerRequest, "change"> & { add: (text: string) => void },
): void {
  if (key.kind === "enter") add(textOf(editor));
  else if (key.kind === "escape") change({ editor: undefined });
  else if (key.kind === "text") change({ editor: withText(editor, key.text) });
  else if (key.kind === "edit") change({ editor: withKey(editor, key.key) });
}

/** Ends a wait or cancels a requested pause; otherwise requests a pause, unless the run is stopping. */
async function togglePause({ controls, run, person, change }: KeyHandlerRequest, say: Say): Promise<void> {
  const { asked, isStopped } = person();
  const { waiting } = run.summary;
  if (isStopped || (asked.stop && waiting === undefined)) {
    return say(isStopped ? stoppingNote(controls) : stopsAfterNote(run, controls));
  }
  if (waiting !== undefined || asked.pause) {
    change({ asked: { ...asked, pause: false } });
    await controls.resume();
    say(waiting === undefined ? "Pause cancelled" : "Continuing");
    return;
  }
  change({ asked: { ...asked, pause: true } });
  try {
    await controls.pause();
    say(`Pausing after ${unitOf(run)}; press p again to cancel`);
  } catch (error) {
    change({ asked: { ...person().asked, pause: false } });
    throw error;
  }
}

type Say = (note: string) => void;

async function stopAfter({ controls, run, person, change }: KeyHandlerRequest, say: Say): Promise<void> {
  const { asked, isStopped } = person();
  if (isStopped) return say(stoppingNote(controls));
  if (!asked.stop) await controls.stopAfter();
  change({ asked: { pause: false, stop: true } });
  // A waiting run has no iteration to finish.
  const isWaiting = run.summary.waiting !== undefined;
  if (isWaiting || asked.pause) await controls.resume();
  say(isWaiting && openIterations(run).length === 0 ? "Stopping" : stopsAfterNote(run, controls));
}

/** The key that stops the run now. */
const stopKey = ({ watching }: RunControls): string => (watching === undefined ? "Ctrl-C" : "S");

const stopsAfterNote = (run: RunRecord, controls: RunControls): string =>
  `Stopping after ${unitOf(run)}; ${stopKey(controls)} stops now`;

const stoppingNote = (controls: RunControls): string => `Stopping; ${stopKey(controls)} again stops at once`;

const troubleOf = (error: unknown): string =>
  error instanceof RalphError ? error.message : `This is a bug in ralphctl: ${String(error)}`;

/** A pressed key. */
export type Key =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "edit"; readonly key: EditKey }
  | { readonly kind: "enter" | "escape" | "interrupt" | "suspend" | "quit" | "redraw" };

const CONTROLS: Readonly<Record<string, Key>> = {
  "\u0001": { kind: "edit", key: "home" },
  "\u0003": { kind: "interrupt" },
  "\u0004": { kind: "edit", key: "delete" },
  "\u0005": { kind: "edit", key: "end" },
  "\b": { kind: "edit", key: "backspace" },
  "\u007f": { kind: "edit", key: "backspace" },
  "\t": { kind: "text", text: " " },
  "\n": { kind: "enter" },
  "\r": { kind: "enter" },
  "\u000c": { kind: "redraw" },
  "\u0015": { kind: "edit", key: "clear" },
  "\u0017": { kind: "edit", key: "word" },
  "\u001a": { kind: "suspend" },
  "\u001b": { kind: "escape" },
  "\u001c": { kind: "quit" },
};

const SEQUENCES: Readonly<Record<string, EditKey>> = {
  D: "left",
  C: "right",
  H: "home",
  F: "end",
  "1~": "home",
  "3~": "delete",
  "4~": "end",
};

// Arrows and the like, then letters with Alt, then one control, then all the text up to the next of these.
// eslint-disable-next-line no-control-regex
const TOKEN = /\u001b(?:\[|O)([0-9;]*)([@-~])|\u001b[ -~]|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f]+/g;

/** Parses the input of a terminal; unknown keys are ignored. */
export function readKeys(sent: string): Key[] {
  return Array.from(sent.matchAll(TOKEN)).flatMap(([token, number, final]): Key[] => {
    if (final !== undefined) {
      const key = SEQUENCES[final === "~" ? `${number}~` : final];
      return key === undefined ? [] : [{ kind: "edit", key }];
    }
    const control = CONTROLS[token];
    if (control !== undefined) return [control];
    return token < " " ? [] : [{ kind: "text", text: printable(token) }];
  });
}
