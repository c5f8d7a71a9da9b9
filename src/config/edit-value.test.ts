import { describe, expect, test } from "vitest";
import { defaultConfigText } from "./config.ts";
import { withValue } from "./edit-value.ts";

const FILE = `# Mine
harness: claude   # the best

limits:   # of one run
  # cost: ~
  attempts: 3 # enough
harnesses:
  claude:
    # model: ~
notify: { slack: $A }
gates:
  - { id: test, run: npm test }
`;

describe("config set and unset", () => {
  test.each<[string, readonly string[], unknown, readonly [string, string]]>([
    ["a value, beside its comment", ["limits", "attempts"], 5, ["  attempts: 3 # enough", "  attempts: 5 # enough"]],
    ["the first of a group", ["harness"], ["claude", "codex"], ["harness: claude ", 'harness: ["claude","codex"] ']],
    ["one more of a group", ["limits", "cost"], 7.5, ["one run\n", "one run\n  cost: 7.5\n"]],
    ["in an empty group", ["harnesses", "claude", "model"], "opus", ["  claude:\n", "  claude:\n    model: opus\n"]],
    ["a group that is not there", ["git", "branch"], "next", ["npm test }\n", "npm test }\n\ngit:\n  branch: next\n"]],
    [
      "a value that needs quotes",
      ["git", "branch"],
      "#1: x",
      ["npm test }\n", 'npm test }\n\ngit:\n  branch: "#1: x"\n'],
    ],
    ["nothing", ["limits", "attempts"], undefined, ["  attempts: 3 # enough\n", ""]],
    ["nothing instead of a list", ["gates"], undefined, ["gates:\n  - { id: test, run: npm test }\n", ""]],
    ["what is there already", ["limits", "attempts"], 3, ["", ""]],
    ["what is not there", ["git", "branch"], undefined, ["", ""]],
  ])("E-04 sets %s, and every other byte stays", (_, path, value, [from, to]) => {
    expect(withValue(FILE, path, value)).toBe(FILE.replace(from, to));
  });

  test("E-04 in a mapping on one line comments stay", () => {
    const text = withValue(FILE, ["notify", "ntfy"], "$B")!;
    expect(text).toContain("notify: { slack: $A, ntfy: $B }");
    expect(text).toContain("# cost: ~");
    expect(withValue(text, ["notify", "slack"], "$C")).toContain("slack: $C, ntfy: $B");
  });

  test("E-04 the file that init writes takes every key, and gives it back", () => {
    const text = defaultConfigText({ harness: "claude" });
    const set = withValue(text, ["limits", "cost"], 5)!;
    expect(set).toBe(text.replace("\nlimits:\n", "\nlimits:\n  cost: 5\n"));
    expect(withValue(set, ["limits", "cost"], undefined)).toBe(text);
    expect(withValue("", ["limits", "cost"], 5)).toBe("limits:\n  cost: 5\n");
    expect(withValue("- a\n", ["limits", "cost"], 5)).toBeUndefined();
  });
});
