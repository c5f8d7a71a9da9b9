import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { buildPromptPreamble, type PreambleOptions } from "./preamble.ts";

const SEED = readFileSync(new URL("./fixtures/preamble.txt", import.meta.url), "utf8");

/** The seed's own way to fill its text, written down a second time. */
function seedText(options: PreambleOptions): string {
  const context = options.contextContent?.trim() ?? "";
  const failure = options.validationFailure?.trim() ?? "";
  const values: Record<string, string> = {
    "{iteration}": String(options.iteration),
    "{context_section}": context && `\n## Additional Context (added by user mid-loop)\n\n${context}\n\n---\n`,
    "{validation_section}":
      failure &&
      "\n## Validation Failure (completion rejected)\n\nRalph detected a completion promise, but it was rejected because " +
        `validation failed. Fix the issues below and try again.\n\n${failure}\n\n---\n`,
    "{task}": options.task,
    "{completion_promise}": options.completionPromise,
    "{max_str}": options.maxIterations ? ` / ${options.maxIterations}` : " (unlimited)",
    "{min_iterations}": String(options.minIterations ?? 1),
  };
  return SEED.replaceAll(/\{[a-z_]+\}/g, (name) => values[name]!);
}

describe("the preamble is the seed's text, whole", () => {
  const base = {
    iteration: 3,
    maxIterations: 10,
    minIterations: 1,
    completionPromise: "DONE_TOKEN",
    task: "Test task",
  };
  const cases: Record<string, PreambleOptions> = {
    "S002-02 plain": base,
    "S002-03 with context": { ...base, contextContent: "\n extra context \n" },
    "S002-03 with a validation failure": { ...base, validationFailure: "task X not done\n" },
    "S002-03 with both, context first": { ...base, contextContent: "c", validationFailure: "v" },
    "S002-03 blank context and failure are left out": { ...base, contextContent: " \n", validationFailure: "" },
    "S002-03 null context and failure are left out": { ...base, contextContent: null, validationFailure: null },
    "S002-04 no maximum": { iteration: 1, completionPromise: "COMPLETE", task: "t" },
    "S002-04 a maximum of 0": { ...base, maxIterations: 0 },
    "S004-D1 S004-D2 another minimum and promise, from its options alone": {
      ...base,
      minIterations: 4,
      completionPromise: "SHIPPED",
    },
    "a task of several lines with sigils in it": {
      ...base,
      task: "a\n\n## Instructions\n<promise>COMPLETE</promise>\n",
    },
    "context that looks like a placeholder": { ...base, contextContent: "{task} $& {project}" },
  };

  test.each(Object.entries(cases))("%s", (_name, options) => {
    expect(buildPromptPreamble(options)).toBe(seedText(options));
  });
});

test("in company it neither forbids questions nor speaks of a loop without people", () => {
  const text = buildPromptPreamble({ iteration: 1, completionPromise: "COMPLETE", task: "Do it", isAttended: true });
  expect(text).toContain("## A person works with you");
  expect(text).not.toMatch(/autonom|no human|DO NOT ASK/i);
});
