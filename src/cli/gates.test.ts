import { describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";

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
        "  Found in       package.json (scripts.test)",
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

  test("names all scripts of a package that decide", async () => {
    const scripts = { check: "npm run lint && npm test --workspaces", lint: "eslint .", test: "vitest run" };
    const manifest = JSON.stringify({ scripts, workspaces: ["a"] });
    const cwd = temporaryRepository({ ".ralph/config.yaml": "", "package.json": manifest });
    expect((await type(["gates"], { cwd })).stdout).toContain(
      "package.json (scripts.check, scripts.lint, workspaces): scripts check, lint; workspaces\n",
    );
  });

  test("P-16 shows what was left out and why, what only CI runs, the set-up, and programs that are missing", async () => {
    const cwd = temporaryRepository({
      ".ralph/config.yaml": "",
      "package.json": JSON.stringify({
        scripts: {
          lint: "biome lint --write .",
          check: "bun run lint:ci && bun run test",
          "lint:ci": "biome ci",
          test: "bun test",
        },
      }),
      "bun.lock": "",
      ".github/workflows/ci.yml":
        "on: [push]\njobs:\n  all:\n    services: { db: { image: 'postgres:16' } }\n    steps:\n      - run: bun run check\n      - run: ./e2e/run.sh\n",
    });
    const env = { PATH: temporaryFolder() };
    const { stdout } = await type(["gates"], { cwd, env });
    expect(stdout.split("\n\n").slice(1, -1)).toEqual([
      [
        "Left out",
        "  CI=1 bun run lint: it changes files (--write); lint:ci runs instead (package.json (scripts.lint))",
        "  CI=1 bun run lint:ci: check runs it, too (package.json (scripts.lint:ci))",
        "  CI=1 bun x --no-install biome lint .: lint-ci runs instead (package.json (scripts.lint))",
        "  CI=1 bun run test: check runs it, too (package.json (scripts.test))",
      ].join("\n"),
      "CI runs, and no gate does\n  ./e2e/run.sh (.github/workflows/ci.yml (all))",
      "CI starts beside its jobs\n  postgres",
      "Set-up of a fresh checkout\n  bun install --frozen-lockfile",
      "Programs that are not on the PATH\n  bun: Run npm install --global bun",
    ]);
    expect(JSON.parse((await type(["gates", "--json"], { cwd, env })).stdout)).toMatchObject({
      gates: [{ id: "check", at: "package.json (scripts.check)" }],
      leftOut: [{ what: "CI=1 bun run lint" }, {}, {}, {}],
      uncovered: [{ run: "./e2e/run.sh", at: ".github/workflows/ci.yml (all)" }],
      services: ["postgres"],
      setup: { command: "bun install --frozen-lockfile", files: ["bun.lock", "package.json"] },
      programs: [{ name: "bun", isThere: false, fix: "Run npm install --global bun" }],
    });
  });

  test("P-16 shows the gates of a package of the workspace", async () => {
    const manifest = (scripts: object, more = {}): string => JSON.stringify({ ...more, scripts });
    const cwd = temporaryRepository({
      ".ralph/config.yaml": "",
      "package.json": manifest({ test: "npm test --workspaces" }, { workspaces: ["packages/*"] }),
      "packages/ui/package.json": manifest({ test: "vitest run" }),
    });
    const { code, stdout } = await type(["gates", "./packages/ui/"], { cwd });
    expect([code, stdout.split("\n").slice(0, 2)]).toEqual([
      0,
      [
        "packages-ui.test: cd packages/ui && CI=1 npm run test",
        "  Found in     packages/ui/package.json (scripts.test)",
      ],
    ]);
  });

  test("shows one gate, or all that decide about a task, in JSON too", async () => {
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
        { id: "test", kind: "workspace", source: "auto" },
      ],
      testFiles: ["t/**"],
    });
    const plain = await type(["task", "add", "B"], { cwd });
    for (const asked of ["test", plain.stdout.trim()])
      expect((await type(["gates", asked], { cwd })).stdout).toMatch(/^test: CI=1 npm run test\n/);
    expect(await type(["gates", "none"], { cwd })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('There is no gate and no task "none"') as string,
    });
    expect((await type(["complete", "gates", "show", ""], { cwd })).stdout).toContain("test");
  });
});
