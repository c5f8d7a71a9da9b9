import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type } from "../../test/recording-io.ts";
import { git, temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";
import { buildRalphPrompt } from "../app/ralph-prompt.ts";

const cwd = temporaryRepository({ "README.md": "x" });

beforeAll(async () => {
  await type(["init", "--project", "auth-system", "--yes"], { cwd });
  write(cwd, {
    ".ralph/specs/a.md": "spec",
    "projects/auth-system/specs/a.md": "spec",
    "openspec/changes/add-login/proposal.md": "Login.",
    "openspec/changes/add-login/specs/x.md": "spec",
    "openspec/changes/add-mail/proposal.md": "Mail.",
    "openspec/modules/01_core/module.md": "Core.",
  });
});

const prompt = async (...argv: readonly string[]): Promise<Answer> => await type(["prompt", ...argv], { cwd });

interface PromptJson {
  version: number;
  mode: string;
  system: { text: string; bytes: number; tokens: number } | null;
  prompt: {
    text: string;
    bytes: number;
    tokens: number;
    sections: { name: string; text: string; bytes: number; tokens: number }[];
  };
}

const json = async (...argv: readonly string[]): Promise<PromptJson> =>
  JSON.parse((await prompt(...argv, "--json")).stdout) as PromptJson;

describe("ralphctl prompt", () => {
  test.each([
    ["plan", 3],
    ["build", undefined],
  ])(
    "S000-X3 P-42 shows what %s would send, system prompt and prompt, section by section",
    async (mode, maxIterations) => {
      const view = await json(mode, "--iteration", "3");
      expect(view.prompt.sections.map(({ text }) => text).join("")).toBe(view.prompt.text);
      expect(view.prompt.sections.map(({ name }) => name)).toEqual(["preamble", "prompt", "preamble"]);
      expect(view.prompt.text).toBe(
        await buildRalphPrompt(view.prompt.sections[1]!.text, { iteration: 3, maxIterations }),
      );
      expect(view.prompt.bytes).toBe(Buffer.byteLength(view.prompt.text));
      const { stdout, code } = await prompt(mode, "--iteration", "3");
      expect(code).toBe(0);
      expect(stdout).toContain(`===== system prompt · ${view.system!.bytes.toLocaleString("en")} bytes · about `);
      expect(stdout).toContain(view.system!.text);
      expect(stdout).toContain(`===== prompt: prompt · `);
      expect((await prompt(mode, "--iteration", "3", "--quiet")).stdout).toBe(`${view.prompt.text}\n`);
    },
  );

  test("D-01 the shipped templates serve unscoped and scoped runs, and their first line is not sent", async () => {
    for (const mode of ["plan", "build"]) {
      const unscoped = (await json(mode)).prompt.text;
      expect(unscoped).not.toMatch(/\{[a-z]+\}|ralphctl template/);
      expect(unscoped).toContain(".ralph/specs");
      expect(unscoped).toContain("IMPLEMENTATION_PLAN.md");
      const scoped = (await json(mode, "--project", "auth-system")).prompt.text;
      expect(scoped).toContain("projects/auth-system/specs");
      expect(scoped).toContain("projects/auth-system/IMPLEMENTATION_PLAN.md");
    }
  });

  test("S001-R1 the system prompt names the scope's specs", async () => {
    expect((await json("build")).system!.text).toContain("  - .ralph/specs\n");
    expect((await json("build", "--project", "auth-system")).system!.text).toContain(
      "  - projects/auth-system/specs\n",
    );
  });

  test("S000-R3 a project may have prompts of its own", async () => {
    write(cwd, { "projects/own/PROMPT_build.md": "Own prompt of {project}.\n", "projects/own/specs/x.md": "" });
    expect((await json("build", "--project", "own")).prompt.text).toContain("Own prompt of projects/own.\n");
  });

  test("D-02 a missing project is an error that names the command which creates it", async () => {
    expect(await prompt("build", "--project", "auth-sytem")).toMatchObject({
      code: 78,
      stderr:
        'error: Unknown project "auth-sytem": projects/auth-sytem does not exist\n' +
        "hint: Did you mean --project auth-system? To create it, run ralphctl init --project auth-sytem\n",
    });
  });

  test("S002-05 --change and --module put their texts into the prompt", async () => {
    const { prompt: sent, system } = await json("build", "--change", "add-log", "--module", "1");
    expect(sent.sections.map(({ name }) => name)).toEqual([
      "preamble",
      "change",
      "module",
      "prompt",
      "change-tasks",
      "preamble",
    ]);
    expect(sent.text).toContain(
      "## Change Proposal (add-login)\n\nLogin.\n\n---\n\n## Module (01)\n\nCore.\n\n---\n\n# Build",
    );
    expect(sent.text).toContain("add it to openspec/changes/add-login/tasks.md");
    expect(system!.text).toContain("  - openspec/changes/add-login/specs\n  - .ralph/specs\n");
  });

  test("S002-07 the CLI says when a change or a module does not exist, and stops", async () => {
    expect(await prompt("--change", "add-lgin")).toMatchObject({
      code: 64,
      stderr: 'error: Unknown change "add-lgin"\nhint: Did you mean --change add-login?\n',
    });
    expect(await prompt("--change", "add")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("Ambiguous change id 'add'. Matches: add-login, add-mail"),
    });
    expect(await prompt("--module", "9")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('Unknown module "9"'),
    });
  });

  test("one scope at a time", async () => {
    expect(await prompt("--project", "auth-system", "--change", "add-login")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--project and --change cannot be used together"),
    });
    expect((await prompt("--project", "auth-system", "--module", "1")).code).toBe(64);
  });

  test("D-14 S004-K2 layout, template and preamble come from flags and configuration", async () => {
    write(cwd, {
      "my.md": "Round {iteration}/{max}: {task} Say {promise}.",
      "alt.yaml": "prompts: {layout: preamble-first}\nharnesses: {quiet: {preamble: false}}\n",
    });
    expect(
      (await json("--preamble-template", "my.md", "--max-iterations", "7", "--completion-promise", "OK")).prompt.text,
    ).toMatch(/^Round 1\/7: # Build[^]* Say OK\.$/);
    expect((await json("--config", "alt.yaml")).prompt.text).toMatch(/Good luck!\n\n---\n\n# Build/);
    expect((await json("--config", "alt.yaml", "--harness", "quiet")).prompt.text).toMatch(/^# Build/);
  });

  test("{smart} and {fast} name models, or say it in words", async () => {
    expect((await json("build")).prompt.text).toContain("Use sonnet for searching, and opus");
    expect((await json("build", "--harness", "codex")).prompt.text).toContain("Use your fastest model for searching");
    expect((await json("build", "--fast-model", "mini", "--smart-model", "max")).prompt.text).toContain(
      "Use mini for searching, and max",
    );
  });

  test("cfg-R3 a missing or empty specs directory is a warning", async () => {
    mkdirSync(join(cwd, "empty"), { recursive: true });
    write(cwd, { "specs.yaml": "specs: {dirs: [empty, gone]}\n" });
    expect(await prompt("--config", "specs.yaml")).toMatchObject({
      code: 0,
      stderr: "warning: The specs directory empty is empty\nwarning: The specs directory gone does not exist\n",
    });
  });

  test("cfg-R1 a path that is written as lying outside is the user's own decision", async () => {
    const outside = temporaryFolder({
      "t.md": "Outside: {task}",
      "ralphctl/config.yaml": "prompts: {template: ../t.md}\n",
    });
    expect((await json("--preamble-template", join(outside, "t.md"))).prompt.text).toMatch(/^Outside: # Build/);
    const env = { PATH: process.env["PATH"]!, XDG_CONFIG_HOME: outside };
    expect((await type(["prompt", "--quiet"], { cwd, env })).stdout).toMatch(/^Outside: # Build/);
  });

  test("D-01 without specs directories or plan files the templates still read as sentences", async () => {
    write(cwd, { "none.yaml": "plan: []\nspecs: {dirs: []}\n" });
    const { prompt: sent } = await json("plan", "--config", "none.yaml");
    expect(sent.text).toContain("Read every spec in the repository.\n2. Read IMPLEMENTATION_PLAN.md, if");
  });

  test("limits.prompt bounds the whole prompt", async () => {
    write(cwd, { "small.yaml": "limits: {prompt: 2KB}\n" });
    expect(await prompt("build", "--config", "small.yaml")).toMatchObject({
      code: 65,
      stderr: expect.stringMatching(/^error: The prompt has \d+ bytes, more than limits\.prompt allows \(2KB\)\n/),
    });
  });

  test("W-06 creates no file", () => {
    expect(git(cwd, "status", "--porcelain", "--ignored", "--", ".ralph")).toBe("?? .ralph/specs/a.md");
  });

  test("P-05 without a workspace: 78, and what to do", async () => {
    expect(await type(["prompt"], { cwd: temporaryFolder() })).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^error: No workspace here.*\nhint: Run ralphctl init\n$/),
    });
  });
});

