import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { iterationStarted } from "../../../test/run-events.ts";
import { temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { openWorkspace } from "../workspace.ts";
import type { Finding } from "./finding.ts";
import { harnessFindings } from "./harnesses.ts";

/** A folder with a program in it that says which version it is, or whatever else its script does. */
function programSaying(name: string, script: string): string {
  const folder = temporaryFolder();
  write(folder, { [name]: `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, name), 0o755);
  return `${folder}:${process.env["PATH"]}`;
}

const CLAUDE = programSaying("claude", "echo '2.1.325 (Claude Code)'");

async function all(
  files: Readonly<Record<string, string>>,
  own: { readonly path?: string; readonly isRoot?: boolean; readonly home?: string } = {},
): Promise<Finding[]> {
  const env = { PATH: own.path ?? CLAUDE, ...(own.home !== undefined && { HOME: own.home }) };
  const cwd = temporaryRepository({ ".ralph/config.yaml": "", ...files });
  const workspace = await openWorkspace({ cwd, env, flags: {} });
  return await harnessFindings(workspace, { env, isRoot: own.isRoot ?? false, probe: undefined });
}

/** Beside which version there is. */
const look = async (files: Readonly<Record<string, string>>): Promise<Finding[]> => (await all(files)).slice(1);

const line = (event: object): string =>
  `${JSON.stringify({ v: 1, at: "2026-11-16T06:00:00.000Z", run: "run-2", iteration: 1, ...event })}\n`;
const unknown = (lines: number, of: number): string => line({ type: "agent.unknown", lines, of, example: "x" });

describe("the version of an agent", () => {
  test.each([
    ["echo '2.1.325 (Claude Code)'", "ok", "Claude Code 2.1.325 is installed (tested with 2.1.325)", undefined],
    ["echo '2.1.325 (Claude Code)' >&2", "ok", "Claude Code 2.1.325 is installed (tested with 2.1.325)", undefined],
    ["echo 2.9.0", "ok", "Claude Code 2.9.0 is installed (tested with 2.1.325)", undefined],
    [
      "echo 99.0.0",
      "warning",
      "Claude Code 99.0.0 is newer than 2.1.325, the version that ralphctl was tested with",
      "Look for a newer ralphctl if sessions fail",
    ],
    [
      "echo 2.1.9",
      "warning",
      "Claude Code 2.1.9 is older than 2.1.197, the oldest supported version",
      "Run npm install --global @anthropic-ai/claude-code@latest",
    ],
    [
      "echo a fine program",
      "warning",
      "Claude Code does not report its version",
      "Check that claude --version answers",
    ],
    [
      "echo 2.1.325; exit 1",
      "warning",
      "Claude Code does not report its version",
      "Check that claude --version answers",
    ],
  ] as const)("after %s", async (script, level, message, fix) => {
    const path = programSaying("claude", script);
    expect(await all({}, { path })).toEqual([{ level, check: "harness", message, fix }]);
  });

  test("W-06 of a program that only the repository's configuration names is not asked for", async () => {
    const files = {
      evil: "#!/bin/sh\ntouch STARTED\n",
      ".ralph/config.yaml": "harnesses: { claude: { bin: ./evil } }\n",
    };
    const cwd = temporaryRepository(files);
    chmodSync(join(cwd, "evil"), 0o755);
    const workspace = await openWorkspace({ cwd, env: {}, flags: {} });
    const about = { env: { PATH: CLAUDE }, isRoot: false, probe: undefined };
    expect(await harnessFindings(workspace, about)).toEqual([
      {
        level: "ok",
        check: "harness",
        message: "Claude Code can be started; --probe checks its version",
        fix: undefined,
      },
    ]);
  });

  test("X-69 one that is not installed is a problem, of a reviewer too", async () => {
    const path = programSaying("codex", "echo codex-cli 0.166.0");
    const files = { ".ralph/config.yaml": "harness: codex\nverify: { reviewer: claude }\n" };
    expect(await all(files, { path })).toEqual([
      { level: "ok", check: "harness", message: "Codex 0.166.0 is installed (tested with 0.166.0)", fix: undefined },
      {
        level: "problem",
        check: "harness",
        message: "The harness claude needs the program claude, which is not on the PATH",
        fix: "Run npm install --global @anthropic-ai/claude-code, or set harnesses.claude.bin to its path",
      },
    ]);
  });

  test("agents that speak ACP are named with what to type, those on the PATH first", async () => {
    const files = { ".ralph/config.yaml": "harness: acp\n" };
    const [none] = await all(files, { path: programSaying("claude", "true") });
    expect(none).toMatchObject({ level: "problem", message: "The harness acp has no agent to start" });
    expect(none?.fix).toContain('"goose acp", "cursor-agent acp", "gemini --acp", "opencode acp", "copilot --acp"');
    expect((await all(files, { path: programSaying("goose", "true") }))[0]?.fix).toBe(
      'Set harnesses.acp.run to one that is on your PATH: "goose acp"',
    );
  });

  test("X-69 an agent that speaks ACP and is known is called by its name, and installed by its package", async () => {
    const files = { ".ralph/config.yaml": "harness: g\nharnesses: { g: { kind: acp, run: gemini --acp } }\n" };
    expect((await all(files, { path: programSaying("gemini", "true") }))[0]).toMatchObject({
      level: "ok",
      message: "The harness g can be started (Gemini CLI by ACP)",
    });
    expect((await all(files, { path: programSaying("claude", "true") }))[0]).toMatchObject({
      level: "problem",
      message: "The harness g needs the program gemini, which is not on the PATH",
      fix: "Run npm install --global @google/gemini-cli, or correct harnesses.g.run",
    });
  });

  test("as root a person is told what Claude Code is told", async () => {
    expect((await all({}, { isRoot: true })).slice(1)).toEqual([
      {
        level: "warning",
        check: "harness",
        message: "Claude Code skips permissions as root only in a sandbox, so ralphctl sets IS_SANDBOX=1",
        fix: "Run ralphctl as another user to avoid this",
      },
    ]);
  });
});

describe("doctor on agents", () => {
  test("D-03 tells of both hooks only if the repository's are in a lane, too, and not as root's affair", async () => {
    const text = '{"hooks": {"Stop": []}}';
    const home = temporaryFolder();
    write(home, { ".claude/settings.json": text });
    const messages = async (files: Readonly<Record<string, string>>) =>
      (await all(files, { home, isRoot: true }))
        .map(({ message, fix }) => `${message.slice(0, 49)} / ${fix}`)
        .slice(1, 3);
    const root = "Claude Code skips permissions as root only in a s / Run ralphctl as another user to avoid this";
    expect(await messages({ ".claude/settings.json": text })).toEqual([
      root,
      "Claude Code can switch off only all hooks at once / Read about your own set-up in docs/guides/harnesses.md",
    ]);
    const local = { ".gitignore": ".claude/settings.local.json\n", ".claude/settings.local.json": text };
    expect(await messages(local)).toEqual([root]);
    expect(await messages({ ...local, ".worktreeinclude": ".claude/settings.local.json\n" })).toHaveLength(2);
  });

  test("says nothing when there is nothing to say", async () => {
    expect(await look({})).toEqual([]);
    expect(await look({ ".ralph/runs/run-2/events.ndjson": unknown(5, 10) })).toEqual([]);
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
        message: "ralphctl did not understand 6 of 10 lines that the agent printed in iteration 1 of run-2",
        fix: "Use the tested version that ralphctl doctor names, or a newer ralphctl",
      },
    ]);
  });

  test("tells whose output was not understood: the agent's, or its reviewer's", async () => {
    const started = line({ ...iterationStarted, iteration: 1, harness: "claude" });
    const review = line({ type: "gate.started", gate: "reviewer", kind: "reviewer", command: "codex" });
    const said = async (...lines: readonly string[]) =>
      (await look({ ".ralph/runs/run-2/events.ndjson": lines.join("") })).map(({ message }) => message);
    expect([await said(started, unknown(6, 10), review), await said(started, review, unknown(6, 10))]).toEqual([
      ["ralphctl did not understand 6 of 10 lines that claude printed in iteration 1 of run-2"],
      ["ralphctl did not understand 6 of 10 lines that codex printed in iteration 1 of run-2"],
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
        fix: "Check that they work without a person at the terminal",
      },
    ]);
    expect(
      await look({
        ".gitignore": ".claude/settings.local.json\n",
        ".claude/settings.local.json": '{"hooks": {"Stop": []}}',
      }),
    ).toEqual([]);
    expect(
      await look({
        ...hooks,
        ".ralph/config.yaml": "harness: scripted\nharnesses: { scripted: { script: PROMPT } }\n",
        PROMPT: "",
      }),
    ).toEqual([]);
  });
});
