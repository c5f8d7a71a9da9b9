import { signal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { waitBefore } from "./back-off.ts";
import { ApiError, getText, mayPass } from "./client.ts";

/** What the server last said, and what went wrong since. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: ApiError | undefined;
}

interface Entry {
  readonly state: Signal<Loaded<unknown>>;
  /** How many parts of the page show it. */
  users: number;
  text: string;
  isBusy: boolean;
  isStale: boolean;
  /** How often it failed in a row, and when it is asked for again. */
  tries: number;
  retry: ReturnType<typeof setTimeout> | undefined;
}

const entries = new Map<string, Entry>();

function entryAt(path: string): Entry {
  const known = entries.get(path);
  if (known !== undefined) return known;
  const state = signal<Loaded<unknown>>({ value: undefined, error: undefined });
  const entry: Entry = { state, users: 0, text: "", isBusy: false, isStale: false, tries: 0, retry: undefined };
  entries.set(path, entry);
  return entry;
}

/**
 * One request at a time: what changes meanwhile is asked for again afterwards. So is what failed: nothing else would, until
 * something changes, and what is shown would stay wrong.
 */
async function refresh(path: string, entry: Entry): Promise<void> {
  entry.isStale = entry.isBusy;
  if (entry.isBusy) return;
  entry.isBusy = true;
  clearTimeout(entry.retry);
  try {
    const text = await getText(path);
    if (text !== entry.text || entry.state.value.error !== undefined) {
      entry.text = text;
      entry.state.value = { value: JSON.parse(text), error: undefined };
    }
    entry.tries = 0;
  } catch (error) {
    const known = error instanceof ApiError ? error : new ApiError(0, "The answer could not be read.", String(error));
    takeFailure(path, entry, known);
  }
  entry.isBusy = false;
  if (entry.isStale) await refresh(path, entry);
}

/** What may pass, such as a busy store, is told when it fails again. */
function takeFailure(path: string, entry: Entry, error: ApiError): void {
  const isPassing = mayPass(error);
  if (!isPassing || entry.tries > 0) entry.state.value = { ...entry.state.value, error };
  if (!isPassing) return;
  entry.retry = setTimeout(
    () => {
      if (entry.users > 0) void refresh(path, entry);
    },
    waitBefore(entry.tries, Math.random()),
  );
  entry.tries += 1;
}

/** Asks again for everything that is shown. */
export function refreshAll(): void {
  for (const [path, entry] of entries) if (entry.users > 0) void refresh(path, entry);
}

/** A value of the API by its path; fetched again whenever the workspace changes. Parts that show the same share it. */
export function useLoaded<Value>(path: string): Loaded<Value> {
  const entry = useMemo(() => entryAt(path), [path]);
  useEffect(() => {
    entry.users += 1;
    void refresh(path, entry);
    return () => {
      entry.users -= 1;
      if (entry.users === 0) entries.delete(path);
    };
  }, [path, entry]);
  return entry.state.value as Loaded<Value>;
}
