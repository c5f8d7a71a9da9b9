import { expect, test } from "vitest";
import { ACTING_FILES, gitActingFiles } from "./acting-files.ts";
import { matchesAny } from "./glob.ts";

test.each([
  [".mcp.json", true],
  [".claude/settings.local.json", true],
  [".claude/hooks/after/edit.sh", true],
  [".husky/pre-commit", true],
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