describe("placeholders at the command line", () => {
  test("S000-AC1 S000-AC2 S000-AC5 are resolved with --project, S000-AC3 missed without it", async () => {
    write(cwd, { "PROMPT_plan.md": "Study {project}/specs and \\{project}, {project}.\n" });
    expect((await json("plan", "--project", "auth-system")).prompt.sections[1]!.text).toBe(
      "Study projects/auth-system/specs and {project}, projects/auth-system.\n",
    );
    expect(await prompt("plan")).toMatchObject({
      code: 64,
      stdout: "",
      stderr:
        "error: Prompt contains {project} placeholder but --project flag was not provided. " +
        "Either provide --project flag or remove {project} from your prompt templates.\n" +
        "hint: Write `\\{project}` for the literal text\n",
    });
  });

  test("S000-AC4 S000-AC6 a prompt without them is sent as it is, CRLF and all", async () => {
    write(cwd, { "PROMPT_plan.md": "\uFEFFNo placeholder,\r\njust {specs}.\r\n" });
    for (const scope of [[], ["--project", "auth-system"]]) {
      expect((await json("plan", ...scope)).prompt.sections[1]!.text).toBe("No placeholder,\r\njust {specs}.\r\n");
    }
  });

  test('S000-E4 --project "" fails early', async () => {
    expect(await prompt("--project", "")).toMatchObject({ code: 64, stderr: expect.stringContaining("is empty") });
  });
});

