import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freeBlock } from "./free-port.ts";

test("L-06 a lane has a block of ports by its number, and a block whose first port is taken is skipped", async () => {
  const first = await freeBlock(67);
  expect((first - 42_000 - 6700) % 1000).toBe(0);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(first, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const second = await freeBlock(67);
  expect(second).toBeGreaterThan(first);
  expect((second - first) % 1000).toBe(0);
});

test("L-06 the room's ports are no lane's", async () => {
  expect(((await freeBlock("room")) - 41_900) % 1000).toBe(0);
});
