import { describe, expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";
import { harnessFindings } from "./doctor-harness.ts";

const look = async (files: Readonly<Record<string, string>>) =>
  await harnessFindings({ cwd: temporaryRepository({ ".ralph/config.yaml": "", ...files }), env: {}, flags: {} });

const line = (event: object): string =>
  `${JSON.stringify({ v: 1, at: "2026-11-16T06:00:00.000Z", run: "run-2", iteration: 1, ...event })}\n`;
const unknown = (lines: number, of: number): string => line({ type: "agent.unknown", lines, of, example: "x" });

describe("doctor on agents", () => {
  test("says nothing when there is nothing to say", async () => {
    expect(await look({})).toEqual([]);
    expect(await look({ ".ralph/runs/run-2/events.ndjson": unknown(5, 10) })).toEqual([]);
    expect(await look({ ".ralph/config.yaml": "broken: [" })).toEqual([]);
    expect(await harnessFindings({ cwd: temporaryFolder(), env: {}, flags: {} })).toEqual([]);
  });

  test("tells when most of what an agent printed in the newest run was not understood", async () => {
    const files = {
      ".ralph/runs/run-1/events.ndjson": unknown(9, 9),
      ".ralph/runs/run-2/events.ndjson": unknown(6, 10),
    };
    expect(await look(files)).toEqual([
      {
        level: "warning",
        check: "harness",
        message: "6 of 10 lines that the agent printed in iteration 1 of run-2 were not understood",
        fix: "Use a version of it that docs/reference/harnesses.md names, or a newer ralphctl",
      },
    ]);
  });

  test("names hooks of the repository, which run in sessions of Claude Code", async () => {
    const hooks = {
      ".claude/settings.json": '{"hooks": {"Stop": []}}',
      ".claude/settings.local.json": '{"hooks": {}}',
    };
    expect(await look(hooks)).toEqual([
      {
        level: "warning",
        check: "harness",
        message: "The hooks in .claude/settings.json run in every session of Claude Code",
        fix: "Check that they need nobody at the terminal",
      },
    ]);
    expect(await look({ ...hooks, ".ralph/config.yaml": "harness: codex\n" })).toEqual([]);
  });
});
