import { setImmediate } from "node:timers/promises";

const LONGEST_MS = 30;

/**
 * B-04: for whoever reads much foreign text in many steps: between two of them, signals and timers get their turn, if none
 * had it for long. Undefined: there is no need to wait.
 */
export function createBreather(): () => Promise<void> | undefined {
  let last = performance.now();
  const pause = async (): Promise<void> => {
    await setImmediate();
    last = performance.now();
  };
  return () => (performance.now() - last < LONGEST_MS ? undefined : pause());
}
