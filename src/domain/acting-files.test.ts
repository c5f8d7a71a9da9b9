import { expect, test } from "vitest";
import { ACTING_FILES, gitActingFiles, isOnlyFormatted, isOnlyStamped } from "./acting-files.ts";
import { matchesAny } from "./glob.ts";

test.each([
  [".mcp.json", true],
  [".claude/settings.local.json", true],
  [".claude/hooks/after/edit.sh", true],
  [".husky/pre-commit", true],
  [".pre-commit-config.yaml", true],
  [".config/lefthook.toml", true],
  ["lefthook-local.yml", true],
  [".lefthook/pre-push/a.sh", true],
  [".lintstagedrc.json", true],
  ["docs/lefthook.yml", false],
  ["lefthook.md", false],
  [".vscode/tasks.json", true],
  [".vscode/settings.json", false],
  [".claude/commands/fix.md", false],
  ["test/fixtures/.mcp.json", false],
  ["src/husky.ts", false],
])("T-10 whether programs obey %s by themselves: %s", (path, expected) => {
  expect(matchesAny(ACTING_FILES, path)).toBe(expected);
});

test.each([
  ["core.hookspath\n.hooks/\0user.name\nx", [".hooks"]],
  ["core.hookspath\n./tools/hooks\0", ["tools/hooks"]],
  ["core.hookspath\n/repo/tools/hooks\0", ["tools/hooks"]],
  ["core.hookspath\n/home/me/hooks\0", []],
  ["core.hookspath\n~/hooks\0", []],
  ["core.hookspath\n../hooks\0", []],
  ["core.hookspath\n.\0", []],
  ["include.path\n../.gitconfig\0include.path\nmore\0", [".gitconfig"]],
])("T-10 the files of a repository that git itself obeys, of %j: %j", (config, expected) => {
  expect(gitActingFiles(config, "/repo")).toEqual(expected);
});

const BASE = '{"hooks":{},"rules":{"*":1,"a":2}}';

test.each([
  ["a stamp", '{"$schema":"x","hooks":{},"rules":{"*":1,"a":2}}', true],
  ["a stamp at the end, and other white space", '{ "hooks": {}, "rules": {"*":1, "a":2},\n "$version": 4 }', true],
  ["a stamp with a comment and a comma too many", '{"$schema":"x", // here\n"hooks":{},"rules":{"*":1,"a":2,},}', true],
  ["a hook beside a stamp", '{"$schema":"x","hooks":{"b":1},"rules":{"*":1,"a":2}}', false],
  ["another name beside a stamp", '{"$schema":"x","hooks":{},"rules":{"*":1,"a":2},"more":1}', false],
  ["a setting less beside a stamp", '{"$schema":"x","rules":{"*":1,"a":2}}', false],
  ["another order of rules beside a stamp", '{"$schema":"x","hooks":{},"rules":{"a":2,"*":1}}', false],
  ["a stamp inside of a setting", '{"hooks":{"$schema":"x"},"rules":{"*":1,"a":2}}', false],
  ["a name twice", '{"$schema":"x","hooks":{},"rules":{"*":1,"a":2},"hooks":{"b":1}}', false],
  ["no JSON", '{"$schema":"x"', false],
  ["a list", "[]", false],
  ["no stamp", '{"hooks": {},"rules":{"*":1,"a":2}}', false],
])("T-10 whether settings are only stamped, with %s: %s", (_, text, expected) => {
  expect(isOnlyStamped(BASE, text)).toBe(expected);
});

test("T-10 an empty object that OpenCode stamps has a comma too many", () => {
  expect(isOnlyStamped("{}", '{\n  "$schema": "x",}')).toBe(true);
});

test.each([
  ["other white space", BASE, '{\n\t"hooks": {},\r\n "rules": {"*": 1, "a": 2}}\n', true],
  ["white space in a string", '{"a":"b c"}', '{"a":"bc"}', false],
  ["an escaped quote", String.raw`{"a":"\" b"}`, String.raw`{"a":"\"b"}`, false],
  ["another order", BASE, '{"rules":{"*":1,"a":2},"hooks":{}}', false],
  ["a name twice", BASE, '{"hooks":{"b":1},"hooks":{},"rules":{"*":1,"a":2}}', false],
  ["a comment that hides more", '{// a\n"b":1}', '{// a "b":1\n}', false],
  ["a number in parts", '{"a":11}', '{"a":1 1}', false],
])("T-10 whether settings are only formatted, with %s", (_, before, after, expected) => {
  expect(isOnlyFormatted(before, after)).toBe(expected);
});
