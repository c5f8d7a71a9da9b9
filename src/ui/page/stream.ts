import { signal } from "@preact/signals";
import { waitBefore } from "./back-off.ts";
import { ApiError, ask, isKnown } from "./client.ts";
import { setClock, timeMs } from "./clock.ts";
import { changes, createFold, live } from "./live.ts";
import { goTo } from "./route.ts";
import { createSseReader } from "./sse.ts";
import { sayTrouble } from "./toast.tsx";

export type StreamState =
  | { readonly kind: "connecting" | "live" | "resting" }
  | { readonly kind: "offline"; readonly retryAtMs: number };

export const connection = signal<StreamState>({ kind: "connecting" });

/** The server sends a sign of life every 15 seconds; a laptop that slept has a dead connection. */
const SILENCE_MS = 40_000;
/** A fast run is drawn a few times a second. */
const DRAW_MS = 100;

let abort: AbortController | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let drawing: ReturnType<typeof setTimeout> | undefined;
let tries = 0;
let isFirst = true;
let holdsLock = false;
/** The run that the person chose; empty: the living one. */
let chosen = "";

const draw = (): void => {
  drawing ??= setTimeout(() => {
    drawing = undefined;
    live.value = fold.run();
  }, DRAW_MS);
};

const fold = createFold({
  changed: draw,
  lost: () => {
    fold.forget();
    reconnect();
  },
});

/** Only a tab that is seen, or the one that holds the lock, needs a stream: a browser has six connections to a server. */
const isNeeded = (): boolean => isKnown.value && (document.visibilityState === "visible" || holdsLock);

export function startStream(): void {
  document.addEventListener("visibilitychange", follow);
  globalThis.addEventListener("online", reconnect);
  // The first tab keeps it as long as it is open, and tells of news though nobody looks; then the next one gets it.
  void navigator.locks?.request("ralphctl-stream", async () => {
    holdsLock = true;
    follow();
    return await new Promise<void>(() => undefined);
  });
  follow();
}

/** Follows another run than the living one; empty: the living one again. */
export function chooseRun(run: string): void {
  if (run === chosen) return;
  chosen = run;
  fold.forget();
  live.value = undefined;
  reconnect();
}

/** Begins again at once, whatever the connection does. */
export function reconnect(): void {
  abort?.abort();
  abort = undefined;
  clearTimeout(retry);
  tries = 0;
  follow();
}

function follow(): void {
  if (!isNeeded()) {
    abort?.abort();
    abort = undefined;
    clearTimeout(retry);
    connection.value = { kind: "resting" };
  } else if (abort === undefined) {
    clearTimeout(retry);
    void connect();
  }
}

async function connect(): Promise<void> {
  const own = new AbortController();
  abort = own;
  if (connection.value.kind !== "offline") connection.value = { kind: "connecting" };
  try {
    const id = fold.lastId();
    const answer = await ask(`/events${chosen === "" ? "" : `?run=${encodeURIComponent(chosen)}`}`, {
      headers: id === "" ? {} : { "last-event-id": id },
      signal: own.signal,
    });
    greet(answer);
    await read(answer, own);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    if (error instanceof ApiError && error.status === 404 && abort === own) return leaveRun(error);
  }
  if (abort !== own) return;
  abort = undefined;
  comeBack();
}

/** The run that was to be followed is not kept any more: back to the living one, with a word about it. */
function leaveRun(error: ApiError): void {
  sayTrouble(error);
  chooseRun("");
  goTo("now");
}

function greet(answer: Response): void {
  tries = 0;
  connection.value = { kind: "live" };
  const date = Date.parse(answer.headers.get("date") ?? "");
  if (!Number.isNaN(date)) setClock(date);
  // After a break, anything may have changed.
  if (!isFirst) changes.value += 1;
  isFirst = false;
}

async function read(answer: Response, own: AbortController): Promise<void> {
  const take = createSseReader(fold.take);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let watch: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(watch);
    watch = setTimeout(() => own.abort(), SILENCE_MS);
  };
  try {
    for (heard(); ; heard()) {
      const { done, value } = await reader.read();
      if (done) return;
      take(value);
    }
  } finally {
    clearTimeout(watch);
  }
}

/** Says that the server is away, and when it is tried again. */
function comeBack(): void {
  const waitMs = waitBefore(tries, Math.random());
  tries += 1;
  connection.value = { kind: "offline", retryAtMs: timeMs() + waitMs };
  retry = setTimeout(follow, waitMs);
}
