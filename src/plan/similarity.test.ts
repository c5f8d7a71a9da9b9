import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { similarity, similarPairs } from "./similarity.ts";
import { normaliseTitle } from "./title.ts";

describe("normalised titles", () => {
  test.each([
    ["Add **login** page.", "add login page"],
    ["~~Add  `login`\tpage~~:", "add login page"],
    ["1. Add login page", "add login page"],
    ["2.3) Add login page", "add login page"],
    ["Ｆｕｌｌ width", "full width"],
    ["2 factor login", "2 factor login"],
    ["snake_case stays", "snake_case stays"],
    ["...", ""],
  ])("%s", (title, normalised) => {
    expect(normaliseTitle(title)).toBe(normalised);
  });
});

describe("P-51 similarity", () => {
  test.each([
    ["the same", "add login page", "add login page", true],
    ["a word more", "add a login page", "add the login page", true],
    ["a slip", "implment the parser", "implement the parser", true],
    ["words in another order", "parser and lexer tests", "lexer and parser tests", true],
    ["another word that counts", "add a login page", "add a logout page", false],
    ["another number", "add endpoint number 1", "add endpoint number 2", false],
    ["twice as long", "add a login page", "add a login page with two factors", false],
    ["one letter", "a", "b", false],
    ["nothing", "", "a", false],
  ])("%s", (_name, a, ...[b, isSimilar]) => {
    expect(similarity(a, b) >= 0.8).toBe(isSimilar);
    expect(similarity(b, a)).toBe(similarity(a, b));
  });

  test("it is between 0 and 1, and 1 for the same", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(similarity(a, b)).toBeGreaterThanOrEqual(0);
        expect(similarity(a, b)).toBeLessThanOrEqual(1);
        expect(similarity(a, a)).toBe(1);
      }),
    );
  });

  test("pairs are all those that are similar, and none else", () => {
    const words = fc.array(fc.array(fc.constantFrom("add", "the", "login", "page", "test"), { maxLength: 4 }), {
      maxLength: 8,
    });
    const titles = words.map((all) => all.map((parts) => parts.join(" ")));
    fc.assert(
      fc.property(titles, titles, (before, after) => {
        const expected = after.flatMap((title, at) =>
          before
            .map((old, from) => ({ before: from, after: at, score: similarity(old, title) }))
            .filter(({ score }) => score >= 0.8),
        );
        expect(similarPairs(before, after)).toEqual(expected);
      }),
    );
  });
});
