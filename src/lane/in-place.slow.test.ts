import { test } from "vitest";
import { playInPlace } from "../../test/in-place-play.ts";

test("T-41 500 plays of a person and an agent in one lent tree", { timeout: 3_600_000 }, async () => {
  await playInPlace(500);
});
