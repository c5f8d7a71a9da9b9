import { expect, test } from "vitest";
import { foldSummary } from "./run-view.ts";

test("a summary breaks between words, and what is to be copied stays whole", () => {
  const text = `Blocked until you act

  Tasks       1 verified · 2 waiting for a person
  Cost        $0.70

Waiting for a person
  t-1a2b3c4d "Add login" asks: Which colour shall it have?

Next:
  ralphctl task answer t-1a2b3c4d "a long answer"
`;
  expect(foldSummary(text, 38)).toBe(`Blocked until you act

  Tasks       1 verified · 2 waiting
              for a person
  Cost        $0.70

Waiting for a person
  t-1a2b3c4d "Add login" asks: Which
  colour shall it have?

Next:
  ralphctl task answer t-1a2b3c4d "a long answer"
`);
});
