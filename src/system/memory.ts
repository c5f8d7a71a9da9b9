/** Values that never change, by name. */
export interface Memory<Value> {
  readonly get: (name: string) => Value | undefined;
  readonly has: (name: string) => boolean;
  readonly set: (name: string, value: Value) => unknown;
}

/** What a name and its place in a map take, about. */
const ENTRY_BYTES = 250;

/**
 * Remembers up to about this much and forgets what was not asked for lately: a run may last for days, and meets new values
 * in each iteration.
 */
export function createMemory<Value>(maxBytes: number, bytesOf: (value: Value) => number): Memory<Value> {
  let [recent, older] = [new Map<string, Value>(), new Map<string, Value>()];
  let bytes = 0;
  const set = (name: string, value: Value): void => {
    if (!recent.has(name)) bytes += ENTRY_BYTES + bytesOf(value);
    recent.set(name, value);
    if (bytes <= maxBytes / 2) return;
    [recent, older] = [new Map(), recent];
    bytes = 0;
  };
  return {
    get: (name) => {
      const known = recent.get(name);
      if (known !== undefined) return known;
      const value = older.get(name);
      if (value !== undefined) set(name, value);
      return value;
    },
    has: (name) => recent.has(name) || older.has(name),
    set,
  };
}
