import type { FollowedLine, FollowedRun } from "../../app/page/follow-run.ts";
import type { Hub } from "../../app/page/hub.ts";
import type { StreamOut } from "../../app/page/serve.ts";
import { mapStrings, type Redactor } from "../../domain/redact.ts";
import { recordJson } from "../../domain/run/record-json.ts";
import type { ApiEvents } from "../api.ts";

/** U-07: never more waits for a slow reader; it gets a snapshot instead. */
const MOST_WAITING = 1024 * 1024;
const ALIVE_MS = 15_000;

export interface EventsRequest {
  readonly hub: Hub;
  /** The run to follow; undefined: the one that goes on, or the newest. */
  readonly run: string | undefined;
  /** `RUN:SEQ`: what the reader has seen last. */
  readonly last: string | undefined;
  /** The texts of a log are redacted already: this knows what came to be a secret since, too. */
  readonly redact: Redactor;
}

/** U-07: the events of a run as they come. Nothing twice, nothing lost: what cannot be told any more is in a snapshot. */
export function streamEvents(out: StreamOut, request: EventsRequest): void {
  const { hub, redact } = request;
  let reader: RunReader | undefined;
  let isClosed = false;
  let leave = (): void => undefined;
  const send = <Name extends keyof ApiEvents>(event: Name, data: ApiEvents[Name], id?: string): void =>
    out.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const alive = setInterval(() => {
    if (out.waiting() === 0) out.write(":\n\n");
  }, ALIVE_MS).unref();
  out.onClosed(() => {
    isClosed = true;
    clearInterval(alive);
    reader?.leave();
    leave();
  });
  let missed: ApiEvents["workspace"] | undefined;
  out.onDrained(() => {
    reader?.catchUp();
    if (missed !== undefined) send("workspace", missed);
    missed = undefined;
  });
  let { last } = request;
  const listener = {
    onWorkspace: (version: ApiEvents["workspace"]) => {
      if (out.waiting() > MOST_WAITING) missed = version;
      else send("workspace", version);
    },
    onRun: (run: FollowedRun | undefined) => {
      reader?.leave();
      reader = run && openReader({ run, out, redact, last });
      last = undefined;
      if (run === undefined) send("snapshot", null);
    },
  };
  const enter = async (): Promise<void> => {
    leave = await hub.join(request.run, listener);
    if (isClosed) leave();
  };
  void enter().catch(() => out.end());
}

interface RunReader {
  readonly leave: () => void;
  /** The reader has taken all: if it was too slow, it is told where the run is now. */
  readonly catchUp: () => void;
}

interface Reading extends Pick<EventsRequest, "redact" | "last"> {
  readonly run: FollowedRun;
  readonly out: StreamOut;
}

function openReader({ run, out, redact, last }: Reading): RunReader {
  let isOpen = true;
  let isBehind = false;
  let stop = (): void => undefined;
  const sendSnapshot = (): void => {
    isBehind = false;
    const data = { run: run.run, isRunning: run.isRunning(), record: mapStrings(recordJson(run.record), redact) };
    out.write(`id: ${run.run}:${run.seq()}\nevent: snapshot\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const onLines = (lines: readonly FollowedLine[]): void => {
    if (isBehind || out.waiting() > MOST_WAITING) isBehind = true;
    else out.write(framesOf(run.run, lines, redact));
  };
  const begin = async (): Promise<void> => {
    await run.caughtUp;
    if (!isOpen) return;
    const missed = seqIn(last, run.run);
    const lines = missed === undefined ? undefined : run.since(missed);
    if (lines === undefined || bytesOf(lines) > MOST_WAITING) sendSnapshot();
    else onLines(lines);
    stop = run.listen({ onLines, onEnd: sendSnapshot });
  };
  void begin();
  return {
    leave: () => {
      isOpen = false;
      stop();
    },
    catchUp: () => {
      if (isBehind) sendSnapshot();
    },
  };
}

const bytesOf = (lines: readonly FollowedLine[]): number => lines.reduce((sum, { text }) => sum + text.length, 0);

/** The number in `RUN:SEQ`, if it is of this run. */
function seqIn(id: string | undefined, run: string): number | undefined {
  const [, name, seq] = /^(.+):(\d{1,15})$/.exec(id ?? "") ?? [];
  return name === run ? Number(seq) : undefined;
}

/** Made once for all readers of the same lines. */
const made = new WeakMap<readonly FollowedLine[], string>();

function framesOf(run: string, lines: readonly FollowedLine[], redact: Redactor): string {
  const known = made.get(lines);
  if (known !== undefined) return known;
  const frames = lines.map(({ seq, text }) => `id: ${run}:${seq}\nevent: event\ndata: ${safeLine(text, redact)}\n\n`);
  const whole = frames.join("");
  made.set(lines, whole);
  return whole;
}

/** A line that is no JSON, such as one that a crash cut, is told as an empty event: its number counts. */
function safeLine(text: string, redact: Redactor): string {
  try {
    const value: unknown = JSON.parse(text);
    const safe = mapStrings(value, redact);
    return safe === value ? text : JSON.stringify(safe);
  } catch {
    return "{}";
  }
}
