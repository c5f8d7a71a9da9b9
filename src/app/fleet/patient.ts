import { RalphError } from "../../domain/error.ts";
import { sleep } from "../../system/sleep.ts";

/** What is said about a database that is away, and when it is back. */
export interface Patience {
  /** By our own clock: afterwards others may have what was ours. */
  readonly limitMs: number;
  readonly stop: AbortSignal;
  readonly onAway: (error: RalphError) => void;
  readonly onBack: () => void;
}

/** These may have happened although no answer came: to do them again would do them twice. Others are not asked and done. */
const ONCE = new Set<string | symbol>(["add", "addStream", "each", "done", "preview", "close", "listen", "ask"]);

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/** F-07: the same object, whose methods try again while the database is away. */
export function patient<Subject extends object>(subject: Subject, patience: Patience): Subject {
  let isAway = false;
  const tryAgain = async (call: () => Promise<unknown>): Promise<unknown> => {
    const from = performance.now();
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        const answer = await call();
        if (isAway) patience.onBack();
        isAway = false;
        return answer;
      } catch (error) {
        if (!(error instanceof RalphError) || error.kind !== "unavailable") throw error;
        if (!isAway) patience.onAway(error);
        isAway = true;
        if (patience.stop.aborted || performance.now() - from > patience.limitMs) throw error;
      }
      await sleep(waitMs, patience.stop);
    }
  };
  return new Proxy(subject, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || ONCE.has(name) || typeof name === "symbol") return value;
      return async (...args: readonly unknown[]) =>
        await tryAgain(async () => (await Reflect.apply(value, target, args)) as unknown);
    },
  });
}
