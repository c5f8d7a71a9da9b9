import { vi } from "vitest";
import type { OtherTasks } from "../src/app/run/other-tasks.ts";
import type { RalphError } from "../src/domain/error.ts";
import type { RunEvent } from "../src/domain/run/event.ts";
import type { RunControls } from "../src/cli/view/key-handler.ts";
import { openRunView, type RunView } from "../src/cli/view/run-view.ts";
import { recordedTerminal, type RecordedTerminal, type Size } from "./screen.ts";

export interface Shown extends RecordedTerminal {
  readonly view: RunView;
  readonly stop: AbortController;
  /** What the keys asked of the run. */
  readonly asked: string[];
  /** Sends events, now. */
  readonly emit: (...events: readonly RunEvent[]) => void;
  /** Lets time go by, and with it what waited for its frame. */
  readonly wait: (ms: number) => Promise<void>;
  /** What is seen once everything is drawn. Nothing can be done after it. */
  readonly seen: () => Promise<string>;
}

interface Setting {
  readonly tasks?: OtherTasks;
  /** In another terminal. */
  readonly isWatching?: boolean;
  readonly env?: Record<string, string>;
  readonly trouble?: RalphError;
  readonly verbose?: boolean;
}

/** A view at a terminal that is recorded, with a clock that the test moves. */
export function shown(size: Size, { env = {}, trouble, verbose = false, tasks, isWatching }: Setting = {}): Shown {
  const recorded = recordedTerminal(size);
  const asked: string[] = [];
  const ask = async (what: string): Promise<void> => {
    asked.push(what);
    if (trouble !== undefined) throw trouble;
  };
  const controls: RunControls = {
    pause: async () => await ask("pause"),
    resume: async () => await ask("resume"),
    stopAfter: async () => await ask("stop after"),
    addContext: async (text) => {
      await ask(text);
      return true;
    },
    ...(isWatching === true && {
      watching: { stopNow: async () => await ask("stop now"), leave: () => void asked.push("leave") },
    }),
  };
  const stop = new AbortController();
  const view = openRunView({
    terminal: recorded.terminal,
    env,
    verbose,
    stop: stop.signal,
    controls,
    ...(tasks !== undefined && { tasks: async () => tasks }),
  });
  return {
    ...recorded,
    view,
    stop,
    asked,
    emit: (...events) => {
      for (const event of events) view.emit(event, Date.now());
    },
    wait: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
    seen: async () => {
      await vi.advanceTimersByTimeAsync(100);
      vi.useRealTimers();
      return (await recorded.screen()).shown;
    },
  };
}
