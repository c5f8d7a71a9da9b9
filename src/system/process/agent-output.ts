import { closeSync, fstatSync, openSync, writeFileSync } from "node:fs";
import type { Readable } from "node:stream";
import type { AgentEvent, AgentReader } from "../../domain/agent-event.ts";
import { joinTexts } from "../../domain/join-texts.ts";
import { orWriteError } from "../io-error.ts";
import { createLineSplitter } from "../line-splitter.ts";
import { inMadeFolder } from "../made-folder.ts";
import type { AgentChild } from "./spawn-agent.ts";

/** Reads and records the output of one session. */
export interface AgentOutput {
  /** Reads both streams to their end; output is in its file before its events are sent. */
  readonly read: (agent: AgentChild, onData: () => void) => Promise<void>;
  /** A last line without a line end. */
  readonly flush: () => void;
  readonly lastAt: () => number;
  /** What was read so far, and how long that took us. */
  readonly taken: () => Taken;
  /** The receivers of events are behind: reading is paused. */
  readonly isHeldUp: () => boolean;
  readonly stderrTail: () => string;
  readonly close: () => void;
}

export interface Taken {
  readonly bytes: number;
  readonly ms: number;
}

export interface AgentOutputOptions {
  /** Files for the raw output and the raw standard error. */
  readonly transcript: string;
  readonly stderr: string;
  readonly reader: AgentReader;
  readonly onEvent: (event: AgentEvent) => void;
  /** Resolves when those who are told of events have kept up; undefined: they have. */
  readonly caughtUp?: (() => Promise<void> | undefined) | undefined;
}

/** The longest line that a reader is given: room for an image, twice. */
const MAX_LINE = 16 * 1024 * 1024;
const MAX_STDERR = 64 * 1024;
const MAX_ERROR_LINE = 64 * 1024;

/** Opens the transcript at once: what cannot be recorded must not start. */
export function openAgentOutput(options: AgentOutputOptions): AgentOutput {
  const { transcript, stderr, reader, onEvent, caughtUp } = options;
  const files = { transcript: openLog(transcript), stderr: openLog(stderr) };
  // Most agents leave the other one empty, and then it is not made.
  const before = files.transcript.open();
  const events = joinTexts(onEvent);
  const lines = createLineSplitter({
    limitBytes: MAX_LINE,
    onLine: (line) => reader.line(line).forEach(events.add),
    onLongLine: ({ bytes, offset, head }) => {
      events.add({ type: "agent.long-line", bytes, file: transcript, offset: before + offset });
      // As the reader sees it: never valid JSON, and never ending in a claim.
      reader.line(`${head}… [cut: a line of ${bytes} bytes]`).forEach(events.add);
    },
  });
  const errors = createErrorOutput(reader, events);
  const meter = createMeter();
  let isHeldUp = false;
  return {
    read: async (agent, onData) => {
      const take = (chunk: Buffer, use: () => void): void => {
        meter.measure(chunk.length, use);
        onData();
      };
      const holdUp = async (wait: Promise<void>): Promise<void> => {
        isHeldUp = true;
        await wait.finally(() => (isHeldUp = false));
        take(NOTHING, () => undefined);
      };
      await Promise.all([
        eachChunk(agent.stdout, (chunk) => {
          take(chunk, () => {
            files.transcript.write(chunk);
            lines.push(chunk);
            events.flush();
          });
          const wait = caughtUp?.();
          return wait === undefined ? undefined : holdUp(wait);
        }),
        eachChunk(agent.stderr, (chunk) =>
          take(chunk, () => {
            files.stderr.write(chunk);
            errors.push(chunk);
          }),
        ),
      ]);
    },
    flush: () => {
      lines.end();
      events.flush();
    },
    lastAt: meter.lastAt,
    taken: meter.taken,
    isHeldUp: () => isHeldUp,
    stderrTail: errors.tail,
    close: () => {
      files.transcript.close();
      files.stderr.close();
    },
  };
}

/** Keeps the end of standard error, and gives its lines to a reader that wants them. */
function createErrorOutput({ errorLine }: AgentReader, events: ReturnType<typeof joinTexts>) {
  let tail: Buffer = NOTHING;
  const lines = createLineSplitter({
    limitBytes: MAX_ERROR_LINE,
    onLine: (line) => errorLine?.(line).forEach(events.add),
    onLongLine: () => undefined,
  });
  return {
    push: (chunk: Buffer): void => {
      tail = Buffer.concat([tail, chunk]).subarray(-MAX_STDERR);
      if (errorLine === undefined) return;
      lines.push(chunk);
      events.flush();
    },
    tail: (): string => tail.toString(),
  };
}

const NOTHING = Buffer.alloc(0);

/** Adds up what is read, and how long that takes us. */
function createMeter() {
  let lastAt = 0;
  let taken: Taken = { bytes: 0, ms: 0 };
  return {
    lastAt: (): number => lastAt,
    taken: (): Taken => taken,
    measure: (bytes: number, use: () => void): void => {
      const start = performance.now();
      use();
      lastAt = performance.now();
      taken = { bytes: taken.bytes + bytes, ms: taken.ms + lastAt - start };
    },
  };
}

/** One chunk after the other, each used up before the next is read: an agent that is faster than that has to wait. */
async function eachChunk(stream: Readable, use: (chunk: Buffer) => Promise<void> | undefined | void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(error);
      stream.destroy();
    };
    stream.on("data", (chunk: Buffer) => {
      try {
        const wait = use(chunk);
        if (wait === undefined) return;
        stream.pause();
        void wait.then(() => stream.resume(), fail);
      } catch (error) {
        fail(error);
      }
    });
    stream.once("error", reject);
    // At its end, and also when we closed it while another process held it open.
    stream.once("close", resolve);
  });
}

/** Writes at once: a file takes a chunk in microseconds, and to have another thread do it takes many times that. */
function openLog(path: string) {
  let file: number | undefined;
  const open = (): number => (file ??= orWriteError(path, () => inMadeFolder(path, () => openSync(path, "a"), 0o700)));
  return {
    /** How much is in it already. */
    open: (): number => fstatSync(open()).size,
    write: (chunk: Buffer): void => {
      const opened = open();
      orWriteError(path, () => writeFileSync(opened, chunk));
    },
    close: (): void => orWriteError(path, () => void (file !== undefined && closeSync(file))),
  };
}
