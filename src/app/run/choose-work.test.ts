import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atEnd } from "../../../test/at-end.ts";
import { temporaryFolder, temporaryRepository } from "../../../test/temporary-folder.ts";
import { BUILD_PROMPT } from "../../domain/template/prompts.ts";
import type { Store } from "../../store/store.ts";
import { openStore } from "../task-store.ts";
import { openWorkspace, openWorkspaceScope, type ScopeChoice } from "../workspace.ts";
import { chooseWork, type Work, type WorkRequest } from "./choose-work.ts";

const ME = { host: "here", pid: process.pid, startTime: "1" };
const SPEC = { ".ralph/specs/login.md": "A login page." };

interface World {
  readonly root: string;
  readonly store: Store;
  readonly choose: (request?: Partial<WorkRequest>, at?: { choice?: ScopeChoice; cwd?: string }) => Promise<Work>;
  /** `title: status` of every task, oldest first. */
  readonly states: () => Promise<string[]>;
  readonly add: (title: string, more?: { scope?: string; parent?: string }) => Promise<string>;
  readonly finish: (id: string) => Promise<unknown>;
}

/** A workspace with the shipped prompt unless another is given, and a store on disk. */
async function worldWith(files: Readonly<Record<string, string>> = {}): Promise<World> {
  const root = temporaryRepository({
    ".ralph/config.yaml": "harness: scripted\n",
    "PROMPT_build.md": BUILD_PROMPT,
    ...files,
  });
  const { store } = await openStore(root, {});
  atEnd(() => store.close());
  return {
    root,
    store,
    async choose(request = {}, { choice = {}, cwd = root } = {}) {
      const workspace = await openWorkspace({ cwd, env: { HOME: "/nowhere" } });
      const scope = await openWorkspaceScope(workspace, choice);
      return await chooseWork({ store, workspace, scope, request: { mode: "auto", ...request } });
    },
    states: async () => (await store.list()).tasks.map(({ title, status }) => `${title}: ${status}`),
    add: async (title, { scope = "workspace", parent } = {}) => (await store.add([{ scope, title, parent }]))[0]!,
    finish: (id) => store.change(id, { kind: "complete" }, "person"),
  };
}

/** The one task that a run is about. */
function oneOf(work: Work): string {
  if (work.kind !== "build" || work.only?.length !== 1) throw new Error(JSON.stringify(work));
  return work.only[0]!;
}

/** Fails a task as the loop would: for good, or to be tried again. */
async function fail(store: Store, id: string, how: "for good" | "for now"): Promise<void> {
  const { lease } = (await store.claim({ only: [id], owner: ME, leaseMs: 60_000 }))!;
  await store.settle(lease, { outcome: "failed", to: "failed", counted: true, final: how === "for good" });
}

describe("P-01 tasks of the scope", () => {
  test("P-01 all of them are the work, and its size is that of the open leaves", async () => {
    const { choose, add, finish, store } = await worldWith(SPEC);
    const parent = await add("Login");
    await add("Form", { parent });
    await finish(await add("Post", { parent }));
    await store.change(await add("Which colour"), { kind: "park", question: "Red?" }, "person");
    await add("Elsewhere", { scope: "project/auth" });
    const all = { kind: "build", only: undefined, size: 2, notices: [] };
    expect(await choose()).toEqual(all);
    expect(await choose({ mode: "build" })).toEqual(all);
  });

  test("P-01 a scope whose tasks are all finished is built: that it is complete is the loop's to say", async () => {
    const { choose, add, finish } = await worldWith({ ...SPEC, "PROMPT_build.md": "# My own" });
    await finish(await add("Form"));
    expect(await choose()).toEqual({ kind: "build", only: undefined, size: 0, notices: [] });
  });

  test("P-01 tasks come before a prompt of one's own", async () => {
    const { choose, add, states } = await worldWith({ "PROMPT_build.md": "# My own" });
    await add("Form");
    expect(await choose()).toEqual({ kind: "build", only: undefined, size: 1, notices: [] });
    expect(await states()).toEqual(["Form: pending"]);
  });
});

