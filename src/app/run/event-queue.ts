/** A queue that each listener reads at its own pace. */
export interface EventQueue<Value> extends AsyncIterable<Value> {
  readonly push: (value: Value) => void;
  /** Ends the queue; an error is thrown to every listener. */
  readonly end: (error?: unknown) => void;
  /** Resolves when every listener has kept up; undefined: they have. */
  readonly caughtUp: () => Promise<void> | undefined;
}

/** How far a listener may fall behind before the producer waits. */
const MOST_WAITING = 256;

interface Listener<Value> {
  readonly waiting: Value[];
  /** Called when something has come, or has been taken. */
  wake: () => void;
}

/** Each `for await` gets the values from then on. `onLeave` is called when one is left before the end. */
export function createEventQueue<Value>(onLeave: () => Promise<unknown>): EventQueue<Value> {
  const listeners = new Set<Listener<Value>>();
  let ended: { readonly error: unknown } | undefined;
  // Several sessions may wait, such as an agent's and those of parallel hooks.
  const producers: (() => void)[] = [];
  const isBehind = (): boolean => [...listeners].some(({ waiting }) => waiting.length > MOST_WAITING);
  const taken = (): void => {
    if (!isBehind()) for (const resume of producers.splice(0)) resume();
  };
  async function* listen(): AsyncGenerator<Value, void> {
    const listener: Listener<Value> = { waiting: [], wake: () => undefined };
    listeners.add(listener);
    try {
      for (;;) {
        while (listener.waiting.length > 0) {
          yield listener.waiting.shift()!;
          taken();
        }
        if (ended !== undefined) break;
        await new Promise<void>((resolve) => (listener.wake = resolve));
      }
      if (ended.error !== undefined) throw ended.error as Error; // as it was thrown
    } finally {
      listeners.delete(listener);
      taken();
      if (ended === undefined) await onLeave();
    }
  }
  return {
    push: (value) => {
      for (const listener of listeners) {
        listener.waiting.push(value);
        listener.wake();
      }
    },
    end: (error) => {
      ended ??= { error };
      for (const { wake } of listeners) wake();
    },
    caughtUp: () => (isBehind() ? new Promise((resolve) => void producers.push(resolve)) : undefined),
    [Symbol.asyncIterator]: listen,
  };
}
