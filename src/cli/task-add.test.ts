import { describe, expect, test } from "vitest";
import { type Answer, type } from "../../test/recording-io.ts";
import { taskSession } from "../../test/task-session.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";

const newFolder = (): string => temporaryRepository({ ".ralph/config.yaml": "", "projects/x/specs/a.md": "" });

const list = async (cwd: string): Promise<unknown> =>
  (JSON.parse((await type(["task", "list", "--json"], { cwd })).stdout) as Record<string, unknown>[]).map(
    ({ title, status, scope }) => ({ title, status, scope }),
  );

describe("task add -", () => {
  const addListed = async (cwd: string, input: string, ...argv: readonly string[]): Promise<Answer> =>
    await type(["task", "add", "-", ...argv], { cwd, input });

  test("reads a Markdown list, and prints the ids in its order", async () => {
    const cwd = newFolder();
    const { code, stdout } = await addListed(cwd, "- One\n- [x] Two\n  - Part of two\n");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(t-[0-9a-f]{8}\n){3}$/);
    expect(await list(cwd)).toEqual([
      { title: "One", status: "pending", scope: "workspace" },
      { title: "Two", status: "pending", scope: "workspace" },
      { title: "Part of two", status: "pending", scope: "workspace" },
    ]);
  });

  test("reads JSONL, with needs by id, into the scope that was named", async () => {
    const cwd = newFolder();
    await addListed(cwd, '{"id":"a","title":"A"}\n{"title":"B","needs":["a"]}\n', "--project", "x");
    expect(await list(cwd)).toEqual([
      { title: "A", status: "pending", scope: "project/x" },
      { title: "B", status: "pending", scope: "project/x" },
    ]);
  });

  test("a bad line adds nothing", async () => {
    const cwd = newFolder();
    expect(await addListed(cwd, '{"title":"A"}\n{"titel":"B"}\n')).toMatchObject({ code: 65, stdout: "" });
    expect(await list(cwd)).toEqual([]);
  });

  test("X-64 what is said of one task is not said of many", async () => {
    expect(await addListed(newFolder(), "- One\n", "--priority", "1")).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/^error: --priority applies to one task.*\nhint: /),
    });
  });
});

describe("task add", () => {
  test("a part belongs to the scope of the whole, unless another is named", async () => {
    const cwd = newFolder();
    const { add } = taskSession(cwd);
    await add("p", "Whole", "--project", "x");
    await add("c", "Part", "--parent", "@p");
    expect(await list(cwd)).toMatchObject([{ scope: "project/x" }, { title: "Part", scope: "project/x" }]);
  });

  test("two gates of one name are refused; empty words are left out", async () => {
    const { run, add, json } = taskSession(newFolder());
    expect(await run("task", "add", "x", "--gate", "a=b", "--gate", "a=d")).toMatchObject({ code: 64 });
    await add("a", "x", "--acceptance", "", "--tag", " ", "--acceptance", "works");
    expect(await json("task", "show", "@a")).toMatchObject({ acceptance: ["works"], tags: [] });
  });
});

test("task log --json is JSON and ends well", async () => {
  const { run, add, json } = taskSession(newFolder());
  await add("a", "x");
  await run("task", "log", "@a", "--add", "seen");
  expect((await run("task", "log", "@a", "--json")).code).toBe(0);
  expect(await json("task", "log", "@a")).toMatchObject([{ text: "seen" }]);
});

test("W-04 a graph as JSON has the titles as they are; as lines it cannot steer a terminal", async () => {
  const { run, add, json } = taskSession(newFolder());
  await add("a", "a\u202eb");
  expect(await json("task", "graph")).toMatchObject({ tasks: [{ title: "a\u202eb" }] });
  expect((await run("task", "graph")).stdout).toContain("a\ufffdb");
});
