import { signal } from "@preact/signals";
import { readEventLine, type LoggedEvent } from "../../domain/run/event-line.ts";
import { recordOf, type RecordJson } from "../../domain/run/record-json.ts";
import { createRunRecorder, type RunRecord } from "../../domain/run/run-record.ts";
import type { SentEvent } from "./sse.ts";

/** The run that the page follows. A new object with every change, though its record is the same one. */
export interface LiveRun {
  readonly run: string;
  readonly isRunning: boolean;
  readonly record: RunRecord;
}

export const live = signal<LiveRun | undefined>(undefined);

/** Counts the news about tasks and runs. */
export const changes = signal(0);

type Listener = (event: LoggedEvent) => void;
const listeners = new Set<Listener>();

/** Hears every event of the run that is followed, until the returned function is called. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

interface Snapshot {
  readonly run: string;
  readonly isRunning: boolean;
  readonly record: RecordJson;
}

interface Followed {
  readonly run: string;
  readonly recorder: ReturnType<typeof createRunRecorder>;
  isRunning: boolean;
}

/**
 * Folds what the stream sends. `changed` is called after each message that changes what is shown; `lost` if a message is
 * missing, after which only a snapshot helps.
 */
export function createFold({ changed, lost }: { readonly changed: () => void; readonly lost: () => void }) {
  let followed: Followed | undefined;
  let lastId = "";
  const takeEvent = ({ data, id }: SentEvent): void => {
    const step = stepBetween(lastId, id);
    if (step === "known") return;
    if (step === "gap") return lost();
    lastId = id;
    const logged = readEventLine(data);
    if (logged === undefined) return;
    if (followed?.run !== logged.run) {
      followed = { run: logged.run, recorder: createRunRecorder("open"), isRunning: true };
    }
    followed.recorder.add(logged.event, logged.atMs, logged.run);
    if (logged.event.type === "run.finished") followed.isRunning = false;
    for (const listener of listeners) listener(logged);
    changed();
  };
  const takeSnapshot = ({ data, id }: SentEvent): void => {
    lastId = id;
    const snapshot = JSON.parse(data) as Snapshot | null;
    followed = snapshot === null ? undefined : followedFrom(snapshot);
    changed();
  };
  return {
    take: (sent: SentEvent): void => {
      if (sent.event === "event") takeEvent(sent);
      else if (sent.event === "snapshot") takeSnapshot(sent);
      else if (sent.event === "workspace") changes.value += 1;
    },
    /** Where to go on after a break; empty: with a snapshot. */
    lastId: () => lastId,
    forget: () => {
      lastId = "";
    },
    run: (): LiveRun | undefined =>
      followed && { run: followed.run, isRunning: followed.isRunning, record: followed.recorder.run },
  };
}

const followedFrom = ({ run, isRunning, record }: Snapshot): Followed => ({
  run,
  isRunning,
  recorder: createRunRecorder("open", recordOf(record)),
});

/** U-07: nothing twice, nothing lost. Ids are `RUN:NUMBER`, and count the lines of a run's log from 1. */
export function stepBetween(lastId: string, id: string): "next" | "known" | "gap" {
  const [before, now] = [placeOf(lastId), placeOf(id)];
  if (now === undefined) return "next";
  if (before?.run !== now.run) return now.at === 1 ? "next" : "gap";
  return now.at === before.at + 1 ? "next" : now.at <= before.at ? "known" : "gap";
}

function placeOf(id: string): { readonly run: string; readonly at: number } | undefined {
  const at = id.lastIndexOf(":");
  return at < 0 ? undefined : { run: id.slice(0, at), at: Number(id.slice(at + 1)) };
}
