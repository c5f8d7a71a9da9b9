import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type } from "../../test/recording-io.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";
import { RalphError } from "../domain/error.ts";
import type { Input } from "./command.ts";
import { commands } from "./commands/index.ts";
import { translateFlags } from "./foreign-flags.ts";
import type { Io } from "./io.ts";
import { buildProgram } from "./program.ts";

const cwd = temporaryRepository({
  "README.md": "x",
  "projects/auth/IMPLEMENTATION_PLAN.md": "- [ ] Log in\n",
  "openspec/changes/add-x/tasks.md": "- [ ] 1.1 Add X\n",
  "openspec/modules/014_docs/module.md": "About docs.",
});

beforeAll(async () => {
  await type(["init", "--yes"], { cwd });
});

const line = async (...argv: readonly string[]): Promise<Answer> => await type(argv, { cwd });

/** What a command line means, and what is said of it. */
async function meant(...argv: readonly string[]): Promise<{ options: Input["options"]; said: string }> {
  let said = "";
  let options: Input["options"] = {};
  const io = { out: () => undefined, err: (text: string) => (said += text), env: {}, cwd } as unknown as Io;
  const program = buildProgram(commands, io, async (_, input) => {
    options = input.options;
  });
  await program.parseAsync([...argv], { from: "user" });
  return { options, said };
}

describe("flags of other Ralph loops", () => {
  test.each([
    [["--agent", "claude-code"], { harness: "claude" }, "--agent claude-code is --harness claude here"],
    [["--agent", "opencode"], { harness: "opencode" }, "--agent opencode is --harness opencode here"],
    [["--tool", "claude"], { harness: "claude" }, "--tool claude is --harness claude here"],
    [["--exit-on-error"], { errorThreshold: "1" }, "--exit-on-error is --error-threshold 1 here"],
    [
      ["--continue-module", "-m", "014"],
      { continueReady: true, module: "014" },
      "--continue-module is --continue-ready here",
    ],
    [["--once"], { maxIterations: "1" }, "--once is --max-iterations 1 here"],
    [["-o"], { maxIterations: "1" }, "--once is --max-iterations 1 here"],
    [["--limit", "5"], { maxIterations: "5" }, "--limit 5 is --max-iterations 5 here"],
    [["--max-retries", "3"], { maxAttempts: "4" }, "--max-retries 3 is --max-attempts 4 here"],
    [["--yolo"], {}, "--yolo is not needed here: the loop always starts agents with all permissions"],
    [["--allow-all"], {}, "--allow-all is not needed here: the loop always starts agents with all permissions"],
    [
      ["--permission-posture", "allow-all"],
      {},
      "--permission-posture allow-all is not needed here: the loop always starts agents with all permissions",
    ],
    [["--no-interactive"], {}, "--no-interactive is not needed here: a run asks nothing"],
  ])("%j of run means %j", async (flags, options, note) => {
    const { options: got, said } = await meant("run", ...flags);
    expect(got).toMatchObject(options);
    expect(said).toBe(`note: ${note}\n`);
  });

  test.each([
    [["--skip-validation"], "There is no --skip-validation: ralphctl never takes a claim for proof", "gates: []"],
    [["--no-verify"], "There is no --no-verify: ralphctl never takes a claim for proof", "gates: []"],
    [["--permission-posture", "ask"], '--permission-posture "ask" is not possible in a loop', "ralphctl step"],
    [["--max-retries", "many"], '--max-retries must be a whole number, not "many"', "--max-attempts 4"],
    [
      ["--agent", "claude-code", "--harness", "codex"],
      "--agent and --harness cannot be used together",
      "Leave out --agent",
    ],
  ])("%j of run is refused with the equivalent", async (flags, message, hint) => {
    const { code, stderr } = await line("run", ...flags);
    expect(code).toBeGreaterThanOrEqual(64);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  test("a flag that was not typed says nothing and sets nothing", async () => {
    const { options, said } = await meant("run");
    expect(said).toBe("");
    expect(translateFlags("run", options)).toEqual({ options, notes: [] });
  });

  test("the same value twice is no contradiction", async () => {
    expect((await meant("run", "--agent", "codex", "--harness", "codex")).options).toMatchObject({ harness: "codex" });
  });

  test("other commands do not have them", async () => {
    await expect(meant("status", "--yolo")).rejects.toThrow("unknown option '--yolo'");
    expect(() => translateFlags("status", { yolo: true })).not.toThrow(RalphError);
  });

  test("help does not show them", async () => {
    const { stdout } = await line("run", "--help");
    expect(stdout).not.toMatch(/--agent|--yolo|--once|--no-verify/);
  });
});

describe("short flags", () => {
  test.each([
    [["-p", "auth"], "project/auth"],
    [["-c", "add-x"], "change/add-x"],
  ])("%j names the scope", async (flags, scope) => {
    const { stdout } = await line("status", ...flags, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ scope });
  });
});

describe("inspect --output", () => {
  test("writes the sessions as JSON into the file", async () => {
    const { code, stdout } = await line("inspect", "--output", "inspect.json");
    expect([code, stdout]).toEqual([0, `${join(cwd, "inspect.json")}\n`]);
    expect(JSON.parse(readFileSync(join(cwd, "inspect.json"), "utf8"))).toEqual([]);
  });

  test("- prints them", async () => {
    expect((await line("inspect", "--output", "-")).stdout).toBe("[]\n");
  });

  test("a patch is no JSON: refused, and nothing is written", async () => {
    const { code, stderr } = await line("inspect", "3", "--diff", "--output", "x.json");
    expect([code, existsSync(join(cwd, "x.json"))]).toEqual([64, false]);
    expect(stderr).toContain("ralphctl inspect 3 --diff > FILE");
  });
});
