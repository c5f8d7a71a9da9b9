import { join } from "node:path";
import { createRedactor } from "../../domain/redact.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { type RecordedEvent, recordEvent } from "../../domain/run/event-line.ts";
import { openEventLog } from "../../system/event-log.ts";
import { checkInside, makeFolder, removeAll } from "../../system/folder.ts";

export interface RunFolderRequest {
  /** The workspace. */
  readonly root: string;
  readonly run: string;
  readonly host: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly emit: (recorded: RecordedEvent) => void;
  };
}

/** The folder of a run, with its event log. */
export interface RunFolder {
  readonly folder: string;
  /** Writes an event down, then tells it. */
  readonly emit: (event: RunEvent) => void;
  /** Must be the last call. A run that found nothing to do, or was refused, leaves no folder. */
  readonly close: () => Promise<void>;
}

export async function openRunFolder({ root, run, host }: RunFolderRequest): Promise<RunFolder> {
  const folder = join(root, ".ralph", "runs", run);
  await checkInside(root, folder);
  await makeFolder(folder, { isPrivate: true });
  const log = openEventLog(join(folder, "events.ndjson"));
  const redact = createRedactor(host.env);
  let hasHappened = false;
  const { emit, flush } = startedFirst((event) => {
    const recorded = recordEvent(event, { at: Date.now(), run, redact });
    hasHappened ||= event.type !== "run.finished" || event.ending !== "nothing";
    log.write(recorded.line);
    if (event.type === "iteration.finished") log.check();
    host.emit(recorded);
  });
  const close = async (): Promise<void> => {
    flush();
    log.close();
    if (!hasHappened) await removeAll(folder);
  };
  return { folder, emit, close };
}

interface EarlyEvents {
  readonly emit: (event: RunEvent) => void;
  /** For a run that never starts: emits the held events. */
  readonly flush: () => void;
}

/** Work of an earlier run is finished before `run.started`; listeners still get `run.started` first. */
function startedFirst(emit: (event: RunEvent) => void): EarlyEvents {
  let early: RunEvent[] | undefined = [];
  const release = (before: readonly RunEvent[], after: readonly RunEvent[]): void => {
    const held = [...before, ...(early ?? []), ...after];
    early = undefined;
    for (const one of held) emit(one);
  };
  return {
    emit: (event) => {
      if (early === undefined) emit(event);
      else if (event.type === "run.started") release([event], []);
      else if (event.type === "run.finished") release([], [event]);
      else early.push(event);
    },
    flush: () => release([], []),
  };
}
