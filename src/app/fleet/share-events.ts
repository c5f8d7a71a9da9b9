import { dirname } from "node:path";
import type { Redactor } from "../../domain/redact.ts";
import { readEventLine, type RecordedEvent } from "../../domain/run/event-line.ts";
import { sleep } from "../../system/sleep.ts";
import { findStore } from "../task-store.ts";
import type { FleetSeat } from "./fleet-seat.ts";
import { serveMachine } from "./serve-machine.ts";
import { newSpool, shipEvents, type Shipping } from "./ship-events.ts";

/** The events of a run, on their way to and from the other machines. */
export interface SharedEvents {
  /** Where this machine writes its own. */
  readonly file: string;
  /** An event was written there. */
  readonly onWritten: (line: string) => void;
  readonly close: () => Promise<void>;
}

interface SharedPlace {
  readonly root: string;
  readonly folder: string;
  readonly redact: Redactor;
  /** Hears what other machines did, if it follows the run. */
  readonly emit: (recorded: RecordedEvent) => void;
}

const LOOK_MS = 200;
const LAST_MS = 10_000;

/** F-04: sends what happens here, tells a follower what happens elsewhere, and answers questions about files that stay here. */
export async function shareEvents(seat: FleetSeat, { root, folder, redact, emit }: SharedPlace): Promise<SharedEvents> {
  const { fleet, run, isFollower, member } = seat;
  const spool = newSpool(folder);
  const own = new Set<string>();
  const end = new AbortController();
  let shipping: Shipping | undefined;
  const endServing =
    member === undefined
      ? undefined
      : serveMachine({
          fleet: fleet.shared,
          asks: fleet.asks,
          member,
          root,
          home: dirname((await findStore(root)).file),
          redact,
        });
  const hearing = isFollower ? hear(seat, { own, emit, end: end.signal }) : undefined;
  return {
    file: spool.file,
    onWritten: (line) => {
      if (isFollower) own.add(line);
      // From here on, the run is known to all.
      shipping ??= shipEvents({ ...spool, fleet: fleet.shared, run });
    },
    close: async () => {
      end.abort();
      await hearing;
      await endServing?.();
      await shipping?.close(LAST_MS);
    },
  };
}

interface Hearing {
  readonly own: Set<string>;
  readonly emit: SharedPlace["emit"];
  readonly end: AbortSignal;
}

async function hear({ fleet, run }: FleetSeat, { own, emit, end }: Hearing): Promise<void> {
  let seq = 0;
  while (!end.aborted) {
    // A database that is away has no news.
    const found = await fleet.shared.eventsAfter(run, seq).catch(() => []);
    for (const { seq: number, line } of found) {
      seq = number;
      const event = own.delete(line) ? undefined : readEventLine(line);
      if (event !== undefined) emit({ event: event.event, atMs: event.atMs, line });
    }
    if (found.length === 0) await sleep(LOOK_MS, end);
  }
}
