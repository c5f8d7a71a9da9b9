import { isInForeground } from "../app/foreground.ts";
import { startTerminalGuard } from "../app/terminal-guard.ts";
import type { Terminal, TerminalListener } from "./io.ts";

const USUAL = { columns: 80, rows: 24 };
/** How often a background process checks for the terminal: `fg` does not always send a signal. */
const LOOK_MS = 500;

/** The terminal of a real process; undefined when it is in the background, where it may not touch it. */
export function processTerminal(host: NodeJS.Process): Terminal | undefined {
  const { stdin, stdout } = host;
  if (!isInForeground()) return undefined;
  let opened: Opened | undefined;
  return {
    size: () => ({ columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows }),
    write: (text) => void stdout.write(text),
    hasKeys: stdin.isTTY,
    open: (listener) => {
      opened = openOn(host, listener);
      return opened.close;
    },
    // To the whole process group, as a terminal does.
    interrupt: () => void host.kill(0, "SIGINT"),
    suspend: () => {
      opened?.leave();
      host.kill(0, "SIGTSTP");
    },
    quit: () => {
      opened?.leave();
      host.kill(0, "SIGQUIT");
    },
  };
}

interface Opened {
  /** Leaves until the process is in the foreground again; at once where it cannot be suspended. */
  readonly leave: () => void;
  readonly close: () => void;
}

function openOn(host: NodeJS.Process, { onKeys, onResize, onLeave, onReturn }: TerminalListener): Opened {
  const { stdin, stdout } = host;
  const decoder = new TextDecoder();
  const onData = (bytes: Uint8Array): void => onKeys(decoder.decode(bytes, { stream: true }));
  const guard = stdin.isTTY ? startTerminalGuard(host.env["PATH"] ?? "") : undefined;
  let isHere = false;
  let looking: NodeJS.Timeout | undefined;
  const enter = (): void => {
    isHere = true;
    if (!stdin.isTTY) return;
    // Off first: another process may have changed the mode without Node knowing.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    guard?.taken();
    stdin.on("data", onData);
    stdin.resume();
  };
  const end = (): void => {
    clearInterval(looking);
    if (!isHere) return;
    isHere = false;
    onLeave();
    if (!stdin.isTTY) return;
    stdin.off("data", onData);
    stdin.pause();
    if (isInForeground()) stdin.setRawMode(false);
    guard?.left();
  };
  const comeBack = (): void => {
    if (isHere || !isInForeground()) return;
    clearInterval(looking);
    enter();
    onReturn();
  };
  const leave = (): void => {
    end();
    looking = setInterval(comeBack, LOOK_MS).unref();
  };
  /** After `fg` or `bg`. */
  const onContinued = (): void => {
    leave();
    comeBack();
  };
  const close = (): void => {
    end();
    guard?.end();
    stdout.off("resize", onResize);
    host.off("SIGCONT", onContinued).off("exit", end);
  };
  stdout.on("resize", onResize);
  // A closed terminal fails every read, also later; the output reports it.
  stdin.on("error", ignore);
  // Whatever ends the process, the terminal is left in order.
  host.on("SIGCONT", onContinued).on("exit", end);
  enter();
  return { leave, close };
}

const ignore = (): void => undefined;