describe("P-02 words or a file", () => {
  test("P-02 words make one task, with the first line as its title and all of them as its description", async () => {
    const { choose, store, add } = await worldWith(SPEC);
    await add("Something else");
    const words = `Add a login page\n\n- with OAuth\n${"x".repeat(200)}`;
    const work = await choose({ words });
    const id = oneOf(work);
    expect(work).toEqual({ kind: "build", only: [id], size: "one", made: id, notices: [] });
    expect(await store.get(id)).toMatchObject({
      title: "Add a login page",
      description: words,
      scope: "workspace",
      status: "pending",
    });
  });

  test("P-02 the same text takes up the same unfinished task, by words or by a file, in its own scope only", async () => {
    const { choose, states } = await worldWith({ "brief.md": "Add it\r\nwell\n", "projects/auth/x": "" });
    const id = oneOf(await choose({ words: "Add it\nwell" }));
    expect(oneOf(await choose({ words: "  Add it\nwell " }))).toBe(id);
    expect(oneOf(await choose({ file: "brief.md", mode: "build" }))).toBe(id);
    expect(await states()).toEqual(["Add it: pending"]);
    expect(oneOf(await choose({ words: "Add it\nwell" }, { choice: { project: "auth" } }))).not.toBe(id);
    expect(oneOf(await choose({ words: "Add it\nwell" }))).toBe(id);
    expect(oneOf(await choose({ words: "Add it\nbetter" }))).not.toBe(id);
  });

  test("P-02 a task that is parked or may be tried again is taken up; one that is finished, failed for good or removed is not", async () => {
    const { choose, store, finish } = await worldWith();
    const take = async (): Promise<string> => oneOf(await choose({ words: "Add it" }));
    const first = await take();
    await fail(store, first, "for now");
    expect(await take()).toBe(first);
    await store.change(first, { kind: "reset" }, "person");
    await store.change(first, { kind: "park", question: "Why?" }, "person");
    expect(await take()).toBe(first);
    await store.change(first, { kind: "answer", answer: "So" }, "person");
    await finish(first);
    const second = await take();
    expect(second).not.toBe(first);
    await fail(store, second, "for good");
    const third = await take();
    expect(third).not.toBe(second);
    await store.remove(third);
    const fourth = await take();
    expect(fourth).not.toBe(third);
    await store.change(fourth, { kind: "drop" }, "person");
    expect(await take()).not.toBe(fourth);
  });

  test("P-02 a task that somebody moved to another scope is not taken up", async () => {
    const { choose, store } = await worldWith();
    const id = oneOf(await choose({ words: "Add it" }));
    await store.update(id, { scope: "project/auth" }, "person");
    expect(oneOf(await choose({ words: "Add it" }))).not.toBe(id);
  });

  test("P-02 a task that was split is taken up as what is open beneath it", async () => {
    const { choose, add, finish } = await worldWith();
    const id = oneOf(await choose({ words: "Add it" }));
    await finish(await add("Done", { parent: id }));
    const deps = [await add("One", { parent: id }), await add("Two", { parent: id })];
    expect(await choose({ words: "Add it" })).toEqual({
      kind: "build",
      only: deps,
      size: 2,
      notices: [],
    });
  });

  test("P-02 a file is named from where the user stands", async () => {
    const { choose, root, states } = await worldWith({ "docs/brief.md": "Do the docs", "brief.md": "Do the root" });
    await choose({ file: "brief.md" }, { cwd: join(root, "docs") });
    await choose({ file: "../brief.md" }, { cwd: join(root, "docs") });
    const outside = temporaryFolder({ "brief.md": "Do what lies outside" });
    await choose({ file: join(outside, "brief.md") });
    expect(await states()).toEqual(["Do the docs: pending", "Do the root: pending", "Do what lies outside: pending"]);
  });

  test("W-05 a link in the workspace that leads out of it is not a file for --file, nor a prompt", async () => {
    const { choose, root } = await worldWith({
      "PROMPT_build.md": "x",
      ".ralph/config.yaml": "prompts: {build: p.md}\n",
    });
    const outside = temporaryFolder({ "secret.md": "Secret" });
    for (const name of ["link.md", "p.md"]) symlinkSync(join(outside, "secret.md"), join(root, name));
    const refused = { kind: "data", message: expect.stringContaining("points outside the workspace") as unknown };
    await expect(choose({ file: "link.md" })).rejects.toMatchObject(refused);
    await expect(choose()).rejects.toMatchObject(refused);
  });

  test.each<[Partial<WorkRequest>, string, string]>([
    [{ words: " \n" }, "usage", "The description of the work is empty"],
    [{ file: "empty.md" }, "usage", "The file empty.md is empty"],
    [{ file: "" }, "usage", "--file is blank"],
    [{ file: "none.md" }, "usage", "The file none.md does not exist"],
    [{ file: "large.md" }, "data", "The file large.md is larger than 200B"],
    [{ words: "Add it. ".repeat(26) }, "data", "The description of the work is larger than 200B"],
    [{ file: "binary.md" }, "data", "The file binary.md is not text: line 1 has a NUL byte"],
    [{ words: "x", file: "large.md" }, "usage", "A description and --file cannot be used together"],
    [{ words: "x", tasks: ["t"] }, "usage", "A description and --task cannot be used together"],
    [{ file: "x", tasks: ["t"] }, "usage", "--file and --task cannot be used together"],
    [{ mode: "plan", tasks: ["t"] }, "usage", "--task cannot be used in plan mode, which assigns no task"],
    [{ mode: "plan", words: "" }, "usage", "The description of the work is empty"],
  ])("P-02 %j is refused, and no task is made", async (request, kind, message) => {
    const { choose, states } = await worldWith({
      ".ralph/config.yaml": "limits: {prompt: 200}\n",
      "empty.md": "\n \n",
      "large.md": "x".repeat(2000),
      "binary.md": "a\0b",
    });
    await expect(choose(request)).rejects.toMatchObject({
      kind,
      message,
      hint: expect.stringMatching(/^[A-Z]/) as unknown,
    });
    expect(await states()).toEqual([]);
  });
});

