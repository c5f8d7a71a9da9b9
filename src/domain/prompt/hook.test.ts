import { expect, test } from "vitest";
import { iterationFinished } from "../../../test/run-events.ts";
import { buildHookPrompt } from "./hook.ts";

test("S003-03 a hook of m42 finds the transcript by its own name for it", () => {
  const text = buildHookPrompt({
    prompt: "/m42-signs:extract $ITERATION_TRANSCRIPT\n",
    event: iterationFinished,
    point: "iteration-end",
    folder: "/w/.ralph/runs/r-1/3",
  });
  expect(text.split("\n")[0]).toBe("/m42-signs:extract /w/.ralph/runs/r-1/3/transcript.ndjson");
});
