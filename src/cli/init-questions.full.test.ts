import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../config/config.ts";
import { type Session, type } from "../../test/recording-io.ts";
import { explained } from "../format/init-files.ts";
import { git, temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";

const AGENT = "Which agent should do the work?";
const NO_CHECK = "No checks found. Which command proves that work is done? (Enter: decide later)";
const OTHER = "Another command? (Enter: none)";
const MORE = "One more? (Enter: no more)";
const SPECS = "Which folder has the specifications?";

const PACKAGE = JSON.stringify({ scripts: { lint: "eslint .", test: "node --test" } });
const FOUND = "Which checks prove that work is done? Found here:\n  CI=1 npm run lint\n  CI=1 npm run test";

const FILES = [
  ".ralph/config.yaml",
  ".ralph/config.schema.json",
  ".ralph/.gitignore",
  ".ralph/specs/.gitkeep",
  ".claude/workflows/ralph.yaml",
  "PROMPT_plan.md",
  "PROMPT_build.md",
];
const writes = (files: readonly string[]): string =>
  `Write these files?${explained(files)
    .map((line) => `\n  ${line}`)
    .join("")}`;

interface Talk {
  readonly files: Readonly<Record<string, string>>;
  readonly replies: NonNullable<Session["replies"]>;
  readonly args?: readonly string[];
}

/** A person types `ralphctl init` in a repository, and replies. */
async function talk({ files, replies, args = [] }: Talk) {
  const cwd = temporaryRepository({ "README.md": "x", ...files });
  const asked: string[] = [];
  const answer = await type(["init", ...args], { cwd, replies, asked });
  const config = async () => (await loadConfig({ cwd, env: {} })).config;
  return { cwd, asked, ...answer, config };
}

describe("ralphctl init at a terminal", () => {
  test("E-06 asks in a subfolder whether it is about the whole repository or this part", async () => {
    const files = { "package.json": PACKAGE, "packages/a/package.json": JSON.stringify({ scripts: { test: "x" } }) };
    for (const [reply, root, check] of [
      ["whole", "", "CI=1 npm run lint"],
      ["here", "packages/a", "CI=1 npm run test"],
    ] as const) {
      const top = temporaryRepository({ "README.md": "x", ...files });
      const asked: string[] = [];
      const cwd = join(top, "packages/a");
      const answer = await type(["init"], {
        cwd,
        replies: [reply, "claude", "auto", ".ralph/specs", "commit", "no"],
        asked,
      });
      expect([answer.code, asked[0], asked[2]?.split("\n")[1]]).toEqual([
        0,
        `packages/a is a part of the repository ${top}. What should agents work on?`,
        `  ${check}`,
      ]);
      expect([existsSync(join(top, root, ".ralph/config.yaml")), git(top, "status", "--porcelain")]).toEqual([
        true,
        "",
      ]);
    }
  });

  test("E-06 says what each file is for, and takes a no to the checks and to writing", async () => {
    const none = await talk({
      files: { "package.json": PACKAGE },
      replies: ["claude", "none", ".ralph/specs", "write"],
    });
    expect([none.code, (await none.config()).gates]).toEqual([0, []]);
    expect(none.asked.at(-1)).toContain(
      "\n  .ralph/config.yaml            settings: the agent, the checks, the limits\n",
    );
    const no = await talk({ files: { "package.json": PACKAGE }, replies: ["claude", "auto", ".ralph/specs", "no"] });
    expect([no.code, no.stderr.trim(), existsSync(join(no.cwd, ".ralph"))]).toEqual([
      130,
      "Nothing was written",
      false,
    ]);
  });

  test("asks for agent, checks and specs, and for the commit last", async () => {
    const { cwd, asked, code, stdout, config } = await talk({
      files: { "package.json": PACKAGE },
      replies: ["gemini", "auto", ".ralph/specs", "commit"],
    });
    expect(asked).toEqual([AGENT, FOUND, SPECS, writes(FILES)]);
    expect(code).toBe(0);
    expect(stdout).not.toContain("created");
    expect(stdout).toMatch(
      /Committed as [0-9a-f]+\n\nDescribe what you want in \.ralph\/specs\/, .*\n\n {2}ralphctl run/s,
    );
    expect(await config()).toMatchObject({ harness: ["gemini"], gates: "auto", specs: { dirs: [".ralph/specs"] } });
    expect(git(cwd, "log", "--format=%s")).toBe("Set up ralphctl\nBegin");
  });

  test("checks are chosen and added; those commands have names of their own", async () => {
    const { asked, config } = await talk({
      files: { "package.json": PACKAGE },
      replies: ["claude", "own", ["lint"], 'grep -q "a: b" x', " make check ", "make check", "", "docs/what", "write"],
    });
    expect(asked.slice(1, -1)).toEqual([FOUND, "Which of them?", OTHER, MORE, MORE, MORE, SPECS]);
    expect((await config()).gates).toEqual([
      { id: "lint", run: "CI=1 npm run lint", timeout: null, retries: 0 },
      { id: "grep--q-a-b-x", run: 'grep -q "a: b" x', timeout: null, retries: 0 },
      { id: "make-check", run: "make check", timeout: null, retries: 0 },
      { id: "make-check-2", run: "make check", timeout: null, retries: 0 },
    ]);
  });

  test("none of the checks that were found is none at all", async () => {
    const { config } = await talk({
      files: { "package.json": PACKAGE },
      replies: ["claude", "own", [], "", "specs", "write"],
    });
    expect((await config()).gates).toEqual([]);
  });

  test("where no check is found one can be named, or that be left for later", async () => {
    const named = await talk({ files: {}, replies: ["claude", "make test", "", ".ralph/specs", "write"] });
    expect(named.asked.slice(1, 3)).toEqual([NO_CHECK, MORE]);
    expect((await named.config()).gates).toMatchObject([{ id: "make-test", run: "make test" }]);
    const later = await talk({ files: {}, replies: ["claude", "", ".ralph/specs", "write"] });
    expect((await later.config()).gates).toBe("auto");
  });

  test("P-31 what was answered holds when init is called again, and is committed then", async () => {
    const { cwd } = await talk({
      files: { "docs/specs/login.md": "# Login" },
      replies: ["codex", "make test", "", "docs/specs", "write"],
    });
    const { stdout } = await type(["init", "--yes"], { cwd });
    expect(stdout).toContain("Checks: make test\nCommitted as ");
    expect([git(cwd, "status", "--porcelain"), existsSync(join(cwd, ".ralph/specs"))]).toEqual(["", false]);
  });

  test("a folder of specs that is there already gets no file of ours, and is named at the end", async () => {
    const { cwd, asked, stdout, config } = await talk({
      files: { "docs/specs/login.md": "# Login" },
      replies: ["claude", "", "./docs//specs/", "write"],
    });
    expect(asked.at(-1)).toBe(writes(FILES.filter((path) => !path.includes("specs"))));
    expect(existsSync(join(cwd, "docs/specs/.gitkeep"))).toBe(false);
    expect((await config()).specs.dirs).toEqual(["docs/specs"]);
    expect(stdout).toMatch(/\n\nNext:\n\n {2}ralphctl run --dry-run/);
  });

  test.each([
    ["the agent", [undefined]],
    ["the checks", ["claude", undefined]],
    ["which of them", ["claude", "own", undefined]],
    ["another", ["claude", "own", ["lint"], undefined]],
    ["the specs", ["claude", "auto", undefined]],
    ["the commit", ["claude", "auto", "specs", undefined]],
  ])("Ctrl-C at the question about %s writes nothing", async (_about, replies) => {
    const { cwd, code, stdout, stderr } = await talk({ files: { "package.json": PACKAGE }, replies });
    expect({ code, stdout, stderr }).toEqual({
      code: 130,
      stdout: "",
      stderr: expect.stringMatching(/^\n?Nothing was written\n$/),
    });
    expect(git(cwd, "status", "--porcelain", "--ignored")).toBe("");
  });

  test("--yes asks nothing; a configuration that stays is not asked about", async () => {
    const { cwd, asked } = await talk({ files: {}, replies: [], args: ["--yes"] });
    await type(["init", "--project", "auth"], { cwd, replies: ["commit"], asked });
    expect(asked).toEqual([writes(["projects/auth/specs/.gitkeep", "projects/auth/IMPLEMENTATION_PLAN.md"])]);
    await type(["init", "--force"], { cwd, replies: ["codex", "", "specs", "write"], asked });
    expect(readFileSync(join(cwd, ".ralph/config.yaml"), "utf8")).toMatch(/^harness: codex$/m);
  });

  test("agents that are installed come first", async () => {
    const bin = temporaryFolder({ opencode: "#!/bin/sh\n" });
    chmodSync(join(bin, "opencode"), 0o755);
    const env = { PATH: `${bin}:/usr/bin:/bin` };
    const offered: string[][] = [];
    const choice = (options: readonly string[]): undefined => void offered.push([...options]);
    await type(["init"], { cwd: temporaryRepository(), env, choice });
    expect(offered).toEqual([["opencode", "claude", "codex", "gemini", "pi", "copilot", "qwen"]]);
  });
});