describe("P-02 --task", () => {
  test("P-02 ids may be abbreviated, a parent means its open leaves, each counts once, and finished ones are said", async () => {
    const { choose, add, finish } = await worldWith();
    const parent = await add("Login");
    const form = await add("Form", { parent });
    const posted = await add("Post", { parent });
    await finish(posted);
    const other = await add("Other");
    await add("Left alone");
    expect(await choose({ tasks: [other.slice(0, -1), parent, form, posted] })).toEqual({
      kind: "build",
      only: [other, form],
      size: 2,
      notices: [`${posted} (Post) is already done`],
    });
  });

  test("P-02 X-3 with finished ones only there is nothing to do, and the way to open them again is named", async () => {
    const { choose, add, finish, store } = await worldWith(SPEC);
    const [done, failed] = [await add("Form"), await add("Post")];
    await finish(done);
    await fail(store, failed, "for good");
    expect(await choose({ tasks: [done, failed] })).toEqual({
      kind: "nothing",
      message: `Nothing to do: ${done} (Form) is already done; ${failed} (Post) has failed`,
      help: [`ralphctl task reset ${done}`, `ralphctl task reset ${failed}`],
    });
  });

  test("P-02 an unknown task, and one of another scope, are errors that say where to look", async () => {
    const { choose, add } = await worldWith({ "projects/auth/x": "" });
    const [here, there] = [await add("Here"), await add("There", { scope: "project/auth" })];
    await expect(choose({ tasks: ["t-nothing"] })).rejects.toMatchObject({ kind: "usage" });
    await expect(choose({ tasks: [there] })).rejects.toMatchObject({
      kind: "usage",
      message: `${there} belongs to the project auth, but the run is about the workspace`,
      hint: "Use --project auth",
    });
    await expect(choose({ tasks: [here] }, { choice: { project: "auth" } })).rejects.toMatchObject({
      hint: "Remove --project auth",
    });
  });
});

describe("P-03 a prompt of one's own", () => {
  const OWN = { "PROMPT_build.md": "Study everything.\n\n# Port it\n\nFile by file.\n" };

  test("P-03 is the task, before specs are planned, and the next run takes it up", async () => {
    const { choose, store, states } = await worldWith({ ...OWN, ...SPEC });
    const work = await choose();
    const id = oneOf(work);
    expect(work).toEqual({ kind: "build", only: [id], size: "one", made: id, notices: [] });
    expect(await store.get(id)).toMatchObject({ title: "Port it", description: "", scope: "workspace" });
    expect(await choose({ mode: "build" })).toEqual({ ...work, made: undefined });
    expect(await states()).toEqual(["Port it: pending"]);
  });

  test("P-03 a rewritten prompt is still the same unfinished task, under its new title", async () => {
    const { choose, root, states } = await worldWith(OWN);
    const id = oneOf(await choose());
    writeFileSync(join(root, "PROMPT_build.md"), "# Port it well");
    expect(oneOf(await choose())).toBe(id);
    expect(await states()).toEqual(["Port it well: pending"]);
  });

  test("P-03 when its task is finished the next run makes another, again and again", async () => {
    const { choose, finish, states } = await worldWith(OWN);
    for (let run = 1; run <= 3; run += 1) await finish(oneOf(await choose()));
    expect(await states()).toEqual(Array.from({ length: 3 }, () => "Port it: done"));
  });

  test("P-03 what words made stands in its way only as long as it is unfinished", async () => {
    const { choose, finish } = await worldWith(OWN);
    const id = oneOf(await choose({ words: "Something else" }));
    expect(await choose()).toEqual({ kind: "build", only: undefined, size: "one", notices: [] });
    await finish(id);
    expect(await choose()).toMatchObject({ size: "one" });
  });

  test("P-03 a task that somebody added beside it ends that: then both are the scope's tasks", async () => {
    const { choose, add } = await worldWith(OWN);
    await choose();
    await add("Another");
    expect(await choose()).toEqual({ kind: "build", only: undefined, size: 2, notices: [] });
  });

  test("P-03 its open task stays work when the prompt file is the template again", async () => {
    const { choose, root } = await worldWith({ ...OWN, ...SPEC });
    await choose();
    writeFileSync(join(root, "PROMPT_build.md"), BUILD_PROMPT);
    expect(await choose()).toEqual({ kind: "build", only: undefined, size: "one", notices: [] });
  });

  test("P-03 a project's own prompt is its task, and the workspace's tasks are not in its way", async () => {
    const { choose, add } = await worldWith({ "projects/auth/PROMPT_build.md": "Do auth" });
    await add("Of the workspace");
    expect(await choose({}, { choice: { project: "auth" } })).toMatchObject({ size: "one" });
  });

  test("P-03 a template that was edited, with a byte order mark and Windows line ends, is no prompt of one's own", async () => {
    const { choose } = await worldWith({ "PROMPT_build.md": "\uFEFF<!-- ralphctl template 1 -->\r\n# Mine\r\n" });
    expect(await choose()).toMatchObject({ kind: "nothing" });
  });
});

