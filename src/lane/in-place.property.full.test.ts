import { test } from "vitest";
import { playInPlace } from "../../test/in-place-play.ts";

test(
  "T-41 whatever a person does around a lent tree, nothing of theirs is lost, and no commit leaves a branch",
  { timeout: 300_000 },
  async () => {
    await playInPlace(40);
  },
);
