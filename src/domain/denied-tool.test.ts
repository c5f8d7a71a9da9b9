import { expect, test } from "vitest";
import { createDenials, deniedTool } from "./denied-tool.ts";

test.each([
  "Permission to use Bash with command git push origin main has been denied.",
  "Error: No such tool available: Write",
  "The user has specified a rule which prevents you from using this specific tool call.",
  'Tool execution for "run_shell_command" denied by policy.',
  'It requires permission to use "x", but that permission was declined.',
  "Permission denied and could not request permission from user",
  "Permission to run this tool was denied due to the following rules: `shell(git push)`",
])("P-20 a tool that settings do not allow: %j", (output) => {
  expect(deniedTool(`x\n<tool_use_error>${output}</tool_use_error>`)).toBe(output);
});

test.each(["cat: secret: Permission denied", "exit code 1", "EACCES: permission denied, open 'x'", ""])(
  "P-20 a tool that failed otherwise: %j",
  (output) => {
    expect(deniedTool(output)).toBe(undefined);
  },
);

test("P-20 a refusal that does not name the call is told with it, and a CLI's own notice counts", () => {
  const denials = createDenials();
  const rule = "The user has specified a rule which prevents you from using this specific tool call.";
  denials.add({ type: "agent.tool", id: "a", name: "bash", input: "git push origin main" });
  denials.add({
    type: "agent.tool-result",
    id: "a",
    ok: false,
    output: `${rule} Here are some of the relevant rules [{}]`,
  });
  denials.add({ type: "agent.tool-result", id: "b", ok: true, output: rule });
  denials.add({ type: "agent.notice", text: "`git push` rejected: policy forbids commands starting with `git push`" });
  denials.add({ type: "agent.text", text: rule });
  expect(denials.list()).toEqual([
    `git push origin main: ${rule}`,
    "`git push` rejected: policy forbids commands starting with `git push`",
  ]);
});
