import { describe, expect, test } from "vitest";
import { defaultConfigText, editConfigText } from "./config.ts";

const SETUP = { lanes: { setup: 'make "deps"' } };

describe("T-02 keys are added to a configuration", () => {
  test("to the file that init writes, and nothing else changes", async () => {
    const text = defaultConfigText({ harness: "codex" });
    const edited = await editConfigText(text, { ...SETUP, verify: { in: "tree" } });
    expect(edited).toBe(
      `${text.replace("verify:\n", 'verify:\n  in: "tree"\n')}\nlanes:\n  setup: "make \\"deps\\""\n`,
    );
  });

  test.each([
    ["an empty file", "", 'lanes:\n  setup: "make \\"deps\\""\n'],
    ["a comment alone", "# mine\n", '# mine\n\nlanes:\n  setup: "make \\"deps\\""\n'],
    [
      "a group with its own indentation",
      "lanes: # mine\n\n    # more\n    keep: [a]\nspecs: ~\n",
      'lanes: # mine\n    setup: "make \\"deps\\""\n\n    # more\n    keep: [a]\nspecs: ~\n',
    ],
  ])("%s", async (_name, text, edited) => {
    expect(await editConfigText(text, SETUP)).toBe(edited);
  });

  test.each([
    ["the key is there already", "lanes:\n  setup: ~\n"],
    ["the group is on one line", "lanes: { keep: [a] }\n"],
    ["the file is broken", "lanes: [\n"],
    ["the file is no mapping", "- lanes\n"],
    ["the group is quoted", '"lanes":\n  keep: [a]\n'],
  ])("not where %s", async (_name, text) => {
    expect(await editConfigText(text, SETUP)).toBe(undefined);
  });
});
