import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEventQueue } from "./event-queue.ts";

const nobody = async (): Promise<void> => undefined;

describe("event queue", () => {
  test("every listener hears all from its beginning on, in order, however slowly it takes it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 30 }), async (bursts) => {
        const queue = createEventQueue<number>(nobody);
        const hear = async (pause: number): Promise<number[]> => {
          const heard: number[] = [];
          for await (const value of queue) {
            heard.push(value);
            for (let turn = 0; turn < pause; turn += 1) await Promise.resolve();
          }
          return heard;
        };
        const [fast, slow] = [hear(0), hear(7)];
        let next = 0;
        for (const size of bursts) {
          for (let count = 0; count < size; count += 1) queue.push(next++);
          await queue.caughtUp();
          await Promise.resolve();
        }
        queue.end();
        const all = Array.from({ length: next }, (_, index) => index);
        expect([await fast, await slow]).toEqual([all, all]);
      }),
    );
  });

  test("all who make values wait for a listener that is far behind, and for nobody if none listens", async () => {
    const queue = createEventQueue<number>(nobody);
    for (let value = 0; value < 1000; value += 1) queue.push(value);
    expect(queue.caughtUp()).toBeUndefined();
    const listener = queue[Symbol.asyncIterator]();
    const first = listener.next();
    for (let value = 0; value < 1000; value += 1) queue.push(value);
    let isBehind = true;
    const wait = queue.caughtUp()!.then(() => (isBehind = false));
    const other = queue.caughtUp()!;
    expect(await first).toEqual({ done: false, value: 0 });
    for (let taken = 1; taken < 700; taken += 1) await listener.next();
    expect(isBehind).toBe(true);
    for (let taken = 700; taken < 800; taken += 1) await listener.next();
    await Promise.all([wait, other]);
    expect(queue.caughtUp()).toBeUndefined();
  });

  test("who leaves early is told of, once the end has come is not; an error reaches every listener", async () => {
    let left = 0;
    const queue = createEventQueue<number>(async () => (left += 1));
    const leave = (async () => {
      for await (const _ of queue) break;
    })();
    queue.push(1);
    await leave;
    const failing = (async () => {
      for await (const _ of queue);
    })();
    queue.end(new Error("Broken"));
    await expect(failing).rejects.toThrow("Broken");
    expect(left).toBe(1);
  });
});
