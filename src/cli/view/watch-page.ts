import { printable } from "../../domain/printable.ts";
import type { Terminal } from "../io.ts";
import { stylePage } from "./page-styles.ts";
import type { Palette } from "./palette.ts";
import { createScreen } from "./screen.ts";

const EVERY_MS = 2000;
/** q, Ctrl-C, Ctrl-D and Escape. */
const LEAVE = new Set(["q", "\u0003", "\u0004", "\u001b"]);

/** Shows a page that is made again every two seconds, until the person leaves. The last one stays on the screen. */
export async function watchPage(
  text: () => Promise<string>,
  { terminal, stop, palette }: { readonly terminal: Terminal; readonly stop: AbortSignal; readonly palette: Palette },
): Promise<void> {
  let raw = "";
  const page = (): string[] => stylePage(raw, { palette, width: terminal.size().columns - 1 }).split("\n");
  const screen = createScreen(terminal.write, () => fitted(page(), terminal.size().rows));
  const keys = new AbortController();
  const left = AbortSignal.any([stop, keys.signal]);
  const close = terminal.open({
    onKeys: (typed) => LEAVE.has(typed) && keys.abort(),
    onResize: screen.redraw,
    onLeave: screen.hide,
    onReturn: screen.show,
  });
  try {
    screen.show();
    while (!left.aborted) {
      raw = printable(await text()).trimEnd();
      screen.refresh();
      await pause(left);
    }
    screen.print(page());
  } finally {
    screen.close();
    close();
  }
}

const pause = async (signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, EVERY_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

/** What fits, with a line that says how to leave. */
function fitted(page: readonly string[], rows: number): string[] {
  const room = Math.max(1, rows - 3);
  const more = page.length > room ? `… ${page.length - room} more lines · ` : "";
  return [...page.slice(0, room), "", `${more}q leaves`];
}
