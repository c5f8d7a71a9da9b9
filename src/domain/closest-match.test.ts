import fc from "fast-check";
import { expect, test } from "vitest";
import { closestMatch } from "./closest-match.ts";

const keys = ["harness", "harnesses", "limits", "gates", "git", "hooks", "plan", "prompts"];

test.each([
  ["a letter too few", "limts", "limits"],
  ["a letter too many", "limitss", "limits"],
  ["another letter", "hookz", "hooks"],
  ["two neighbours swapped", "gti", "git"],
  ["capitals", "LIMITS", "limits"],
  ["the word itself", "harness", "harness"],
  ["two letters of a long word", "harneses", "harness"],
])("%s is close", (_name, word, meant) => {
  expect(closestMatch(word, keys)).toBe(meant);
});

test.each([
  ["another word", "banana"],
  ["two letters of a short word", "glt_"],
  ["nothing", ""],
  ["one letter that nothing shares", "x"],
])("%s is not close", (_name, word) => {
  expect(closestMatch(word, keys)).toBe(undefined);
});

test("the first of equals wins", () => {
  expect(closestMatch("cat", ["bat", "rat"])).toBe("bat");
});

test("a long word costs nothing against short ones", () => {
  expect(closestMatch("x".repeat(5_000_000), keys)).toBe(undefined);
});

test("one edit is always found, and what is found is never more than a third away", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(), (word, at) => {
      const index = at % word.length;
      expect(closestMatch(word.slice(0, index) + word.slice(index + 1), [word])).toBe(word);
      expect(closestMatch(word, [`${word}${"-".repeat(Math.floor(word.length / 3) + 1)}`])).toBe(undefined);
    }),
  );
});
