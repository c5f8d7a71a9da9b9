import { expect, test } from "vitest";
import { deniedTool } from "./denied-tool.ts";

test.each([
  "Permission to use Bash with command git push origin main has been denied.",
  "Error: No such tool available: Write",
  "The user has specified a rule which prevents you from using this specific tool call.",
  'Tool execution for "run_shell_command" denied by policy.',
  'It requires permission to use "x", but that permission was declined.',
  "Permission denied and could not request permission from user",
])("P-20 a tool that settings do not allow: %j", (output) => {
  expect(deniedTool(`x\n<tool_use_error>${output}</tool_use_error>`)).toBe(output);
});

test.each(["cat: secret: Permission denied", "exit code 1", "EACCES: permission denied, open 'x'", ""])(
  "P-20 a tool that failed otherwise: %j",
  (output) => {
    expect(deniedTool(output)).toBe(undefined);
  },
);
