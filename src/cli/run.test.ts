import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type } from "../../test/recording-io.ts";
import { iterationFinished, iterationStarted, login, runFinished, runStarted } from "../../test/run-events.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";
import type { RunRequest } from "../app/run/run-request.ts";
import type { Surroundings } from "../app/workspace.ts";
import { loadConfig } from "../config/config.ts";
import { RalphError } from "../domain/error.ts";
import { createRedactor } from "../domain/redact.ts";
import { eventLine, recordEvent } from "../domain/run/event-line.ts";
import type { RunEvent } from "../domain/run/event.ts";
import type { RunEnding } from "../domain/run/policy.ts";
import { openEventLog } from "../system/event-log.ts";
import { lockTree } from "../system/tree-lock.ts";
import type { Input } from "./command.ts";
import { commands } from "./commands/index.ts";
import { codeAfterRun } from "./exit-code.ts";
import { loopSurroundings } from "./flags.ts";
import type { Io } from "./io.ts";
import { buildProgram } from "./program.ts";
import { openRunOutput } from "./run-output.ts";
import { runRequest } from "./run-request.ts";

const cwd = temporaryRepository({ "README.md": "x" });

beforeAll(async () => {
  await type(["init", "--project", "auth", "--yes"], { cwd });
});

const run = async (...argv: readonly string[]): Promise<Answer> => await type(["run", ...argv], { cwd });

interface Recorded {
  readonly io: Io;
  readonly out: string[];
  readonly err: string[];
}

function recorded(more: Partial<Io> = {}): Recorded {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    drained: async () => {},
    env: {},
    cwd,
    isInteractive: true,
    hasTerminal: true,
    confirm: async () => false,
    choose: async () => undefined,
    chooseMany: async () => undefined,
    askText: async () => undefined,
    progress: undefined,
    inputBytes: async function* () {},
    readInput: async () => "",
    saveMemory: () => undefined,
    interrupts: () => ({ stop: new AbortController().signal, kill: new AbortController().signal }),
    self: ["ralphctl"],
    isRoot: false,
    ...more,
  };
  return { io, out, err };
}

/** What the parser makes of a command line. */
async function parsed(...argv: readonly string[]): Promise<Input> {
  let found: Input | undefined;
  const own = commands.filter(({ name }) => name === "run");
  const program = buildProgram(own, recorded().io, async (_command, input) => {
    found = input;
  });
  await program.parseAsync(["run", ...argv], { from: "user" });
  return found!;
}

