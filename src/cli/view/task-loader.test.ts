import { expect, test, vi } from "vitest";
import { createTaskLoader } from "./task-loader.ts";

test("L-43 tasks are read again as soon as the run changes them, and at most once in a second", async () => {
  const load = vi.fn(async () => ({ next: [], ready: 0, waiting: [], asking: 0 }));
  const { changed, tick, tasks } = createTaskLoader({ load, isWanted: () => true, onLoaded: () => undefined });
  const reads = async (action: () => void): Promise<number> => {
    action();
    await vi.waitUntil(() => tasks() !== undefined, { timeout: 20_000 });
    return load.mock.calls.length;
  };
  expect([await reads(changed), await reads(changed), await reads(tick), await reads(tick)]).toEqual([1, 1, 2, 2]);
  expect(await reads(changed)).toBe(3);
});
