import { describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";

const FILES = {
  ".ralph/config.yaml": "verify: { testFiles: ['t/**'] }\n",
  "package.json": JSON.stringify({ scripts: { test: "vitest run && node tools/check.mjs" } }),
  "tools/check.mjs": "",
  "vitest.config.ts": "",
};

describe("T-10 ralphctl gates", () => {
  test("shows for each gate its command, what decides, and what is not followed", async () => {
    const cwd = temporaryRepository(FILES);
    const { code, stdout } = await type(["gates"], { cwd });
    expect([code, stdout.split("\n").filter((line) => !/By name|^ {17}/.test(line))]).toEqual([
      0,
      [
        "test: CI=1 npm run test",
        "  Approved by    the files of the workspace",
        "  Definition     package.json (scripts.test): script test",
        "  Configuration  vitest.config.ts: vitest",
        "  Not followed   tools/check.mjs: code; only literal commands and paths in it are followed",
        "",
        "Test files",
        "  t/**",
        "",
      ],
    ]);
    expect(stdout).toContain("tools/check.mjs: `node tools/check.mjs` starts it");
  });

  test("shows one gate, or the gates of a task, in JSON too", async () => {
    const cwd = temporaryRepository(FILES);
    const added = await type(["task", "add", "A", "--gate", "own=sh check.sh"], { cwd });
    const { stdout } = await type(["gates", "show", added.stdout.trim(), "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      gates: [
        {
          id: "own",
          kind: "task",
          command: "sh check.sh",
          source: "task",
          isAgents: false,
          decides: [{ path: "check.sh", keys: null, kind: "test", isThere: false }],
        },
      ],
      testFiles: ["t/**"],
    });
    expect((await type(["gates", "test"], { cwd })).stdout).toContain("test: CI=1 npm run test");
    expect(await type(["gates", "none"], { cwd })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('There is no gate and no task "none"') as string,
    });
    expect((await type(["complete", "gates", "show", ""], { cwd })).stdout).toContain("test");
  });
});
