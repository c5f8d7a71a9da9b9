import type { ChildProcess } from "node:child_process";

/** How long pipes may stay open when their process is gone. What it wrote is in them already. */
const OPEN_MS = 250;

/**
 * Closes the pipes of a process soon after its end. Processes that it left running may hold them open, and the `close`
 * event comes only when they are closed.
 */
export function closePipesAtExit(child: ChildProcess): void {
  child.once("exit", () => {
    // On a busy machine the time may be over before anybody has looked into the pipes. One look empties them.
    const timer = setTimeout(() => setImmediate(close), OPEN_MS);
    child.once("close", () => clearTimeout(timer));
  });
  const close = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
}
