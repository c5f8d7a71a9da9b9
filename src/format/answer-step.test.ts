import { expect, test } from "vitest";
import { answerStep } from "./answer-step.ts";

test.each([
  ["Already done? The gates pass.", "ralphctl task answer t-1 yes", "any other answer starts a session"],
  [
    "May it change how proof is done? To allow it: ralphctl task allow t-1; if not: ralphctl task answer t-1 no",
    "ralphctl task allow t-1",
    "ralphctl task show t-1 shows the change",
  ],
  ["Which port?", "ralphctl task answer t-1 TEXT", "answer the question"],
])("T-10 T-22 the command after a question works as it is typed: %s", (question, command, what) => {
  expect(answerStep({ id: "t-1", question })).toEqual([command, what]);
});
