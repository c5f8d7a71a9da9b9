import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProgressDb } from "../../test/progress-db.ts";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";

type Files = Readonly<Record<string, string>>;

/** What `init --yes` says, the configuration that it writes, and what is said later. */
async function moved(files: Files) {
  const cwd = temporaryRepository({ "README.md": "x", ...files });
  const init = await type(["init", "--yes"], { cwd });
  return {
    cwd,
    said: init.stdout,
    config: readFileSync(join(cwd, ".ralph/config.yaml"), "utf8"),
    status: async () => (await type(["status"], { cwd })).stdout,
    list: async () => await type(["task", "list"], { cwd }),
  };
}

const found = (text: string): string => /Found here\n(?:  .*\n)*/.exec(text)?.[0] ?? "";

describe("init, status and task list say what is there and how it is used", () => {
  test.each<[string, string, string]>([
    ["prd.json", '{"userStories": [{"id": "US-1", "title": "A", "passes": false}]}', '"prd.json"'],
    ["scripts/ralph/prd.json", '[{"title": "A", "passes": false}]', '"scripts/ralph/prd.json"'],
    ["fix_plan.md", "- [ ] A\n", '"fix_plan.md"'],
    [".ralph/fix_plan.md", "- [ ] A\n", '".ralph/fix_plan.md"'],
    ["plan.md", "- [ ] A\n", '"plan.md"'],
    ["backlog/tasks/task-1 - A.md", "---\nid: task-1\ntitle: A\nstatus: To Do\n---\n", '"backlog/tasks/*.md"'],
  ])("P-50 %s is followed from the first run on", async (file, text, written) => {
    const { said, config, status, list } = await moved({ [file]: text });
    const lines = `Found here\n  ${written.slice(1, -1)}  1 open, 0 done\n`;
    expect(found(said)).toContain(lines);
    expect(said).toContain("followed: ralphctl marks in it what is proven\n");
    expect(config).toContain(`\nplan: [${written}]\n`);
    expect(found(await status())).toContain(lines);
    expect(await status()).toContain("1 ready");
    expect((await list()).stderr).toContain(lines);
  });

  test("P-50 the plan file that is followed anyway needs no setting; several are followed together", async () => {
    const own = await moved({ "IMPLEMENTATION_PLAN.md": "- [ ] A\n- [x] B\n" });
    expect([found(own.said).includes("IMPLEMENTATION_PLAN.md  1 open, 1 done"), own.config.includes("plan:")]).toEqual([
      true,
      false,
    ]);
    const two = await moved({ "IMPLEMENTATION_PLAN.md": "- [ ] A\n", "fix_plan.md": "- [ ] B\n" });
    expect(two.config).toContain('plan: ["IMPLEMENTATION_PLAN.md", "fix_plan.md"]');
  });

  test("a plan that came after init is not followed by itself: how to is said", async () => {
    const { cwd, status } = await moved({});
    expect(found(await status())).toBe("");
    write(cwd, { "prd.json": '[{"title": "A"}]' });
    expect(found(await status())).toContain(
      'not followed. To follow it: plan: ["IMPLEMENTATION_PLAN.md", "prd.json"] in .ralph/config.yaml',
    );
  });

  test.each([
    ["plan.md", "# Plan\n\nFirst this, then that.\n", "no check boxes", "ralphctl run --file plan.md"],
    ["prd.json", "{", "prd.json: line 1, column 2", "ralphctl goes on without it"],
    ["prd.json", '{"a": 1}', "`userStories` is missing", "ralphctl goes on without it"],
    [
      "fix_plan.md",
      "<<<<<<< HEAD\n- [ ] A\n=======\n>>>>>>> x\n",
      "fix_plan.md has conflict markers",
      "ralphctl goes on without it",
    ],
  ])("P-53 %s that holds %j is no plan, and the reason is said", async (file, text, what, use) => {
    const { said, config } = await moved({ [file]: text });
    expect([found(said).includes(what), found(said).includes(use), config.includes("plan:")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("W-05 a plan that is a link out of the repository is not read", async () => {
    const cwd = temporaryRepository({ "README.md": "x" });
    symlinkSync(join(temporaryFolder({ "secret.md": "- [ ] secret\n" }), "secret.md"), join(cwd, "plan.md"));
    const { stdout } = await type(["init", "--yes"], { cwd });
    expect(found(stdout)).toContain("points outside");
  });

  test("changes, features, sprints, context and gates are named with the command that uses them", async () => {
    const { said } = await moved({
      "openspec/changes/add-x/tasks.md": "- [ ] 1.1 X\n",
      ".ito/changes/001-01_y/tasks.md": "- [ ] 1.1 Y\n",
      ".ito/config.json": '{"ralph": {"validationCommands": ["./ok.sh"]}}',
      ".ito/.state/ralph/001-01_y/context.md": "Mind it.\n",
      "specs/001-greet/tasks.md": "- [ ] T001 Greet\n",
      "sprints/login/SPRINT.yaml": "goal: x\n",
      "PROMPT.md": "Do it.\n",
      ".ralphrc": "MAX_CALLS_PER_HOUR=100\n",
    });
    for (const words of [
      "openspec/changes/  ",
      "changes: add-x\n",
      "features of spec-kit: 001-greet\n",
      "ralphctl run --change ID, or all: ralphctl run --continue-ready\n",
      "sprints: login\n",
      "ralphctl run --sprint sprints/login\n",
      ".ito/config.json    validation commands: ./ok.sh\n",
      "gates, with gates: auto\n",
      "context of 001-01_y\n",
      "prompts: { build: PROMPT.md } in .ralph/config.yaml\n",
      "settings of ralph-claude-code\n",
    ])
      expect(said).toContain(words);
  });

  test("W-04 what others wrote cannot steer the terminal, nor fill it", async () => {
    const command = `echo \u001b[31m ${"x".repeat(5000)}`;
    const { said } = await moved({ ".ito/config.json": JSON.stringify({ ralph: { validationCommands: [command] } }) });
    const lines = found(said).split("\n");
    expect([Math.max(...lines.map(({ length }) => length)) < 400, found(said).includes("\u001b")]).toEqual([
      true,
      false,
    ]);
  });

  test("cfg-R3 .ralph.toml decides the folders of specs and the attempts", async () => {
    const toml =
      '# mine\n[specs]\ndirs = [\n  "docs/api", # one\n  "docs/infra",\n]\n\n[execution]\nmax_retries = 1\nverify = true\n';
    const { said, config } = await moved({ ".ralph.toml": toml, "docs/api/a.md": "A", "docs/infra/b.md": "B" });
    expect(config).toContain('dirs: ["docs/api", "docs/infra"]');
    expect(config).toMatch(/^  attempts: 2$/m);
    expect(found(said)).toContain("(specs.dirs: [docs/api, docs/infra], limits.attempts: 2)");
  });

  test.each(["[specs\n", '[specs]\ndirs = ["../x", "/etc"]\n', "[specs]\ndirs = 3\n"])(
    "cfg-R3 %j decides nothing",
    async (text) => {
      expect((await moved({ ".ralph.toml": text })).config).toContain("# dirs: [.ralph/specs]");
    },
  );
});

describe("tasks of other tools are imported once", () => {
  const BEADS = '{"id":"bd-1","title":"A","status":"open"}\n{"id":"bd-2","title":"B","status":"closed"}\n';

  test("by init, and never again by itself", async () => {
    const { cwd, said, status } = await moved({ ".beads/issues.jsonl": BEADS });
    expect(said).toContain("Imported 1 from .beads/issues.jsonl, 1 that are done or given up were left there\n");
    expect(await status()).toContain("imported: ralphctl reads it no more");
    await type(["task", "rm", "bd-1"], { cwd });
    const again = await type(["init", "--yes"], { cwd });
    expect([again.stdout.includes("Imported"), (await type(["task", "list"], { cwd })).stdout]).toEqual([false, ""]);
  });

  test("progress.db of the Rust ralph", async () => {
    const cwd = temporaryRepository({ "README.md": "x" });
    await writeProgressDb(cwd, [["t-aaaaaa", "A", "pending"]]);
    expect((await type(["init", "--yes"], { cwd })).stdout).toContain("Imported 1 from .ralph/progress.db\n");
  });

  test("a person may say no, and is told how to do it later", async () => {
    const cwd = temporaryRepository({
      "README.md": "x",
      ".taskmaster/tasks/tasks.json": '{"tasks": [{"id": 1, "title": "A"}]}',
    });
    const replies = ["claude", "", ".ralph/specs", "write"];
    const { stdout } = await type(["init"], { cwd, replies });
    expect(stdout).toContain("To import it later: ralphctl task import .taskmaster/tasks/tasks.json\n");
    expect(existsSync(join(cwd, ".ralph/ralph.db"))).toBe(false);
    expect((await type(["status"], { cwd })).stdout).toContain(
      "not imported yet: ralphctl task import .taskmaster/tasks/tasks.json",
    );
  });

  test("a damaged file gets a sentence, and init goes on", async () => {
    const { said, status } = await moved({ ".beads/issues.jsonl": "{\n" });
    expect(said).toContain(
      "Nothing was imported from .beads/issues.jsonl: .beads/issues.jsonl: Line 1 is not an issue of beads",
    );
    expect(await status()).toContain("not imported yet");
  });
});

test("W-06 looking creates nothing", async () => {
  const cwd = temporaryRepository({
    ".ralph/config.yaml": "",
    "prd.json": '[{"title": "A"}]',
    ".beads/issues.jsonl": '{"id":"a","title":"A"}\n',
  });
  for (const command of [["status"], ["task", "list"], ["status", "--json"]]) {
    expect((await type(command, { cwd })).code).toBe(0);
  }
  expect([existsSync(join(cwd, ".ralph/ralph.db")), existsSync(join(cwd, ".git/ralph"))]).toEqual([false, false]);
});
