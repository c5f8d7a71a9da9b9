import { expect, test } from "vitest";
import { readCompletion } from "./read-completion.ts";

test.each([
  ["alone on its line", "RALPH_COMPLETE: Users can log in", "Users can log in"],
  ["after other lines", "I looked at all of it.\n\nRALPH_COMPLETE: Login works.\n", "Login works."],
  ["with emphasis", "**RALPH_COMPLETE:** Login *works*", "Login *works"],
  ["as an item of a list", "- RALPH_COMPLETE: Login works", "Login works"],
  ["behind a finished sentence", "All is there. RALPH_COMPLETE: Login works", "Login works"],
  ["with the summary below it", "RALPH_COMPLETE:\n\nLogin works.\nSo does logout.\n", "Login works.\nSo does logout."],
  ["the last of several", "RALPH_COMPLETE: one\n\nRALPH_COMPLETE: two", "two"],
  ["without a summary", "RALPH_COMPLETE:", ""],
])("S003-06 P-11 the completion line counts %s", (_where, message, summary) => {
  expect(readCompletion(message, "Some prompt")).toBe(summary);
});

test.each([
  ["in a fence", "```\nRALPH_COMPLETE: done\n```"],
  ["in a quotation", "> RALPH_COMPLETE: done"],
  ["in inline code", "`RALPH_COMPLETE: done`"],
  ["in a sentence", "I will not say RALPH_COMPLETE: done yet"],
  ["as the prompt writes it", "When goal is FULLY achieved: RALPH_COMPLETE: [summary]"],
  ["as a form that was not filled in", "RALPH_COMPLETE: [summary]"],
  ["without its colon", "RALPH_COMPLETE"],
  ["as part of a word", "NOT_RALPH_COMPLETE: done"],
  ["as an echo of two lines", "## When\nRALPH_COMPLETE: done"],
])("S003-06 P-11 it does not count %s", (_where, message) => {
  expect(readCompletion(message, "## When\nRALPH_COMPLETE: done\n")).toBe(undefined);
});