describe("what the command line asks for", () => {
  const usual = {
    mode: "auto",
    words: undefined,
    file: undefined,
    tasks: undefined,
    scope: { project: undefined, change: undefined, sprint: undefined, module: undefined },
    validationCommand: undefined,
    strict: false,
    acceptLook: false,
  } satisfies RunRequest;

  test.each<[string, readonly string[], Partial<RunRequest>]>([
    ["nothing", [], {}],
    ["a mode", ["plan"], { mode: "plan" }],
    ["another mode", ["auto"], {}],
    ["P-02 words", ["Add a login page"], { words: "Add a login page" }],
    ["P-02 a mode and words", ["build", "Add a login page"], { mode: "build", words: "Add a login page" }],
    ["a word that only looks like a mode", ["Planner"], { words: "Planner" }],
    ["the words of a mode's name", ["build", "plan"], { mode: "build", words: "plan" }],
    ["P-02 a file", ["--file", "brief.md"], { file: "brief.md" }],
    ["P-02 tasks", ["--task", "t-1", "--task", "t-2"], { tasks: ["t-1", "t-2"] }],
    ["a scope", ["--project", "auth"], { scope: { ...usual.scope, project: "auth" } }],
    [
      "how it is proven",
      ["--validation-command", "npm test", "--strict"],
      { validationCommand: "npm test", strict: true },
    ],
  ])("%s", async (_name, argv, request) => {
    expect(runRequest(await parsed(...argv))).toEqual({ ...usual, ...request });
  });

  test.each<[string, readonly string[], string]>([
    ["a mistyped mode", ["bulid"], 'Unknown mode "bulid"'],
    ["words without quotes", ["Add", "login"], "The description of the work is one argument, and these are 2"],
    ["many of them", ["fix", "the", "bug"], "The description of the work is one argument, and these are 3"],
    ["blank words", ["build", " "], "The description of the work is blank"],
    ["words and a file", ["Do it", "--file", "a.md"], "A description and --file cannot be used together"],
    ["a file and a task", ["--file", "a.md", "--task", "t-1"], "--file and --task cannot be used together"],
    ["a task in plan mode", ["plan", "--task", "t-1"], "--task cannot be used in plan mode, which assigns no task"],
    ["a blank command", ["--validation-command", ""], "--validation-command is blank"],
    ["a blank model", ["--model", " "], "--model is blank"],
    ["quiet and verbose", ["-q", "-v"], "--quiet and --verbose cannot be used together"],
    ["two scopes", ["--project", "a", "--change", "b"], "--project and --change cannot be used together"],
  ])("X-64 refuses %s", async (_name, argv, message) => {
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stdout, stderr.split("\n")[0]]).toEqual([64, "", `error: ${message}`]);
  });

  test.each([
    ["--max-iterations", "many", 'must be a whole number or unlimited, not "many"'],
    ["--min-iterations", "x", 'must be a whole number of at least 1, not "x"'],
    [
      "--max-time",
      "soon",
      'must be a duration above zero, written like 30s, 5m, 1m30s, 2h or 90 (seconds), not "soon"',
    ],
    ["--max-cost", "-1", "must be a number greater than 0, not -1"],
    ["--max-tokens", "1.5", "must be a whole number of at least 1, not 1.5"],
    ["--max-attempts", "0", "must be a whole number of at least 1, not 0"],
    ["--max-wait", "0", 'must be a duration above zero, written like 30s, 5m, 1m30s, 2h or 90 (seconds), not "0"'],
    ["--timeout", "1d", 'must be a duration above zero, written like 30s, 5m, 1m30s, 2h or 90 (seconds), not "1d"'],
    ["--error-threshold", "0", "must be a whole number of at least 1, not 0"],
    ["--model-strategy", "cheap", '"cheap" is not one of: fixed, cost-optimized, escalate, plan-then-execute'],
    ["--branch", "", 'must be one line of text that is not empty, not ""'],
    ["--completion-promise", "FAILURE", "must not be FAILURE, which stops a run"],
    ["--harness", "a b", 'must be a name of 1 to 64 letters, digits, dots, underscores or hyphens, not "a b"'],
  ])("X-64 a bad value of %s is told by that name", async (flag, value, complaint) => {
    const { code, stderr } = await run("--status", `${flag}=${value}`);
    expect([code, stderr.split("\n")[0]]).toEqual([64, `error: ${flag} ${complaint}`]);
  });

  test("flags that stand for configuration keys win over every file", async () => {
    const flags =
      "--harness codex --model-strategy escalate --max-iterations 7 --min-iterations 2 --max-time 8h --max-cost 5 " +
      "--max-tokens 1000 --max-attempts 4 --max-wait 1h --timeout 10m --completion-promise DONE --error-threshold 9 " +
      "--no-commit --branch x --preamble-template p.md";
    const input = await parsed(...flags.split(" "));
    const { config } = await loadConfig(loopSurroundings(input, recorded().io));
    const { iterations, minIterations, time, cost, tokens, attempts, wait, inactivity, errors } = config.limits;
    expect({
      harness: config.harness,
      strategy: config.models.strategy,
      promise: config.promise,
      template: config.prompts.template,
      git: [config.git.commit, config.git.branch],
      limits: [iterations, minIterations, time, cost, tokens, attempts, wait, inactivity, errors],
    }).toEqual({
      harness: ["codex"],
      strategy: "escalate",
      promise: "DONE",
      template: "p.md",
      git: [false, "x"],
      limits: [7, 2, 28_800_000, 5, 1000, 4, 3_600_000, 600_000, 9],
    });
    expect((await loadConfig(loopSurroundings(await parsed(), recorded().io))).config.git.commit).toBe(true);
  });

  test("--model alone means the strategy fixed; beside a strategy it is one of its models", async () => {
    const models = async (...argv: readonly string[]): Promise<unknown> => {
      const around: Surroundings = loopSurroundings(await parsed(...argv), recorded().io);
      const { config } = await loadConfig({ ...around, env: { RALPHCTL_MODELS_STRATEGY: "cost-optimized" } });
      return [config.models.strategy, around.model, around.smartModel, around.fastModel];
    };
    expect(await models("--model", "opus")).toEqual(["fixed", "opus", undefined, undefined]);
    expect(await models("--model", "opus", "--model-strategy", "escalate")).toEqual([
      "escalate",
      "opus",
      undefined,
      undefined,
    ]);
    expect(await models("--smart-model", "a", "--fast-model", "b")).toEqual(["cost-optimized", undefined, "a", "b"]);
  });
});

describe("how it ends", () => {
  test.each<[RunEnding, number]>([
    ["complete", 0],
    ["failure", 1],
    ["blocked", 2],
    ["nothing", 3],
    ["limit", 4],
    ["unverified", 5],
    ["interrupted", 130],
  ])("X-0 X-1 X-2 X-3 X-4 X-5 X-130 %s is exit %i", (ending, code) => {
    expect(codeAfterRun(ending)).toBe(code);
  });
});

