import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildPromptPreamble } from "./preamble.ts";
import { assemblePrompt, type PromptParts } from "./ralph-prompt.ts";
import { textOf } from "./section.ts";

const prompt = (parts: PromptParts): string => textOf(assemblePrompt(parts));
const body = [{ name: "prompt", text: "Do it." }];
const change = { id: "014-01_add-docs", text: "# Why\n\nBecause.\n" };
const module = { id: "014", text: "Docs live here." };

describe("the task", () => {
  test("S002-05 is change, module and user prompt, joined", () => {
    expect(prompt({ body, change, module })).toBe(
      "## Change Proposal (014-01_add-docs)\n\n# Why\n\nBecause.\n\n\n---\n\n## Module (014)\n\nDocs live here.\n\n---\n\nDo it.",
    );
  });

  test("S002-05 has the user prompt even when that is empty", () => {
    expect(prompt({ body: [{ name: "prompt", text: "" }], module })).toBe(
      "## Module (014)\n\nDocs live here.\n\n---\n\n",
    );
    expect(prompt({ body: [] })).toBe("");
  });

  test("S002-06 stands alone without an iteration, untrimmed", () => {
    expect(prompt({ body: [{ name: "prompt", text: " x \n" }], contextContent: "c" })).toBe(" x \n");
  });

  test("S002-06 stands in the preamble with one, the whole trimmed", () => {
    expect(prompt({ body, change, iteration: 2, maxIterations: 5, contextContent: "c" })).toBe(
      buildPromptPreamble({
        iteration: 2,
        maxIterations: 5,
        minIterations: 1,
        completionPromise: "COMPLETE",
        contextContent: "c",
        task: "## Change Proposal (014-01_add-docs)\n\n# Why\n\nBecause.\n\n\n---\n\nDo it.",
      }),
    );
  });
});

describe("other layouts", () => {
  const parts = { body, change, module, iteration: 1, contextContent: "ctx", validationFailure: "red" } as const;

  test("S004-D3 D-14 preamble-first: preamble, context, validation, change, module, prompt, with --- between", () => {
    const preamble = buildPromptPreamble({ iteration: 1, completionPromise: "COMPLETE", task: "" }).replace(
      "## Your Task\n\n\n\n",
      "\n",
    );
    expect(prompt({ ...parts, layout: "preamble-first" })).toBe(
      [
        preamble,
        "## Additional Context (added by user mid-loop)\n\nctx",
        "## Validation Failure (completion rejected)\n\nRalph detected a completion promise, but it was rejected because validation failed. Fix the issues below and try again.\n\nred",
        "## Change Proposal (014-01_add-docs)\n\n# Why\n\nBecause.\n",
        "## Module (014)\n\nDocs live here.",
        "Do it.",
      ].join("\n\n---\n\n"),
    );
  });

  test("S004-K2 without the preamble, context and failure stay", () => {
    expect(prompt({ ...parts, preamble: false, change: undefined, module: undefined })).toBe(
      [
        "## Additional Context (added by user mid-loop)\n\nctx",
        "## Validation Failure (completion rejected)\n\nRalph detected a completion promise, but it was rejected because validation failed. Fix the issues below and try again.\n\nred",
        "Do it.",
      ].join("\n\n---\n\n"),
    );
  });

  test("D-14 a template of one's own", () => {
    const template =
      "Round {iteration} of {max}, from {min}. \\{task}\n{context}\n{validation}\n{task}\nSay {promise}. Again: {task}";
    expect(prompt({ body, iteration: 4, completionPromise: "OK", contextContent: "{promise}", template })).toBe(
      "Round 4 of unlimited, from 1. {task}\n## Additional Context (added by user mid-loop)\n\n{promise}\n\nDo it.\nSay OK. Again: Do it.",
    );
  });

  test("D-14 a template that does not mention context and failure gets them before the task", () => {
    expect(prompt({ body, iteration: 1, contextContent: "c", template: "Go.\n\n{task}" })).toBe(
      "Go.\n\n## Additional Context (added by user mid-loop)\n\nc\n\n---\n\nDo it.",
    );
  });

  test("D-14 a template without the task is refused", () => {
    expect(() => prompt({ body, iteration: 1, template: "Work! \\{task}" })).toThrow("has no {task}");
  });
});

describe("sections", () => {
  test("put together they are the prompt, in every layout", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "---", "{task}", "## Your Task") });
    fc.assert(
      fc.property(
        fc.record({ one: text, two: text, context: text }),
        fc.constantFrom("wrapped", "preamble-first", "none"),
        ({ one, two, context }, layout) => {
          const sections = assemblePrompt({
            body: [
              { name: "prompt", text: one },
              { name: "task", text: two },
            ],
            iteration: 1,
            contextContent: context,
            ...(layout === "none" ? { preamble: false } : { layout }),
          });
          expect(textOf(sections)).toBe(textOf(sections).trim());
          expect(sections.every((section) => section.text !== "")).toBe(true);
          if (one.trim() !== "") expect(textOf(sections)).toContain(one.trim());
        },
      ),
    );
  });

  test("have names", () => {
    const names = assemblePrompt({ body, change, module, iteration: 1, contextContent: "c", validationFailure: "v" });
    expect(names.map((section) => section.name)).toEqual([
      "preamble",
      "context",
      "validation-failure",
      "preamble",
      "change",
      "module",
      "prompt",
      "preamble",
    ]);
  });
});
