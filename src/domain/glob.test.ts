import fc from "fast-check";
import { expect, test } from "vitest";
import { matches, matchesAny } from "./glob.ts";

test.each([
  [".ralph/config.yaml", ".ralph/config.yaml", true],
  [".ralph/config.yaml", "x/.ralph/config.yaml", false],
  [".github/workflows/**", ".github/workflows/ci.yml", true],
  [".github/workflows/**", ".github/workflows/a/b.yml", true],
  [".github/workflows/**", ".github/workflows", false],
  ["*.lock", "yarn.lock", true],
  ["*.lock", "a/yarn.lock", false],
  ["**/*.lock", "yarn.lock", true],
  ["**/*.lock", "a/b/yarn.lock", true],
  ["src/**/*.test.ts", "src/a.test.ts", true],
  ["src/**/*.test.ts", "src/a/b/c.test.ts", true],
  ["src/**/x/**", "src/x/x", true],
  ["src/?.ts", "src/a.ts", true],
  ["src/?.ts", "src/ü.ts", true],
  ["src/?.ts", "src/ab.ts", false],
  ["src/*", "src/a", true],
  ["src/*", "src/a/b", false],
  ["tests", "tests/deep/a.ts", true],
  ["tests/", "tests/a.ts", true],
  ["./tests", "tests/a.ts", true],
  ["tests", "tests.ts", false],
  ["*", ".env", true],
  ["**", "a/b", true],
  ["[a].txt", "[a].txt", true],
  ["[a].txt", "a.txt", false],
  ["{a,b}", "a", false],
  ["", "a", false],
])("%j and %j: %j", (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test("agrees with a regular expression for any pattern and path", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), minLength: 1, maxLength: 4 });
  const plain = fc
    .string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 4 })
    .filter((text) => text !== ".");
  const pattern = fc.array(fc.oneof(part, fc.constant("**")), { minLength: 1, maxLength: 4 });
  const path = fc.array(plain, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(pattern, path, (parts, names) => {
      const kept = parts.filter((part) => part !== ".");
      fc.pre(kept.length > 0);
      expect(matches(parts.join("/"), names.join("/"))).toBe(reference(kept).test(`/${names.join("/")}`));
    }),
    { numRuns: 2000 },
  );
});

function reference(parts: readonly string[]): RegExp {
  const name = (part: string): string =>
    Array.from(part, (sign) => ({ "*": "[^/]*", "?": "[^/]", ".": "\\." })[sign] ?? sign).join("");
  const source = parts
    .map((part, index) =>
      part !== "**" ? `/${name(part)}` : index === parts.length - 1 ? "(?:/[^/]+)+" : "(?:/[^/]+)*",
    )
    .join("");
  const below = /[*?]/.test(parts.at(-1)!) ? "" : "(?:/[^/]+)*";
  return new RegExp(`^${source}${below}$`);
}

test("takes no longer for a nasty pattern", () => {
  const start = performance.now();
  expect(matches(`${"a*".repeat(200)}b`, "a".repeat(5000))).toBe(false);
  expect(matches(`${"**/a/".repeat(200)}b`, Array(2000).fill("a").join("/"))).toBe(false);
  expect(performance.now() - start).toBeLessThan(2000);
  expect(matchesAny(["x", "a*"], "ab")).toBe(true);
});