describe("bad prompt files", () => {
  const bad = temporaryRepository({ "README.md": "x" });

  const cases: [string, string | Uint8Array, number, RegExp][] = [
    ["binary", Uint8Array.from([80, 0, 1, 2]), 65, /is not text: line 1 has a NUL byte/],
    ["not UTF-8", Uint8Array.from([80, 0xff, 0xfe]), 65, /has invalid UTF-8/],
    ["50 MB", "x".repeat(50_000_000), 65, /is larger than 1MB/],
    ["empty", "", 65, /is empty/],
    ["blank", " \r\n\t", 65, /is empty/],
    ["a template with nothing in it", "<!-- ralphctl template 1 -->\n", 65, /is empty/],
  ];

  test.each(cases)("%s: a sentence, a hint, the right code", async (_name, content, code, words) => {
    await type(["init"], { cwd: bad });
    write(bad, { "PROMPT_build.md": content });
    const answer = await type(["prompt", "build"], { cwd: bad });
    expect(answer).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(words) });
    expect(answer.stderr).toMatch(/^error: The prompt file PROMPT_build\.md .*\nhint: [A-Z].*\n$/);
  });

  test("missing, a folder, a link that leads out", async () => {
    const outside = temporaryFolder({ "p.md": "secret" });
    write(bad, {
      "a.yaml": "prompts: {build: gone.md}\n",
      "b.yaml": "prompts: {build: .ralph}\n",
      "c.yaml": "prompts: {build: link.md}\n",
    });
    symlinkSync(join(outside, "p.md"), join(bad, "link.md"));
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => type(["prompt", "--config", `${name}.yaml`], { cwd: bad })),
    );
    expect(answers.map(({ code }) => code)).toEqual([78, 74, 65]);
  });
});
