import { RalphError } from "../../domain/error.ts";
import { sleep } from "../../system/sleep.ts";

/** What is said about a database that is away, and when it is back: once each, whatever was asked of it. */
interface Patience {
  readonly stop: AbortSignal;
  readonly onAway: (error: RalphError) => void;
  readonly onBack: () => void;
}

/** These may have happened although no answer came: to do them again would do them twice. Others are not asked and done. */
const ONCE = new Set<string | symbol>(["add", "addStream", "each", "done", "preview", "close", "listen", "ask"]);

/** Signs of life come again by themselves: those that wait would only pile up. */
const AGAIN_ANYWAY = new Set<string | symbol>(["beat", "beatRun", "keepLander"]);

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
/** A connection may break without a reason; the next one tells. */
const SILENT_TRIES = 2;

/**
 * F-07: the same objects, whose methods try again while the database is away, for as long as nobody stops the run. A lease
 * that runs out meanwhile is fenced.
 */
export function patience({ stop, onAway, onBack }: Patience): <Subject extends object>(subject: Subject) => Subject {
  /** How often all who wait have waited, together. */
  let tries = 0;
  let isSaid = false;
  let waiting: Promise<unknown> | undefined;
  const wait = async (): Promise<void> => {
    waiting ??= sleep(Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS), stop).finally(() => (waiting = undefined));
    await waiting;
  };
  const answered = (): void => {
    tries = 0;
    if (isSaid) onBack();
    isSaid = false;
  };
  const failed = async (error: unknown): Promise<void> => {
    if (!(error instanceof RalphError) || error.kind !== "unavailable" || stop.aborted) throw error;
    if (waiting === undefined) tries += 1;
    if (!isSaid && tries > SILENT_TRIES) {
      onAway(error);
      isSaid = true;
    }
    await wait();
  };
  const tryAgain = async (call: () => Promise<unknown>): Promise<unknown> => {
    for (;;) {
      try {
        const answer = await call();
        answered();
        return answer;
      } catch (error) {
        await failed(error);
      }
    }
  };
  return (subject) =>
    new Proxy(subject, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        const isPlain = typeof value !== "function" || typeof name === "symbol";
        if (isPlain || ONCE.has(name) || AGAIN_ANYWAY.has(name)) return value;
        return async (...args: readonly unknown[]) =>
          await tryAgain(async () => (await Reflect.apply(value, target, args)) as unknown);
      },
    });
}
