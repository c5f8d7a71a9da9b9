import { expect, test } from "vitest";
import { temporaryRepository } from "../../../test/temporary-folder.ts";
import { openWorkspace } from "../workspace.ts";
import { longestWait } from "./run-deps.ts";

const HOUR = 3_600_000;

test.each([
  ["harness: claude", {}, 12 * HOUR],
  ["harness: claude", { CI: "true" }, 0],
  ["harness: claude", { CI: "1" }, 0],
  ["harness: claude", { CI: "" }, 12 * HOUR],
  ["harness: claude", { CI: "false" }, 12 * HOUR],
  ["limits: {wait: 2h}", { CI: "true" }, 2 * HOUR],
  ["limits: {wait: 12h}", { CI: "true" }, 12 * HOUR],
  ["harness: claude", { CI: "true", RALPHCTL_LIMITS_WAIT: "3h" }, 3 * HOUR],
])("P-43 with %j and %j a run waits for a limit as long as %i ms", async (config, variables, expected) => {
  const env = { HOME: "/nowhere", ...variables };
  const workspace = await openWorkspace({ cwd: temporaryRepository({ ".ralph/config.yaml": `${config}\n` }), env });
  expect(longestWait(workspace, env)).toBe(expected);
});
