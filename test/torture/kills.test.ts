import { expect, test } from "vitest";
import { killCases } from "./kill-cases.ts";

for (const { name, proves, about, required, play, expected } of killCases.filter(({ slow }) => slow === undefined)) {
  test.concurrent(
    `${proves} ${name}: ${about} ${required}`,
    async () => expect(await play()).toEqual(expected),
    240_000,
  );
}
