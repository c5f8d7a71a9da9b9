import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanId, cleanPatch, cleanScope, cleanTask, cleanText, cleanTitle } from "./task-input.ts";
import { anyText } from "../../test/any-text.ts";

describe("titles", () => {
  test.each([
    ["one\nline\r\n\tonly ", "one line only"],
    ["NUL\u0000 and bell\u0007", "NUL and bell"],
    ["\u2028separators\u2029", "separators"],
    ["lone \ud83d surrogate", "lone \ufffd surrogate"],
    ["right\u202eto left stays: the terminal strips it", "right\u202eto left stays: the terminal strips it"],
    ["👩‍💻 emoji", "👩‍💻 emoji"],
  ])("%j becomes %j", (text, title) => {
    expect(cleanTitle(text)).toBe(title);
  });

  test("empty and huge ones are refused with a sentence", () => {
    expect(() => cleanTitle(" \n ")).toThrow("A task needs a title");
    expect(() => cleanTitle("x".repeat(1_000_000))).toThrow("The title has 1000000 characters; the limit is 10000");
  });

  test("any text becomes one well-formed line, and stays what it became", () => {
    fc.assert(
      fc.property(anyText({ minLength: 1, maxLength: 50 }), (text) => {
        const once = /[^\s\u0000-\u001f\u007f-\u009f]/u.test(text) ? cleanTitle(text) : "";
        expect(once).not.toMatch(/[\n\r\u0000\u2028]|\p{Surrogate}/u);
        if (once !== "") expect(cleanTitle(once)).toBe(once);
      }),
    );
  });
});

test("texts keep everything but NUL and lone surrogates", () => {
  expect(cleanText("a\u0000b\udc00\r\n", "description")).toBe("a\ufffdb\ufffd\r\n");
  expect(() => cleanText("x".repeat(1_000_001), "description")).toThrow("The description has 1000001 characters");
});

test.each(["", "..", ".hidden", "a/b", "a\\b", "a b", "a'b", 'a"b', "a;b", "a\u0000", "a..b", "x".repeat(65), "ä"])(
  "W-05 %j is no id",
  (id) => {
    expect(() => cleanId(id)).toThrow("cannot be the id of a task");
  },
);

test.each(["a", "t-0af3", "1.2.3", "A_b-c.d", "x".repeat(64)])("W-05 %j is an id", (id) => {
  expect(cleanId(id)).toBe(id);
});

test("scopes are paths of names that lead nowhere else", () => {
  for (const good of ["workspace", "project/auth", "change/014-01_x", "sprint/sprints/2026 q1"])
    expect(cleanScope(good)).toBe(good);
  for (const bad of ["", "../x", "project/../x", "project/.x", "/x", "project/", "project//x", "a\nb", "a\\b"]) {
    expect(() => cleanScope(bad)).toThrow("cannot be a scope");
  }
});

test.each<[object, string]>([
  [{ title: 5 }, "Title must be a string"],
  [{ title: undefined }, "A task needs a title"],
  [{ description: 5 }, "Description must be a string"],
  [{ id: 5 }, "Id must be a string"],
  [{ scope: 5 }, "Scope must be a string"],
  [{ reason: {} }, "Reason must be a string"],
  [{ acceptance: "all" }, "Acceptance must be a list"],
  [{ acceptance: [5] }, "Acceptance must be a string"],
  [{ needs: "b" }, "Needs must be a list"],
  [{ tags: [5] }, "Tags must be a string"],
  [{ tags: [" "] }, "An entry of tags is empty"],
  [{ gates: [5] }, "Gates must be an object"],
  [{ source: "PLAN.md" }, "Source must be an object"],
  [{ createdAt: 1.5 }, "CreatedAt must be a time, not 1.5"],
  [{ createdAt: Number.NaN }, "CreatedAt must be a time, not NaN"],
  [{ createdAt: "2020" }, "CreatedAt must be a time, not 2020"],
  [{ attempts: "1" }, "Attempts must be a whole number, not 1"],
])("%j is refused by the field's name", (more, message) => {
  const refusal = expect.objectContaining({ kind: "data", message });
  expect(() => cleanTask({ scope: "workspace", title: "a", ...more })).toThrow(refusal);
});

test("an edit is refused by the field's name too", () => {
  const flag = { allowNoChange: 1 } as unknown as { allowNoChange: boolean };
  expect(() => cleanPatch(flag)).toThrow("AllowNoChange must be true or false");
  expect(() => cleanPatch({ title: 5 } as unknown as { title: string })).toThrow("Title must be a string");
});

test("what makes no sense is refused", () => {
  const task = { scope: "workspace", title: "a" };
  expect(() => cleanTask({ ...task, priority: 1.5 })).toThrow("Priority must be a whole number, not 1.5");
  expect(() => cleanTask({ ...task, priority: Number.NaN })).toThrow("Priority must be a whole number, not NaN");
  expect(() => cleanTask({ ...task, attemptLimit: 0 })).toThrow("at least one attempt");
  expect(() => cleanTask({ ...task, status: "in_progress" as "done" })).toThrow('cannot be "in_progress"');
  expect(cleanTask({ ...task, needs: ["b", "b"] }).needs).toEqual(["b"]);
  expect(cleanPatch({ model: null, title: " x " })).toEqual({ model: null, title: "x" });
});
