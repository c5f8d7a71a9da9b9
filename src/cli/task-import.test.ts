import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";

const workspace = (files: Readonly<Record<string, string>> = {}): string =>
  temporaryRepository({ ".ralph/config.yaml": "gates: auto\n", ...files });

const A =
  '{"id":"a","scope":"workspace","title":"A","priority":2,"status":"pending","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}\n';
const B =
  '{"id":"b","scope":"project/x","title":"B","priority":2,"status":"done","needs":["a"],"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}\n';
const ids = (text: string): string => text.replaceAll(/t-[0-9a-f]{8}/g, "t-…");

describe("ralphctl task export and import", () => {
  test("what is exported is imported, line by line the same, into another workspace", async () => {
    const cwd = workspace({ "tasks.jsonl": B + A, "projects/x/PROMPT_build.md": "x" });
    expect(await type(["task", "import", "tasks.jsonl"], { cwd })).toEqual({
      code: 0,
      stdout: "2 added, 0 updated, 0 kept\n",
      stderr: "",
    });
    expect(await type(["task", "export"], { cwd })).toEqual({ code: 0, stdout: A + B, stderr: "" });
    expect((await type(["task", "export", "--project", "x"], { cwd })).stdout).toBe(B);
    expect(await type(["task", "export", "out/all.jsonl"], { cwd })).toEqual({
      code: 0,
      stdout: "",
      stderr: "2 tasks written to out/all.jsonl\n",
    });
    expect(readFileSync(join(cwd, "out/all.jsonl"), "utf8")).toBe(A + B);
    expect(readdirSync(join(cwd, "out"))).toEqual(["all.jsonl"]);
    const again = await type(["task", "import", "-", "--json"], {
      cwd,
      input: A + B.replace('T00:00:00.000Z"}', 'T00:00:01.000Z"}'),
    });
    expect(JSON.parse(again.stdout)).toEqual({ format: "jsonl", added: 0, updated: 1, kept: 1 });
  });

  test("a bad line rejects the whole import and is named", async () => {
    const cwd = workspace({ "tasks.jsonl": `${A}{"id":"b","title":7}\n` });
    expect(await type(["task", "import", "tasks.jsonl"], { cwd })).toEqual({
      code: 65,
      stdout: "",
      stderr: 'error: Line 2: "title" must be a string\nhint: Correct "title" in that line\n',
    });
    expect((await type(["task", "export"], { cwd })).stdout).toBe("");
  });

  test("progress is shown where somebody sees it, and taken away", async () => {
    const cwd = workspace({ "tasks.jsonl": A });
    const progress: string[] = [];
    await type(["task", "import", "tasks.jsonl"], { cwd, progress });
    expect(progress).toEqual(["1 tasks read …", ""]);
  });

  test("W-06 an export creates nothing where there are no tasks", async () => {
    const cwd = workspace();
    expect(await type(["task", "export"], { cwd })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(join(cwd, ".ralph/ralph.db"))).toBe(false);
  });

  test("outside a workspace it says so", async () => {
    expect((await type(["task", "export"], { cwd: temporaryFolder() })).code).toBe(78);
    expect((await type(["task", "import", "-"], { cwd: temporaryFolder() })).code).toBe(78);
  });
});