describe("P-04 plan mode", () => {
  test("P-04 is what auto means where there are specs, at any depth, and no tasks", async () => {
    const { choose } = await worldWith({ ".ralph/specs/auth/login/page.md": "A login page." });
    expect(await choose()).toEqual({ kind: "plan" });
  });

  test("P-04 a finished task that words made does not keep specs from being planned", async () => {
    const { choose, finish } = await worldWith(SPEC);
    await finish(oneOf(await choose({ words: "First this" })));
    expect(await choose()).toEqual({ kind: "plan" });
  });

  test("P-04 can be asked for whatever there is, and words or a file are part of its prompt and no task", async () => {
    const { choose, add, states } = await worldWith({ "brief.md": "Keep it small\n" });
    await add("Form");
    expect(await choose({ mode: "plan" })).toEqual({ kind: "plan" });
    expect(await choose({ mode: "plan", words: "Keep it small" })).toEqual({ kind: "plan", words: "Keep it small" });
    expect(await choose({ mode: "plan", file: "brief.md" })).toEqual({ kind: "plan", words: "Keep it small" });
    expect(await states()).toEqual(["Form: pending"]);
  });

  test("P-04 X-3 build mode with specs and no tasks has nothing to build, and names run plan", async () => {
    const { choose } = await worldWith({ ...SPEC, "projects/my app/specs/x.md": "X" });
    expect(await choose({ mode: "build" })).toEqual({
      kind: "nothing",
      message: "Nothing to build: the workspace has specs but no tasks yet",
      help: ["ralphctl run plan", 'ralphctl task add "TITLE"'],
    });
    expect(await choose({ mode: "build" }, { choice: { project: "my app" } })).toMatchObject({
      message: "Nothing to build: the project my app has specs but no tasks yet",
      help: ["ralphctl run plan --project 'my app'", `ralphctl task add "TITLE" --project 'my app'`],
    });
  });
});

describe("P-05 nothing", () => {
  const NOTHING = {
    kind: "nothing",
    message:
      "Nothing to do: the workspace has no open tasks and no specs in .ralph/specs, and PROMPT_build.md is not a prompt of your own",
    help: ['ralphctl run "What to do"', 'ralphctl task add "TITLE"', "ralphctl run plan"],
  };

  test.each<[string, Readonly<Record<string, string>>]>([
    ["a fresh workspace", {}],
    ["a blank prompt", { "PROMPT_build.md": " \n" }],
    ["specs that are hidden files or empty folders", { ".ralph/specs/.gitkeep": "", ".ralph/specs/a/.keep": "" }],
  ])("P-05 X-3 %s has nothing to do, and the commands that help are named", async (_, files) => {
    const { choose, states } = await worldWith(files);
    expect(await choose()).toEqual(NOTHING);
    expect(await choose({ mode: "build" })).toEqual(NOTHING);
    expect(await states()).toEqual([]);
  });

  test("P-05 folders of specs that lead in a circle come to an end", async () => {
    const { choose, root } = await worldWith({ ".ralph/specs/a/.keep": "" });
    symlinkSync("..", join(root, ".ralph/specs/a/up"));
    symlinkSync("..", join(root, ".ralph/specs/a/over"));
    expect(await choose()).toEqual(NOTHING);
  });
});
