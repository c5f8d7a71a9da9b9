import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProgressDb } from "../../test/progress-db.ts";
import { type } from "../../test/recording-io.ts";
import { temporaryRepository, write } from "../../test/temporary-folder.ts";
import { loadSqlite } from "../system/sqlite-driver.ts";

const BEADS = [
  { id: "bd-1", title: "Greet", status: "open", priority: 1 },
  { id: "bd-2", title: "Part", status: "open", priority: 2, dependencies: [{ depends_on_id: "bd-1", type: "blocks" }] },
  { id: "bd-3", title: "Old", status: "closed", priority: 2 },
]
  .map((issue) => `${JSON.stringify(issue)}\n`)
  .join("");

const MASTER = JSON.stringify({ master: { tasks: [{ id: 1, title: "Greet", status: "pending", dependencies: [] }] } });

const workspace = (files: Readonly<Record<string, string>> = {}): string =>
  temporaryRepository({ ".ralph/config.yaml": "gates: auto\n", ...files });

const titles = async (cwd: string): Promise<string[]> => {
  const { stdout } = await type(["task", "list", "--json"], { cwd });
  return (JSON.parse(stdout) as { id: string; title: string }[]).map(({ id, title }) => `${id} ${title}`);
};

describe("ralphctl task import of another tool's tasks", () => {
  test("beads: open issues come once, with their edges; closed ones stay there", async () => {
    const cwd = workspace({ ".beads/issues.jsonl": BEADS });
    expect(await type(["task", "import", ".beads/issues.jsonl"], { cwd })).toEqual({
      code: 0,
      stdout: "2 added, 0 kept; 1 that are done or given up were left there\n",
      stderr: "",
    });
    expect(await titles(cwd)).toEqual(["bd-1 Greet", "bd-2 Part"]);
    expect((await type(["task", "ready"], { cwd })).stdout).toMatch(/^bd-1 .*\n$/);
    await type(["task", "edit", "bd-1", "--title", "Greet all"], { cwd });
    expect((await type(["task", "import", ".beads/issues.jsonl"], { cwd })).stdout).toContain("0 added, 2 kept");
    expect(await titles(cwd)).toEqual(["bd-1 Greet all", "bd-2 Part"]);
    expect(readFileSync(join(cwd, ".beads/issues.jsonl"), "utf8")).toBe(BEADS);
  });

  test("task-master: by its name, or by --format", async () => {
    const cwd = workspace({ ".taskmaster/tasks/tasks.json": MASTER, "other.json": MASTER });
    expect((await type(["task", "import", ".taskmaster/tasks/tasks.json"], { cwd })).stdout).toBe("1 added, 0 kept\n");
    const again = await type(["task", "import", "other.json", "--format", "task-master", "--json"], { cwd });
    expect(JSON.parse(again.stdout)).toEqual({
      format: "task-master",
      added: 0,
      updated: 0,
      kept: 1,
      settled: 0,
      notices: [],
    });
    expect(await titles(cwd)).toEqual(["tm-1 Greet"]);
  });

  test("progress.db of the Rust ralph, which is left as it is", async () => {
    const cwd = workspace();
    await writeProgressDb(
      cwd,
      [
        ["t-aaaaaa", "Root", "pending"],
        ["t-bbbbbb", "First", "in_progress", "t-aaaaaa"],
        ["t-cccccc", "Second", "blocked", "t-aaaaaa"],
        ["t-dddddd", "Done", "done"],
      ],
      [["t-bbbbbb", "t-cccccc"]],
    );
    const before = [readdirSync(join(cwd, ".ralph")), readFileSync(join(cwd, ".ralph/progress.db"))];
    const { stdout } = await type(["task", "import", ".ralph/progress.db"], { cwd });
    expect(stdout).toBe("3 added, 0 kept; 1 that are done or given up were left there\n");
    expect((await type(["task", "ready"], { cwd })).stdout).toMatch(/^t-bbbbbb .*\n$/);
    const after = readdirSync(join(cwd, ".ralph")).filter((name) => !name.startsWith("ralph.db"));
    expect([after, readFileSync(join(cwd, ".ralph/progress.db"))]).toEqual(before);
  });

  test.each([
    [
      ".beads/issues.jsonl",
      "{\n",
      "error: .beads/issues.jsonl: Line 1 is not an issue of beads",
      "hint: Write the file anew",
    ],
    [
      ".taskmaster/tasks/tasks.json",
      "{",
      "error: .taskmaster/tasks/tasks.json: This is no tasks.json",
      "hint: Write it as",
    ],
    [
      ".ralph/progress.db",
      "not a database, but long enough to be one",
      "cannot be read: file is not a database",
      "hint: Check",
    ],
    [
      ".beads/issues.jsonl",
      '{"id":"a","title":"A","dependencies":[{"depends_on_id":"b"}]}\n{"id":"b","title":"B","dependencies":[{"depends_on_id":"a"}]}\n',
      "wait for each other",
      "hint:",
    ],
  ])("a damaged %s gets a sentence and a hint, and nothing is imported", async (file, text, message, hint) => {
    const cwd = workspace({ [file]: text });
    const { code, stderr } = await type(["task", "import", file], { cwd });
    expect([code >= 64, stderr]).toEqual([true, expect.stringContaining(message)]);
    expect(stderr).toContain(hint);
    expect(await titles(cwd)).toEqual([]);
  });

  test("B-04 a view that computes forever is no table", async () => {
    const cwd = workspace();
    write(cwd, { ".ralph/x": "" });
    const db = (await loadSqlite()).open(join(cwd, ".ralph/progress.db"));
    db.exec("CREATE VIEW tasks AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n");
    db.close();
    expect((await type(["task", "import", ".ralph/progress.db"], { cwd })).stdout).toBe("0 added, 0 kept\n");
  });

  test("a file that is not there is said", async () => {
    const { code, stderr } = await type(["task", "import", ".beads/issues.jsonl"], { cwd: workspace() });
    expect([code, stderr]).toEqual([65, "error: There is no file .beads/issues.jsonl\nhint: Check the name\n"]);
  });
});
