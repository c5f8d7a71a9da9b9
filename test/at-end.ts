import { afterAll } from "vitest";

const ends: (() => unknown)[] = [];

// Said while a test file is read. What a running test gives to `afterAll` is forgotten without a word.
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Does this when the test file is through, the last given first; also where tests run side by side. */
export const atEnd = (end: () => unknown): void => void ends.push(end);
