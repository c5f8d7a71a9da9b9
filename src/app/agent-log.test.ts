import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, write } from "../../test/temporary-folder.ts";
import { followLog } from "./agent-log.ts";

test("P-43 of an agent's log, warnings and errors with all their lines are printed, and nothing else", async () => {
  const folder = temporaryFolder();
  const at = "[2026-11-18T04:02:48.497Z]";
  const text = [
    "before",
    `${at} [DEBUG] Ignore file not found`,
    "[Routing] Attempt 1 failed with status 429. said in a debug line",
    `${at} [WARN] Attempt 1 failed: You exceeded your quota.`,
    "Please wait. Retrying after 7000ms...",
    `${at} [DEBUG] more`,
    `${at} [ERROR] ${"x".repeat(100_000)}`,
    `${at} [LOG] last`,
  ];
  write(folder, { "agent.log": text.join("\n") });
  const printed: string[] = [];
  await followLog(join(folder, "agent.log"), { isOver: () => true, print: (line) => void printed.push(line) });
  expect(printed.slice(0, 2)).toEqual([
    "Attempt 1 failed: You exceeded your quota.",
    "Please wait. Retrying after 7000ms...",
  ]);
  expect(printed.slice(2).map((line) => /^x+$/.test(line))).toEqual([true]);
});

test("P-43 a log that never comes holds nothing up", async () => {
  const path = join(temporaryFolder(), "none.log");
  await expect(followLog(path, { isOver: () => true, print: () => undefined })).resolves.toBeUndefined();
});
