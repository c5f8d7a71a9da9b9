import { join } from "node:path";
import { redactingEvents, type Redactor } from "../../domain/redact.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { recordEvent } from "../../domain/run/event-line.ts";
import { openEventLog } from "../../system/event-log.ts";
import { checkInside, makeFolder, removeAll } from "../../system/folder.ts";
import type { FleetSeat } from "../fleet/fleet-seat.ts";
import { shareEvents } from "../fleet/share-events.ts";
import type { RunHost } from "./run.ts";

interface FolderHost extends Pick<RunHost, "emit"> {
  /** Tells `onHidden` what it hides. */
  readonly redactor: (onHidden: (name: string) => void) => Promise<Redactor>;
  readonly fleet?: FleetSeat | undefined;
  /** Before somebody learns that the run has ended. */
  readonly leave: () => void;
}

/** The folder of a run, with its event log. `emit` writes an event down, then tells it; `close` must be the last call. */
export async function openRunFolder(root: string, run: string, host: FolderHost) {
  const folder = join(root, ".ralph", "runs", run);
  await checkInside(root, folder);
  await makeFolder(folder, { isPrivate: true });
  const hidden = new Set<string>();
  const told = new Set<string>();
  const redact = await host.redactor((name) => hidden.add(name));
  const shared = host.fleet && (await shareEvents(host.fleet, { root, folder, redact, emit: host.emit }));
  const log = openEventLog(shared?.file ?? join(folder, "events.ndjson"));
  const safe = redactingEvents(redact);
  let hasHappened = false;
  const record = (event: RunEvent): void => {
    const recorded = recordEvent(safe(event), { at: Date.now(), run, redact: (text) => text });
    hasHappened ||= event.type !== "run.finished" || event.ending !== "nothing";
    if (event.type === "run.finished") host.leave();
    log.write(recorded.line);
    shared?.onWritten(recorded.line);
    // Readers of the log know all that was told. An agent's words are many, and may come a moment later.
    if (!event.type.startsWith("agent.")) log.flush();
    if (event.type === "iteration.finished") log.check();
    host.emit(recorded);
  };
  // Of a worker, another machine has said that the run began.
  const inOrder = host.fleet?.isFollower === false ? atOnce : startedFirst;
  const { emit, flush } = inOrder((event) => {
    host.fleet?.onEvent(event);
    record(event);
    if (event.type === "run.finished") return;
    for (const name of [...hidden].filter((each) => !told.has(each))) {
      told.add(name);
      record({ type: "run.notice", level: "info", text: hiddenText(name) });
    }
  });
  const close = async (): Promise<void> => {
    flush();
    log.close();
    await shared?.close();
    // A run that found nothing to do, or was refused, leaves no folder.
    if (!hasHappened) await removeAll(folder);
  };
  return { folder, emit, close, redact };
}

const hiddenText = (name: string): string =>
  `What looks like a secret is shown as [${name}]. If it is none, add ${JSON.stringify(name)} to redact.allow`;

/**
 * Work of an earlier run is finished before `run.started`; listeners still get `run.started` first. `flush` emits the held
 * events of a run that never starts.
 */
const atOnce = (emit: (event: RunEvent) => void) => ({ emit, flush: (): void => undefined });

function startedFirst(emit: (event: RunEvent) => void) {
  let early: RunEvent[] | undefined = [];
  const release = (before: readonly RunEvent[], after: readonly RunEvent[]): void => {
    const held = [...before, ...(early ?? []), ...after];
    early = undefined;
    for (const one of held) emit(one);
  };
  return {
    emit: (event: RunEvent): void => {
      if (early === undefined) emit(event);
      else if (event.type === "run.started") release([event], []);
      else if (event.type === "run.finished") release([], [event]);
      else early.push(event);
    },
    flush: () => release([], []),
  };
}
