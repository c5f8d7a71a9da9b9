import type { RunEvent, RunFinished } from "../../domain/run/event.ts";
import { createEventQueue } from "./event-queue.ts";
import { runFleet } from "../fleet/run-fleet.ts";
import { type RunHost, runWorkspace } from "./run.ts";
import type { RunRequest } from "./run-request.ts";

/**
 * A run. It proceeds whether or not you iterate over it. `for await` yields its events, without secrets. A slow consumer
 * slows the agent down; leaving the loop early stops the run and waits for its end.
 */
export interface Run extends AsyncIterable<RunEvent> {
  /** How it ended. Rejects with a RalphError if the run could not begin or continue. */
  readonly finished: Promise<RunFinished>;
  /**
   * Ends it like Ctrl-C: stops the session, leaves no process, and the next run continues from there. A proof that is under
   * way is finished; the second call stops that, too.
   */
  readonly stop: () => void;
}

/** The host of a run, for its caller. `emit` gets each event at once. */
export interface StartHost extends Omit<RunHost, "emit" | "interrupts" | "fleet"> {
  readonly emit?: RunHost["emit"];
  readonly interrupts?: Partial<RunHost["interrupts"]>;
}

/** Starts the loop over a scope's tasks. */
export function startRun(request: RunRequest, host: StartHost): Run {
  const stopping = new AbortController();
  const killing = new AbortController();
  const stop = (): void => (stopping.signal.aborted ? killing : stopping).abort();
  const leave = async (): Promise<void> => {
    stopping.abort();
    await finished.catch(() => undefined); // whoever left does not ask how it ended
  };
  const queue = createEventQueue<RunEvent>(leave);
  const { interrupts } = host;
  const play = request.isFleet === true ? runFleet : runWorkspace;
  const finished = play(request, {
    ...host,
    emit: (recorded) => {
      queue.push(recorded.event);
      host.emit?.(recorded);
    },
    caughtUp: () => bothOf(host.caughtUp?.(), queue.caughtUp()),
    interrupts: {
      stop: interrupts?.stop === undefined ? stopping.signal : AbortSignal.any([interrupts.stop, stopping.signal]),
      kill: interrupts?.kill === undefined ? killing.signal : AbortSignal.any([interrupts.kill, killing.signal]),
    },
  });
  finished.then(() => queue.end(), queue.end);
  return { finished, stop, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
}

function bothOf(one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Promise.all([one, other]).then(() => undefined);
}