describe("ralphctl task import of plan files", () => {
  test("once: entries become tasks; again: what changed is updated, nothing comes twice, nothing is dropped", async () => {
    const cwd = workspace({ "IMPLEMENTATION_PLAN.md": "# P\n- [ ] One\n- [x] Two\n- [ ] Three\n" });
    const first = await type(["task", "import", "IMPLEMENTATION_PLAN.md"], { cwd });
    expect({ ...first, stdout: ids(first.stdout) }).toEqual({
      code: 0,
      stdout: "added     t-…  P\nadded     t-…  One\nadded     t-…  Two\nadded     t-…  Three\n",
      stderr: "",
    });
    expect((await type(["task", "import", "IMPLEMENTATION_PLAN.md"], { cwd })).stdout).toBe(
      "Nothing new in IMPLEMENTATION_PLAN.md\n",
    );
    write(cwd, { "IMPLEMENTATION_PLAN.md": "# P\n- [x] One\n  More.\n- [x] Two\n- [ ] Four\n" });
    const again = await type(["task", "import", "IMPLEMENTATION_PLAN.md"], { cwd });
    expect(ids(again.stdout)).toBe("added     t-…  Four\nupdated   t-…  One\ndone      t-…  One\n");
    const lines = (await type(["task", "export"], { cwd })).stdout.trim().split("\n");
    const tasks = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(tasks.map(({ title, status }) => `${title} ${status}`).sort()).toEqual([
      "Four pending",
      "One done",
      "P pending",
      "Three pending",
      "Two done",
    ]);
  });

  test("a file without entries is told from one without news", async () => {
    const cwd = workspace({ "tasks.md": "# Notes\nWords.\n", "prd.json": '{"userStories":[]}', "none.jsonl": "\n" });
    const say = async (file: string) => (await type(["task", "import", file], { cwd })).stdout;
    expect([await say("tasks.md"), await say("prd.json"), await say("none.jsonl")]).toEqual([
      "No entries in tasks.md: an entry is a line such as `- [ ] Write the parser`\n",
      "No entries in prd.json: it was read as prd.json\n",
      "No entries\n",
    ]);
  });

  test("--json tells what happened as data, with the scope that was asked for", async () => {
    const cwd = workspace({ "projects/x/notes.md": "- [ ] One (needs: T9)\n", "projects/x/PROMPT_build.md": "x" });
    const answer = await type(["task", "import", "notes.md", "--project", "x", "--json"], {
      cwd: join(cwd, "projects/x"),
    });
    expect(JSON.parse(ids(answer.stdout))).toEqual({
      format: "IMPLEMENTATION_PLAN.md",
      kind: "followed",
      file: "projects/x/notes.md",
      entries: 1,
      added: [{ id: "t-…", title: "One (needs: T9)" }],
      updated: [],
      dropped: [],
      revived: [],
      marked: [],
      claims: [],
      revertedMarks: [],
      notices: [],
    });
    expect((await type(["task", "export"], { cwd })).stdout).toContain('"scope":"project/x"');
  });

  test("D-11 a sprint's steps", async () => {
    const cwd = workspace({ "s/PROGRESS.yaml": "goal: g\ndynamic-steps:\n  - {id: step-1, prompt: One}\n" });
    await type(["task", "import", "s/PROGRESS.yaml", "--sprint", "s"], { cwd });
    expect((await type(["task", "export", "--sprint", "s"], { cwd })).stdout).toMatch(
      /"scope":"sprint\/s","title":"One".*"source":\{"file":"s\/PROGRESS.yaml","key":"id:step-1"\}/,
    );
  });

  test("another name needs --format; a file that no format reads lists them", async () => {
    const cwd = workspace({ "todo.txt": "- [ ] One\n" });
    expect(await type(["task", "import", "todo.txt"], { cwd })).toEqual({
      code: 64,
      stdout: "",
      stderr:
        "error: No plan format matches todo.txt\nhint: Choose one with --format: jsonl, Backlog.md, tasks.md, IMPLEMENTATION_PLAN.md, prd.json, PROGRESS.yaml, beads, progress.db, task-master\n",
    });
    expect((await type(["task", "import", "todo.txt", "--format", "tasks.md"], { cwd })).code).toBe(0);
    expect((await type(["task", "import", "todo.txt", "--format", "nope"], { cwd })).code).toBe(64);
    expect((await type(["task", "import", "-", "--format", "prd.json"], { cwd })).code).toBe(64);
    expect((await type(["task", "import", "none.md"], { cwd })).stderr).toBe(
      "error: There is no file none.md\nhint: Check the name\n",
    );
    expect((await type(["task", "import", "none.jsonl"], { cwd })).code).toBe(65);
    expect((await type(["task", "import", "none"], { cwd })).stderr).toBe(
      "error: There is no file none\nhint: Check the name\n",
    );
  });

  test("P-53 a file that does not parse names line and column; a cycle names the entries", async () => {
    const cwd = workspace({
      "prd.json": '{ "userStories": [ { "id": 1 ',
      "tasks.md": "- [ ] 1.1 a (needs: 1.2)\n- [ ] 1.2 b (needs: 1.1)\n",
    });
    const broken = await type(["task", "import", "prd.json"], { cwd });
    expect({ code: broken.code, stderr: broken.stderr }).toEqual({
      code: 65,
      stderr: expect.stringMatching(/^error: prd\.json: line 1, column \d+: /),
    });
    expect((await type(["task", "import", "tasks.md"], { cwd })).stderr).toBe(
      'error: tasks.md: these entries would wait for each other: "a" (line 1) → "b" (line 2) → "a" (line 1)\nhint: Remove one of these needs\n',
    );
  });

  test("W-04 a title cannot steer the terminal", async () => {
    const cwd = workspace({ "plan.md": "- [ ] a\u001b[2J\u202eb\n" });
    expect(ids((await type(["task", "import", "plan.md"], { cwd })).stdout)).toBe("added     t-…  a\ufffdb\n");
  });

  test("a file that the user names may be a link", async () => {
    const outside = temporaryFolder({ "plan.md": "- [ ] a\n" });
    const cwd = workspace();
    symlinkSync(join(outside, "plan.md"), join(cwd, "plan.md"));
    expect((await type(["task", "import", "plan.md"], { cwd })).code).toBe(0);
  });
});
