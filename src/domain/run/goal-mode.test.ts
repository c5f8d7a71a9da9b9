import { expect, test } from "vitest";
import { goalMode, isOutOfIdeas } from "./goal-mode.ts";

test("S003-05 D-12 three fruitless iterations, then two that look back, then it is stuck", () => {
  const iterations = [0, 1, 2, 3, 4, 5].map((idle) => (isOutOfIdeas(idle, 3) ? "stuck" : goalMode(idle, 3)));
  expect(iterations).toEqual(["planning", "planning", "planning", "reflecting", "reflecting", "stuck"]);
});