describe("output", () => {
  const secret = "sk-0123456789";
  const env = { API_KEY: secret };
  const { run } = runStarted;
  const events: readonly RunEvent[] = [
    runStarted,
    { type: "agent.text", iteration: 3, text: `Use ${secret}` },
    runFinished,
  ];
  const printed = async (options: Input["options"], more: Partial<Io> = {}): Promise<Recorded> => {
    const world = recorded({ env, ...more });
    const output = await openRunOutput({ args: [], options }, world.io);
    for (const event of events) output.host.emit(recordEvent(event, { at: 0, run, redact: createRedactor(env) }));
    output.end(runFinished);
    return world;
  };

  test("W-04 --json is one event per line and nothing else; the summary is talk", async () => {
    const { out, err } = await printed({ json: true });
    const lines = out.join("").split("\n").slice(0, -1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { v: 1, at: "1970-01-01T00:00:00.000Z", ...runStarted },
      {
        v: 1,
        at: "1970-01-01T00:00:00.000Z",
        run: runStarted.run,
        type: "agent.text",
        iteration: 3,
        text: "Use [API_KEY]",
      },
      { v: 1, at: "1970-01-01T00:00:00.000Z", run: runStarted.run, ...runFinished },
    ]);
    expect(err.join("").split("\n")[0]).toBe("Complete and verified: every task is settled");
    expect((await printed({ json: true, quiet: true })).err).toEqual([]);
  });

  test("W-04 lines and summary go to standard output, without secrets", async () => {
    const { out, err } = await printed({});
    expect(err).toEqual([]);
    expect(out[0]).toMatch(/^Run r-20261116-014755-3f2a works on main at /);
    expect(out.join("")).toContain("  Use [API_KEY]\n\nComplete and verified");
  });

  test.each(["json", "plain", "quiet"])("there is no view with --%s, even where there could be one", async (flag) => {
    const terminal = async (): Promise<never> => await Promise.reject(new Error("It was asked for a terminal"));
    expect((await printed({ [flag]: true }, { terminal })).out.length).toBeGreaterThan(0);
    await expect(printed({}, { terminal })).rejects.toThrow("It was asked for a terminal");
  });

  test("a log has the time before each line: with --plain, and where nobody sits at a terminal", async () => {
    for (const { out } of [await printed({ plain: true }), await printed({}, { isInteractive: false })]) {
      expect(out[0]).toMatch(/^\d\d:\d\d:\d\d {2}Run r-/);
    }
  });
});

describe("flags that act and exit", () => {
  test("S004-G --add-context appends, blank is ignored, --clear-context empties; nothing is started", async () => {
    expect(await run("--add-context", "One")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Added. The next iteration of workspace will see it.\n",
    });
    expect((await run("--add-context", " ")).stderr).toBe("Nothing was added: the text is blank.\n");
    await run("--add-context", "Two", "--project", "auth");
    await run("--add-context", "Three");
    const shown = async (...argv: readonly string[]): Promise<string> =>
      (await type(["context", "show", ...argv], { cwd })).stdout;
    expect([await shown(), await shown("--project", "auth")]).toEqual(["One\n\nThree\n", "Two\n"]);
    expect((await run("--clear-context", "--add-context", "Four")).code).toBe(0);
    expect(await shown()).toBe("Four\n");
    expect(await run("--clear-context")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Cleared the context of workspace.\n",
    });
    expect([await shown(), await shown("--project", "auth")]).toEqual(["", "Two\n"]);
  });

  test("X-64 --status only looks", async () => {
    expect((await run("--status", "--clear-context")).code).toBe(64);
  });
});

