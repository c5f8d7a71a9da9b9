import { expect, test } from "vitest";
import { createMemory } from "./memory.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

test("P-30 a memory keeps what is asked for again and again, and forgets the rest once it is full", () => {
  const memory = createMemory<Buffer>(100_000, ({ length }) => length);
  memory.set("often", Buffer.alloc(1000));
  const kept = numbers(1000).filter((name) => {
    memory.set(name, Buffer.alloc(1000));
    return memory.get("often") === undefined;
  });
  const known = numbers(1000).filter(memory.has);
  expect({ kept, isBounded: known.length <= 100, newest: known.at(-1) }).toEqual({
    kept: [],
    isBounded: true,
    newest: "999",
  });
});

test("P-30 a value that is larger than the whole memory is known until the next one", () => {
  const memory = createMemory<Buffer>(1000, ({ length }) => length);
  memory.set("large", Buffer.alloc(5000));
  expect(memory.get("large")?.length).toBe(5000);
  for (const name of numbers(10)) memory.set(name, Buffer.alloc(200));
  expect(memory.get("large")).toBe(undefined);
});

test("P-30 many small values fill a memory, too", () => {
  const memory = createMemory<string>(10_000, () => 0);
  for (const name of numbers(1000)) memory.set(name, name);
  expect(numbers(1000).filter(memory.has).length).toBeLessThanOrEqual(40);
});
