import { listenTo, type Listening } from "../../system/postgres.ts";
import type { ListenOptions, Wake } from "../fleet.ts";
import { type Database, run } from "./connection.ts";

const ALL: readonly Wake[] = ["tasks", "runs", "requests", "landing", "asks"];

/** Without messages, as behind a pooler, asking is all there is: F-06 gives it a second. */
const UNHEARD_MS = 1000;
const HEARD_MS = 10_000;
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 10_000;

/**
 * Messages and, beneath them, a timer. Only a message that came back says that messages arrive: a pooler takes the
 * request and gives the connection to somebody else.
 */
export async function listen(
  c: Database & { readonly url: string },
  onWake: (what: Wake) => void,
  { pollMs = HEARD_MS }: ListenOptions = {},
): Promise<() => Promise<void>> {
  const channel = `ralphctl_${c.repository}`;
  let isOver = false;
  let isHeard = false;
  let listening: Listening | undefined;
  let retry: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  const wakeAll = (): void => ALL.forEach((what) => onWake(what));
  const again = (): void => {
    const most = isHeard ? pollMs : Math.min(pollMs, UNHEARD_MS);
    poll = setTimeout(
      () => {
        if (!isOver) wakeAll();
        if (!isOver) again();
      },
      most * (0.75 + Math.random() / 4),
    );
  };
  const pace = (heard: boolean): void => {
    if (isOver || heard === isHeard) return;
    isHeard = heard;
    clearTimeout(poll);
    again();
  };
  const onMessage = (text: string): void => {
    pace(true);
    if (!isOver && (ALL as readonly string[]).includes(text)) onWake(text as Wake);
  };
  const open = async (waitMs: number): Promise<void> => {
    const later = (): void => {
      pace(false);
      if (!isOver) retry = setTimeout(() => void open(Math.min(2 * waitMs, LAST_RETRY_MS)), waitMs);
    };
    try {
      const opened = await listenTo(c.url, channel, { onMessage, onLost: later });
      listening = opened;
      if (isOver) return await opened.close();
      await run(c, "SELECT pg_notify($1, 'heard')", channel);
      // What was said while nobody listened.
      if (waitMs > FIRST_RETRY_MS) wakeAll();
    } catch {
      later();
    }
  };
  again();
  await open(FIRST_RETRY_MS);
  return async () => {
    isOver = true;
    clearTimeout(poll);
    clearTimeout(retry);
    await listening?.close().catch(() => undefined);
  };
}
