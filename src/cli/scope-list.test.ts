import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { seedFiles } from "../../test/seed-workspace.ts";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder, write } from "../../test/temporary-folder.ts";

const TEMPLATE = "<!-- ralphctl template 1 -->\nBuild.\n";
const FILES = { ".ralph/config.yaml": "", "PROMPT_build.md": TEMPLATE, "PROMPT_plan.md": TEMPLATE };

describe("ralphctl project list", () => {
  test("W-04 shows control characters of a plan that it cannot follow, and does not send them to the terminal", async () => {
    const plan = "- [ ] T001 One \u001b[2J (needs: T002)\n- [ ] T002 Two (needs: T001)\n";
    const cwd = temporaryFolder({ ...FILES, "projects/round/IMPLEMENTATION_PLAN.md": plan });
    const { stderr } = await type(["project", "list"], { cwd });
    expect(stderr).toMatch(/^warning: round: .*these entries would wait for each other/);
    expect(stderr).not.toContain("\u001b");
  });

  test("tells how each project stands, as a run of it would find it, and makes no file", async () => {
    const cwd = temporaryFolder({
      ...FILES,
      "projects/done/IMPLEMENTATION_PLAN.md": "- [x] One\n",
      "projects/empty/specs/.gitkeep": "",
      "projects/open/IMPLEMENTATION_PLAN.md": "- [x] One\n- [ ] Two\n- [ ] Three\n",
      "projects/specified/specs/a.md": "# A\n",
      "projects/torn/IMPLEMENTATION_PLAN.md/x": "",
      "projects/.hidden/specs/a.md": "",
    });
    expect(await type(["project", "list"], { cwd })).toEqual({
      code: 0,
      stdout: `done       done          1 of 1 settled  projects/done
empty      empty         no tasks        projects/empty
open       ready         1 of 3 settled  projects/open
specified  needs a plan  no tasks        projects/specified
torn       empty         no tasks        projects/torn
`,
      stderr: expect.stringMatching(/^warning: torn: The plan file projects\/torn\/IMPLEMENTATION_PLAN\.md/),
    });
    expect(readdirSync(`${cwd}/.ralph`)).toEqual(["config.yaml"]);
  });

  test("counts what the tasks say besides, in JSON too", async () => {
    const cwd = temporaryFolder({ ...FILES, "projects/a/specs/.gitkeep": "" });
    const ids: string[] = [];
    for (const title of ["One", "Two", "Three"]) {
      ids.push((await type(["task", "add", title, "--project", "a"], { cwd })).stdout.trim());
    }
    await type(["task", "park", ids[0]!, "Which", "one?"], { cwd });
    await type(["task", "dep", "add", ids[1]!, "--needs", ids[0]!], { cwd });
    await type(["task", "drop", ids[2]!], { cwd });
    const { stdout } = await type(["project", "list", "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual([
      {
        name: "a",
        scope: "project/a",
        folder: "projects/a",
        state: "waiting",
        tasks: { pending: 1, in_progress: 0, parked: 1, done: 0, failed: 0, dropped: 1, ready: 0, blocked: 1 },
        problems: [],
      },
    ]);
  });

  test("without a project it says how to make one", async () => {
    const cwd = temporaryFolder(FILES);
    expect(await type(["project"], { cwd })).toEqual({
      code: 0,
      stdout: "",
      stderr: "No projects here. Create one: ralphctl init --project NAME\n",
    });
    expect((await type(["project", "list", "--json"], { cwd })).stdout).toBe("[]\n");
  });
});

describe("ralphctl change list", () => {
  test("D-10 lists what OpenSpec made, without its archive", async () => {
    const cwd = temporaryFolder({ ...FILES, ...seedFiles("002-openspec") });
    expect(await type(["change", "list"], { cwd })).toEqual({
      code: 0,
      stdout: `add-dark-mode  ready  0 of 3 settled  openspec/changes/add-dark-mode
fix-greeting   ready  0 of 1 settled  openspec/changes/fix-greeting
`,
      stderr: "",
    });
  });

  test("D-10 lowest id first, and of two with one id that of the first root", async () => {
    const cwd = temporaryFolder({ ...FILES, ...seedFiles("002-changes") });
    write(cwd, {
      "openspec/changes/014-02_add-examples/tasks.md": "- [x] 1.1 Done\n",
      ".spool/changes/3_x/tasks.md": "",
    });
    expect((await type(["change", "list"], { cwd })).stdout)
      .toBe(`002-01_fix-paths                     ready  0 of 1 settled  .ito/changes/002-01_fix-paths
3_x                                  empty  no tasks        .spool/changes/3_x
014-01_add-rust-crate-documentation  ready  0 of 2 settled  .ito/changes/014-01_add-rust-crate-documentation
014-02_add-examples                  done   1 of 1 settled  openspec/changes/014-02_add-examples
020-01_not-planned                   empty  no tasks        .ito/changes/020-01_not-planned
`);
  });

  test("without a change it says where one would be", async () => {
    expect((await type(["change", "list"], { cwd: temporaryFolder(FILES) })).stderr).toBe(
      "No changes here. Create openspec/changes/<id>/proposal.md, or set layouts in the configuration\n",
    );
  });
});

test("S002-07 an unknown module brings those that are like it", async () => {
  const cwd = temporaryFolder({ ...FILES, ...seedFiles("002-changes") });
  expect((await type(["prompt", "--module", "documentaton"], { cwd })).stderr).toBe(
    'error: Unknown module "documentaton"\nhint: Did you mean --module 014_documentation?\n',
  );
  expect((await type(["prompt", "--change", "add-exmples"], { cwd })).stderr).toBe(
    'error: Unknown change "add-exmples"\nhint: Did you mean --change 014-02_add-examples?\n',
  );
});
