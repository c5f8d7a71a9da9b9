import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseNextModelHint, parsePromise, parseTaskDone, parseTaskFailed } from "./plain.ts";

describe.each([
  ["task-done", parseTaskDone],
  ["task-failed", parseTaskFailed],
  ["promise", parsePromise],
] as const)("S001-R6 <%s>", (tag, parse) => {
  test.each([
    ["its content", `<${tag}>t-abc123</${tag}>`, "t-abc123"],
    ["trimmed", `<${tag}> t-abc123\n </${tag}>`, "t-abc123"],
    ["opaque: any text is an id", `x <${tag}>a b/../"c"</${tag}> y`, 'a b/../"c"'],
    ["the first of several", `<${tag}>a</${tag}><${tag}>b</${tag}>`, "a"],
    ["none without a sigil", "no sigil", undefined],
    ["none when empty", `<${tag}></${tag}>`, undefined],
    ["none when blank", `<${tag}> \n</${tag}>`, undefined],
    ["none when unclosed", `<${tag}>t-abc123`, undefined],
    ["none when closed before it opens", `</${tag}>t-1<${tag}>`, undefined],
    ["none for another case", `<${tag.toUpperCase()}>t-1</${tag.toUpperCase()}>`, undefined],
  ])("%s", (_name, text, expected) => {
    expect(parse(text)).toBe(expected);
  });

  test("never throws, and finds what was put between its tags", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, content) => {
        parse(before + content);
        fc.pre(!before.includes(`<${tag}>`) && !content.includes(`</${tag}>`));
        expect(parse(`${before}<${tag}>${content}</${tag}>`)).toBe(content.trim() || undefined);
      }),
    );
  });
});

describe("S001-R6 <next-model>", () => {
  test.each(["opus", "sonnet", "haiku"])("%s is known", (model) => {
    expect(parseNextModelHint(`so: <next-model> ${model} </next-model>`)).toBe(model);
  });

  test("another model only by configuration", () => {
    expect(parseNextModelHint("<next-model>gpt-6</next-model>")).toBe(undefined);
    expect(parseNextModelHint("<next-model>gpt-6</next-model>", ["gpt-6"])).toBe("gpt-6");
    expect(parseNextModelHint("<next-model>opus|sonnet|haiku</next-model>")).toBe(undefined);
  });
});
