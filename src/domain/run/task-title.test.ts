import { expect, test } from "vitest";
import { titleFromText, titleFromPrompt } from "./task-title.ts";

test.each([
  ["Add a login page", "Add a login page"],
  ["\n  \n  Add\ta  login\u2028page \nwith OAuth", "Add a login page"],
  ["\u0007\u0000\nRing", "Ring"],
  ["## Add a login page ##\n\nSoon", "Add a login page"],
  ["#hashtag", "#hashtag"],
  ["x".repeat(120), "x".repeat(120)],
  ["x".repeat(121), `${"x".repeat(119)}…`],
  [`${"x".repeat(118)}😀y`, `${"x".repeat(118)}…`],
  ["word ".repeat(40), `${"word ".repeat(24).slice(0, 119).trimEnd()}…`],
])("P-02 the title of %j is its first line, cut to 120 characters", (text, title) => {
  expect(titleFromText(text)).toBe(title);
  expect(title.length).toBeLessThanOrEqual(120);
});

test.each([
  ["Read this.\n\n## Port it to Rust ##\n\n# Later", "Port it to Rust"],
  ["Port everything\nto Rust", "Port everything"],
  ["```sh\n# not a heading\n```\n# Heading", "Heading"],
  ["#hashtag\n#  \nText", "#hashtag"],
  [`# ${"x".repeat(200)}`, `${"x".repeat(119)}…`],
])("P-03 the title of the prompt %j is its first heading, or else its first line", (prompt, title) => {
  expect(titleFromPrompt(prompt)).toBe(title);
});