describe("--status", () => {
  const at = Date.UTC(2026, 10, 16, 1, 47, 55);

  function record(root: string, id: string, events: readonly RunEvent[]): void {
    const log = openEventLog(join(root, ".ralph", "runs", id, "events.ndjson"));
    for (const [index, event] of events.entries()) {
      const own = event.type === "run.started" ? { ...event, run: id } : event;
      log.write(eventLine(own, { at: at + index * 1000, run: id, redact: (text) => text }));
    }
    // As a crash leaves it.
    log.write('{"v":1,"at":"2026');
    log.close();
  }

  async function workspace(): Promise<string> {
    const root = temporaryRepository({ "README.md": "x" });
    await type(["init", "--project", "auth", "--yes"], { cwd: root });
    return root;
  }

  const files = (root: string): string[] => readdirSync(root, { recursive: true, encoding: "utf8" }).sort();

  test("S004-G W-06 shows the iterations and last outcomes of the scope's newest run, and makes no file", async () => {
    const root = await workspace();
    record(root, "r-20261115-000000-aaaa", [runStarted, runFinished]);
    record(root, "r-20261116-000000-bbbb", [
      runStarted,
      { type: "run.notice", level: "warning", text: "Red \u001b[31mbaseline" },
      { ...iterationStarted, iteration: 1 },
      { ...iterationFinished, iteration: 1, outcome: "rejected", status: "pending", costUsd: undefined },
      { ...iterationStarted, iteration: 2 },
      { ...iterationFinished, iteration: 2 },
      { ...runFinished, ending: "limit", reason: "2 iterations are over", verified: 1, commits: 1 },
    ]);
    record(root, "r-20261117-000000-cccc", [{ ...runStarted, scope: "project/auth" }]);
    const before = files(root);
    expect(await type(["run", "--status"], { cwd: root })).toEqual({
      code: 0,
      stderr: "",
      stdout: `Run r-20261116-000000-bbbb of workspace

  State       limit: 2 iterations are over
  Started     2026-11-16 01:47:55Z
  Lane        1, /home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d/1
  Last event  2026-11-16 01:48:01Z
  Tasks       1 unbroken
  Cost        at least $3.20 · 1,234,567 tokens
  Commits     1

Iterations
  1 · t-1a2b3c4d "Add login" · rejected · 2m10s
  2 · t-1a2b3c4d "Add login" · proven · 2m10s · $0.42
Warning: Red baseline
`,
    });
    expect(files(root)).toEqual(before);
  });

  test("S004-G a run that lasts says what it does; one that was killed says how to go on", async () => {
    const root = await workspace();
    const waiting: RunEvent = { type: "run.waiting", for: "limit", untilMs: at };
    const many = Array.from({ length: 12 }, (_, index): RunEvent => ({ ...iterationStarted, iteration: index + 1 }));
    const line = async (n: number): Promise<string | undefined> =>
      (await type(["run", "--status"], { cwd: root })).stdout.split("\n")[n];
    const lock = await lockTree(join(root, ".git"), { run: "r-1", scope: "workspace" });
    record(root, "r-1", [{ ...runStarted, pid: process.pid }, ...many, waiting]);
    expect(await line(2)).toBe(
      `  State       running as process ${process.pid}, waiting (limit) until 2026-11-16 01:47:55Z`,
    );
    expect([await line(11), await line(12)]).toEqual(["  … 2 earlier", '  3 · t-1a2b3c4d "Add login" · running']);
    const ended = "  State       crashed or was killed; ralphctl run continues where it stopped";
    lock.release();
    // Whoever has the number of its process now.
    expect(await line(2)).toBe(ended);
    record(root, "r-2", [{ ...runStarted, pid: process.pid }]);
    expect(await line(2)).toBe(ended);
    expect(await line(10)).toBe("No iterations yet");
  });

  test("S004-G --json has the same for a program", async () => {
    const root = await workspace();
    const json = async (): Promise<unknown> =>
      JSON.parse((await type(["run", "--status", "--json"], { cwd: root })).stdout);
    expect(await json()).toEqual({ version: 1, scope: "workspace", run: null });
    record(root, "r-1", [runStarted, iterationStarted, runFinished]);
    expect(await json()).toEqual({
      version: 1,
      scope: "workspace",
      run: "r-1",
      state: "finished",
      startedAt: "2026-11-16T01:47:55.000Z",
      lastAt: "2026-11-16T01:47:57.000Z",
      mode: "build",
      harness: "claude",
      branch: "main",
      lane: runStarted.lane,
      lanes: 1,
      unfinished: [],
      notFollowing: null,
      ending: "complete",
      reason: "Every task is settled",
      waiting: null,
      tasks: { proven: 0, unbroken: 4, look: 0, failed: 0, waiting: 0, dropped: 0, blocked: 0 },
      commits: 4,
      costUsd: 3.2,
      isCostPartial: false,
      isCostEstimated: false,
      tokens: 1_234_567,
      iterations: [
        {
          iteration: 3,
          lane: 1,
          mode: "build",
          task: login,
          harness: "claude",
          model: "opus",
          folder: iterationStarted.folder,
          outcome: null,
          strength: null,
          reason: null,
          commit: null,
          durationMs: 0,
          costUsd: null,
          isCostPartial: null,
          tokens: 0,
        },
      ],
      notices: [],
      kept: [],
    });
  });

  test("S004-G where there was no run it says so, with the command that starts one", async () => {
    expect(await run("--status", "--project", "auth")).toEqual({
      code: 0,
      stdout: "No runs of project/auth yet\n\nNext:\n  ralphctl run --project auth\n",
      stderr: "",
    });
  });

  test("X-78 without a workspace it says what to run", async () => {
    const { code, stderr } = await type(["run", "--status"], { cwd: temporaryRepository() });
    expect([code, stderr.split("\n")[1]]).toEqual([78, "hint: Run ralphctl init"]);
  });
});

test("an error of the request is a RalphError, which the library can tell from a bug", async () => {
  const input = await parsed("Add", "login");
  expect(() => runRequest(input)).toThrow(RalphError);
});
