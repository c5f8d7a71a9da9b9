import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Answer, type } from "../../test/recording-io.ts";
import { temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";
import { RalphError } from "../domain/error.ts";
import { commands } from "./commands/index.ts";
import { codeAfterError, EXIT_CODES } from "./exit-code.ts";
import { main } from "./main.ts";

const cwd = temporaryFolder();
const at = async (...argv: readonly string[]): Promise<Answer> => await type(argv, { cwd });

describe("exit codes", () => {
  test("X-0 X-1 X-2 X-3 X-4 X-5 X-64 X-65 X-69 X-70 X-74 X-75 X-77 X-78 X-130 the table", () => {
    expect(Object.fromEntries(Object.entries(EXIT_CODES).map(([name, { code }]) => [name, code]))).toEqual({
      complete: 0,
      failure: 1,
      blocked: 2,
      nothing: 3,
      limit: 4,
      unverified: 5,
      usage: 64,
      data: 65,
      unavailable: 69,
      bug: 70,
      io: 74,
      busy: 75,
      login: 77,
      config: 78,
      interrupted: 130,
    });
  });

  test("an error of the user's has the code of its kind; anything else is a bug", () => {
    expect(codeAfterError(new RalphError("busy", "x"))).toBe(75);
    expect(codeAfterError(new TypeError("x"))).toBe(70);
    expect(codeAfterError("x")).toBe(70);
  });

  test("X-70 a bug prints its stack", async () => {
    let stderr = "";
    const code = await main(["config", "schema"], {
      out: () => {
        throw new TypeError("deliberate");
      },
      err: (text) => {
        stderr += text;
      },
      drained: async () => {},
      env: {},
      cwd,
      isInteractive: false,
      hasTerminal: false,
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
    });
    expect(code).toBe(70);
    expect(stderr).toMatch(/^This is a bug in ralphctl .*\nTypeError: deliberate\n {4}at /);
  });
});

describe("ralphctl", () => {
  test("--version prints the version alone", async () => {
    expect(await at("--version")).toEqual(await at("-V"));
    expect(await at("--version")).toMatchObject({ code: 0, stderr: "" });
  });

  test("help is formatNumber, one line each, with examples, within 80 columns", async () => {
    const { code, stdout, stderr } = await at("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: ralphctl <command> [options]

      Runs coding agents in a loop over a graph of tasks until the work is proven
      done.

      Options:
        -V, --version        print the version
        -h, --help           print help

      Start:
        init                 set up this repository as a workspace, or add a project
        demo                 watch a complete run on a repository of its own

      Work:
        run [mode] [words]   run agents until the work is proven done
        step [mode] [words]  work on one task together with an agent; gates decide
        prompt [mode]        show exactly the prompt an agent would get
        task                 the graph of tasks: add, list, show, ready, done and more
        context              tell the agent something mid-loop: add, show, clear
        project              parts of the workspace with tasks of their own: list
        change               proposals with tasks of their own: list
        sprint               goals or phases in sequence: start, status, stop
        verify [task]        run the gates; with --all, find what broke them
        gates                what decides whether work is proven: show, approve
        land                 let your branch follow the work that landed
        undo [subject]       take back what a run or task landed, and reopen its tasks
        lanes                where agents work: show, open, take, drop, rm, gc
        fleet                several machines that share their tasks: status, init
        worker               work on the runs of a fleet, until it is stopped
        status               show runs, tasks, questions, cost, and what to do next
        inspect [subject]    show what happened in a run, iteration or task, and why
        logs [run]           print the log of a run; -f follows it until it ends
        watch [run]          show the live view of a run in another terminal
        ui                   serve a page that shows all runs, and lets you answer
        report [run]         summarize a run, as text or as an HTML page
        stop                 stop the run in this working tree; again stops it at once
        pause                pause the run after its current iteration
        resume               resume a paused run, or end its wait for a limit

      Settings:
        config               settings and where they come from: get, set, edit and
                             more
        notify               who is told when a run ends or needs you: test
        doctor               check the setup, and say how to fix problems
        trust                show what a repository's files start and set; trust it
        mcp                  serve tasks to agents over the Model Context Protocol
        upgrade              say whether there is a newer version; changes nothing
        completion <shell>   print a shell completion script
        help [topic]         print help for a command or a topic

      Topics (see ralphctl help topics):
        tasks, specs, gates, scopes, sprints, lanes, harnesses, sessions,
        limits, hooks, files, environment, exit-codes

      Examples:
        ralphctl init
        ralphctl run
        ralphctl help gates
      "
    `);
    expect(await at("help")).toEqual({ code, stdout, stderr });
    expect(await at("help", "help")).toEqual({ code, stdout, stderr });
  });

  test("E-02 alone: the status in a workspace, how to begin elsewhere, help in a session", async () => {
    const outside = temporaryFolder();
    const begin = await type([], { cwd: outside });
    expect(begin).toEqual({
      code: 0,
      stdout: `ralphctl runs coding agents in a loop over a graph of tasks until the work is proven done.
There is no git repository here.

Begin:
  ralphctl demo                        watch a complete run, without an agent and without cost
  cd YOUR-REPOSITORY && ralphctl init  set up a repository; git init makes one
  ralphctl run "Add a login page"      let an agent work until the gates prove it

All commands: ralphctl --help
`,
      stderr: "",
    });
    const repository = temporaryRepository({ "a.txt": "a\n" });
    expect((await type([], { cwd: repository })).stdout).toContain(
      "This repository is no workspace yet.\n\nBegin:\n  ralphctl demo",
    );
    await type(["init", "--yes"], { cwd: repository });
    const status = await type(["status"], { cwd: repository });
    expect(status.stdout).toContain("Next:\n");
    expect(await type([], { cwd: repository })).toEqual(status);
    const session = { PATH: process.env["PATH"]!, RALPHCTL_ATTEMPT: "r-1/1/t-1" };
    expect((await type([], { cwd: repository, env: session })).stdout).toContain("Usage: ralphctl <command>");
  });

  test("E-02 run --help is in groups, and the ten that people need first come first", async () => {
    const { stdout } = await at("run", "--help");
    const headings = stdout.split("\n").filter((line) => /^[A-Z].*:$/.test(line));
    expect(headings).toEqual(
      "Arguments: Most used: What to work on: Models: Limits: Proof: Where work goes: Prompt and settings: Output: Instead of a run: Options: Examples:".split(
        /(?<=:) /,
      ),
    );
    const first = stdout.split("Most used:\n")[1]!.split("\n\n")[0]!;
    expect(first.match(/^ {2}(?:-\w, )?--[\w-]+/gm)?.map((flag) => flag.replace(/^.*(?=--)/, ""))).toEqual(
      "--task --file --project --harness --model --lanes --max-iterations --max-time --max-cost --dry-run".split(" "),
    );
  });

  test("E-02 status --watch needs a terminal, and names what else there is", async () => {
    const repository = temporaryRepository({ "a.txt": "a\n" });
    await type(["init", "--yes"], { cwd: repository });
    expect(await type(["status", "--watch"], { cwd: repository })).toEqual({
      code: 64,
      stdout: "",
      stderr:
        "error: status --watch needs a terminal\n" +
        "hint: Use ralphctl status --json for programs, or ralphctl logs --follow to follow a run\n",
    });
  });

  test.each(commands.filter(({ hidden }) => !hidden).map(({ name }) => name))(
    "help %s is --help of it",
    async (name) => {
      const words = name.split(" ");
      const { code, stdout } = await at("help", ...words);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: ralphctl ${name}`);
      expect((await at(...words, "--help")).stdout).toBe(stdout);
      expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    },
  );

  const mistakes: [string[], string][] = [
    [["promt"], 'error: Unknown command "promt"\nhint: Did you mean ralphctl prompt?\n'],
    [["help", "promt"], 'error: Unknown command or topic "promt"\nhint: Did you mean ralphctl help prompt?\n'],
    [["help", "gate"], 'error: Unknown command or topic "gate"\nhint: Did you mean ralphctl help gates?\n'],
    [["help", "zzzzzz"], 'error: Unknown command or topic "zzzzzz"\nhint: Run ralphctl help to list them\n'],
    [["limits"], 'error: "limits" is a help topic, not a command\nhint: Read about it: ralphctl help limits\n'],
    [
      ["tasks"],
      'error: "tasks" is a help topic, not a command\nhint: Read about it: ralphctl help tasks. The command is ralphctl task\n',
    ],
    [["hlep"], 'error: Unknown command "hlep"\nhint: Did you mean ralphctl help?\n'],
    [["xyzzy"], 'error: Unknown command "xyzzy"\nhint: Run ralphctl --help to see all commands\n'],
    [["context", "ad"], 'error: Unknown command "context ad"\nhint: Did you mean ralphctl context add?\n'],
    [["task", "dep", "ad", "x"], 'error: Unknown command "task dep ad"\nhint: Did you mean ralphctl task dep add?\n'],
    [
      ["task", "zzzzzzzz"],
      'error: Unknown command "task zzzzzzzz"\nhint: Choose one of: add, list, show, ready, tree, graph, edit, log, done, fail, reset, park, answer, allow, approve, drop, rm, dep, import, export\n',
    ],
    [
      ["task", "list", "x"],
      "error: Too many arguments for 'list'. Expected 0 arguments but got 1\nhint: Run ralphctl task list --help\n",
    ],
    [
      ["task", "list", "--status", "dnoe"],
      'error: --status "dnoe" is not one of: ready, blocked, pending, in_progress, parked, done, failed, dropped\nhint: Did you mean done?\n',
    ],
    [["context", "zzzzzz"], 'error: Unknown command "context zzzzzz"\nhint: Choose one of: add, show, clear\n'],
    [
      ["prompt", "biuld"],
      'error: "biuld" is not one of: plan, build, planning, executing, reflecting\nhint: Did you mean build?\n',
    ],
    [["prompt", "--projct", "x"], "error: Unknown option '--projct'\nhint: Did you mean --project?\n"],
    [
      ["prompt", "--project"],
      "error: Option '-p, --project <name>' argument missing\nhint: Run ralphctl prompt --help\n",
    ],
    [
      ["prompt", "build", "x"],
      "error: Too many arguments for 'prompt'. Expected 1 argument but got 2\nhint: Run ralphctl prompt --help\n",
    ],
    [["completion"], "error: Missing required argument 'shell'\nhint: Run ralphctl completion --help\n"],
    [
      ["prompt", "--iteration", "0"],
      'error: --iteration must be a positive whole number, not "0"\nhint: Write --iteration 1\n',
    ],
    [
      ["prompt", "executing"],
      "error: The executing prompt needs a sprint\nhint: Run ralphctl prompt executing --sprint DIR --iteration 1\n",
    ],
    [
      ["prompt", "build", "--sprint", "s"],
      "error: A sprint has no build prompt\nhint: Use one of its modes: ralphctl prompt planning|executing|reflecting --sprint s\n",
    ],
  ];

  test.each(mistakes)("X-64 %j gets a sentence and a hint", async (argv, stderr) => {
    expect(await at(...argv)).toEqual({ code: 64, stdout: "", stderr });
  });

  test("W-04 what a name contains cannot steer the terminal", async () => {
    const { stderr } = await at("\u001b[31mred\u202e");
    expect(stderr).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("ralphctl config", () => {
  const folder = temporaryFolder({ ".ralph/config.yaml": "limits:\n  cost: 5\n", "extra.yaml": "promise: OK\n" });
  const here = async (...argv: readonly string[]): Promise<Answer> => await type(["config", ...argv], { cwd: folder });

  test("get prints a value, and on the side where it comes from", async () => {
    expect(await here("get", "limits.cost")).toEqual({
      code: 0,
      stdout: "5\n",
      stderr: "from: file .ralph/config.yaml line 2\n",
    });
    expect(await here("get", "limits.inactivity")).toEqual({ code: 0, stdout: "15m\n", stderr: "from: default\n" });
    expect((await here("get", "limits.cost", "--json")).stdout).toBe(
      '{\n  "version": 1,\n  "key": "limits.cost",\n  "value": 5,\n  "origin": "file .ralph/config.yaml line 2"\n}\n',
    );
  });

  test("get without a key, or nothing at all, prints everything", async () => {
    const { stdout } = await here("get");
    expect(stdout).toContain("limits:\n  iterations: null\n");
    expect((await here()).stdout).toBe(stdout);
    expect(JSON.parse((await here("get", "--json")).stdout)).toMatchObject({
      version: 1,
      key: null,
      value: { limits: { cost: 5 } },
    });
  });

  test("path prints the files that were read", async () => {
    expect((await here("path", "--config", "extra.yaml")).stdout).toBe(
      `${folder}/extra.yaml\n${folder}/.ralph/config.yaml\n`,
    );
    expect((await at("config", "path")).stderr).toContain("No configuration file found");
  });

  test("schema prints the JSON Schema that the package ships", async () => {
    const { stdout } = await here("schema");
    expect(JSON.parse(stdout)).toMatchObject({ additionalProperties: false });
    expect(readFileSync("dist/config.schema.json", "utf8")).toBe(stdout);
  });

  test("X-78 a typo in the file is named with its line and the nearest key", async () => {
    const bad = temporaryFolder({ ".ralph/config.yaml": "limits:\n  cots: 5\n" });
    expect(await type(["config", "get"], { cwd: bad })).toEqual({
      code: 78,
      stdout: "",
      stderr:
        "error: Unknown key limits.cots; the closest is limits.cost (.ralph/config.yaml, line 2, column 3)\nhint: Write `limits.cost`\n",
    });
  });
});

describe("ralphctl context", () => {
  const folder = temporaryFolder({ ".ralph/specs/a.md": "x", "projects/a/specs/x.md": "" });
  const here = async (argv: readonly string[], input = ""): Promise<Answer> =>
    await type(["context", ...argv], { cwd: folder, input });

  test("S004-G D-15 add appends, blank text is ignored, show prints, clear empties, each scope for itself", async () => {
    await here(["add", "Use the mailer.\n"]);
    await here(["add", "  "]);
    await here(["add", "-"], "From a pipe,\ntwo lines.\n");
    await here(["add", "--project", "a", "Only", "for", "a."]);
    expect((await here(["show"])).stdout).toBe("Use the mailer.\n\nFrom a pipe,\ntwo lines.\n");
    expect((await here(["show", "--project", "a", "--json"])).stdout).toBe(
      '{"version":1,"scope":"project/a","text":"Only for a.\\n"}\n',
    );
    expect(readFileSync(`${folder}/.ralph/context/project/a.md`, "utf8")).toBe("Only for a.\n");
    await here(["clear"]);
    expect(await here(["show"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("No context for workspace"),
    });
  });

  test("S004-G the next prompt shows it as a labelled section", async () => {
    await here(["add", "Mind the gap."]);
    writeFileSync(`${folder}/PROMPT_build.md`, "Go.");
    const { stdout } = await type(["prompt", "build", "--quiet"], { cwd: folder });
    expect(stdout).toContain(
      "\n## Additional Context (added by user mid-loop)\n\nMind the gap.\n\n---\n## Your Task\n\nGo.\n",
    );
  });

  test("W-05 a link that leads out is neither read nor written, were its target not there yet", async () => {
    const outside = temporaryFolder();
    const linked = temporaryFolder({ ".ralph/specs/a.md": "x", ".ralph/context/README": "" });
    symlinkSync(`${outside}/new.md`, `${linked}/.ralph/context/workspace.md`);
    for (const argv of [["add", "hello"], ["clear"], ["show"]]) {
      expect((await type(["context", ...argv], { cwd: linked })).code).toBe(65);
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  test("what is no text is refused, and nothing is written", async () => {
    const before = (await here(["show"])).stdout;
    expect(await here(["add", "-"], "a\0b")).toMatchObject({ code: 65, stderr: expect.stringContaining("NUL byte") });
    expect((await here(["show"])).stdout).toBe(before);
  });

  test("S004-G a context beyond its limit is refused with its size, and the old one stays", async () => {
    const before = (await here(["show"])).stdout;
    const bytes = Buffer.byteLength(before) + 1 + 70_000 + 1;
    expect(await here(["add", "-"], "x".repeat(70_000))).toEqual({
      code: 65,
      stdout: "",
      stderr: `error: The context would have ${bytes} bytes, but limits.context is 64KB\nhint: Run ralphctl context clear, or put the text into a file that the prompt names\n`,
    });
    expect((await here(["show"])).stdout).toBe(before);
  });

  test("S004-G so is one that a person wrote too long, and it can be cleared", async () => {
    const path = `${folder}/.ralph/context/project/a.md`;
    writeFileSync(path, "x".repeat(65_537));
    const refused = {
      code: 65,
      stderr: expect.stringContaining(
        "The context file .ralph/context/project/a.md has 65537 bytes, but limits.context is 64KB",
      ),
    };
    expect(await here(["show", "--project", "a"])).toMatchObject(refused);
    expect(await here(["add", "--project", "a", "More"])).toMatchObject(refused);
    expect((await here(["clear", "--project", "a"])).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("");
  });
});
