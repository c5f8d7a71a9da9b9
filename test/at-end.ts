import { afterAll } from "vitest";

const ends: (() => unknown)[] = [];

/** Seven hundred workspaces take a while to remove. */
const LONGEST_MS = 900_000;

/** Does this when the test file is through, the last given first; also where tests run side by side. */
export const atEnd = (end: () => unknown): void => void ends.push(end);

/**
 * Called by `test/setup.ts` for each test file, while it is read: vitest forgets without a word what a running test
 * gives to `afterAll`, and files share their modules.
 */
export function runEndsAfterFile(): void {
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  }, LONGEST_MS);
}
