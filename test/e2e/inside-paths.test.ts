import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { typed } from "../recording-io.ts";
import { temporaryFolder, temporaryRepository, write } from "../temporary-folder.ts";

const SECRET = "S3cret-from-outside";

/** Files of the person's that lie outside: each says the same. */
const outsideFolder = (): string =>
  temporaryFolder({
    "a.md": `# ${SECRET}\n`,
    "tasks.md": `- [ ] ${SECRET}\n`,
    "look.yaml": `phases: [{ id: a, prompt: ${SECRET} }]\n`,
    "changes/one/proposal.md": `${SECRET}\n`,
    "changes/one/tasks.md": `- [ ] ${SECRET}\n`,
  });

const KEYS: Readonly<Record<string, (path: string) => string>> = {
  "specs.dirs[1]": (path) => `specs: { dirs: [docs, ${path}] }`,
  "plan[0]": (path) => `plan: [${path}/tasks.md]`,
  "prompts.plan": (path) => `prompts: { plan: ${path}/a.md }`,
  "prompts.build": (path) => `prompts: { build: ${path}/a.md }`,
  "prompts.template": (path) => `prompts: { template: ${path}/a.md }`,
  "layouts[0]": (path) => `layouts: [${path}]`,
  "workflows[0]": (path) => `workflows: [${path}]`,
  "plugins.x": (path) => `plugins: { x: ${path} }`,
};

describe("keys of a repository's file", () => {
  test.concurrent.each(Object.entries(KEYS))("B-03 %s cannot lead out by .. or from the root", async (key, line) => {
    const outside = outsideFolder();
    for (const path of ["..", "docs/../../x", outside]) {
      const cwd = temporaryRepository({ ".ralph/config.yaml": `promise: DONE\n${line(path)}\n` });
      const { code, stderr } = await typed(["config", "get"], { cwd });
      expect([path, code, stderr]).toEqual([
        path,
        78,
        expect.stringContaining(`${key} leads out of the repository: "`),
      ]);
      expect(stderr).toContain(".ralph/config.yaml, line 2, column ");
    }
  });

  test.concurrent.each(Object.entries(KEYS))(
    "B-03 %s may be anywhere inside, and where a person says",
    async (_, line) => {
      const outside = outsideFolder();
      // A workspace in a folder of its repository may name what is beside it.
      const top = temporaryRepository({ "app/.ralph/config.yaml": `${line("../shared")}\n`, "shared/a.md": "# A\n" });
      expect((await typed(["config", "get"], { cwd: join(top, "app") })).code).toBe(0);
      write(top, { "app/.ralph/config.yaml": "" });
      const own = temporaryFolder({ "ralphctl/config.yaml": `${line(outside)}\n` });
      expect((await typed(["config", "get"], { cwd: join(top, "app"), env: { XDG_CONFIG_HOME: own } })).code).toBe(0);
    },
  );
});

/** Each link, and the command by which the file behind it would be read. */
const LINKS: readonly (readonly [link: string, target: string, config: string, words: readonly string[]])[] = [
  ["PROMPT_build.md", "a.md", "", ["prompt", "build"]],
  ["PROMPT_plan.md", "a.md", "", ["prompt", "plan"]],
  ["p/t.md", "a.md", "prompts: { template: p/t.md }", ["prompt", "build"]],
  ["p", "", "prompts: { template: p/a.md }", ["prompt", "build"]],
  ["IMPLEMENTATION_PLAN.md", "tasks.md", "", ["task", "list"]],
  ["openspec", "", "", ["prompt", "build", "--change", "one"]],
  ["openspec/changes", "changes", "", ["prompt", "build", "--change", "one"]],
  [".claude/workflows", "", "hooks: [{ id: h, workflow: look }]", ["run", "--dry-run"]],
  [".claude/workflows", "", "", ["run", "--dry-run", "--sprint", "sprints/x"]],
  [".ralph/context", "", "", ["context", "show"]],
  ["vendor", "", "plugins: { x: vendor }\nhooks: [{ id: h, workflow: 'x:look' }]", ["run", "--dry-run"]],
];

describe("links", () => {
  test.concurrent.each(LINKS)(
    "B-03 what is behind the link %s enters no prompt (%s, %s)",
    async (link, to, config, words) => {
      const outside = outsideFolder();
      write(outside, { "workspace.md": SECRET });
      const cwd = temporaryRepository({
        ".ralph/config.yaml": `gates: []\n${config}\n`,
        "docs/a.md": "# A\n",
        "sprints/x/SPRINT.yaml": "workflow: look\ngoal: G\n",
        "PROMPT_build.md": "Build\n",
        "PROMPT_plan.md": "Plan\n",
      });
      await typed(["task", "add", "Do it"], { cwd });
      rmSync(join(cwd, link), { recursive: true, force: true });
      mkdirSync(dirname(join(cwd, link)), { recursive: true });
      symlinkSync(join(outside, to), join(cwd, link));
      const { code, stdout, stderr } = await typed(words, { cwd });
      expect(stdout).not.toContain(SECRET);
      // A list of tasks passes the file over.
      if (words[0] !== "task")
        expect([code, stderr]).toEqual([65, expect.stringContaining("points outside the workspace")]);
    },
  );

  test("B-03 L-03 specs and copied files behind links do not reach a lane, and it is said", async () => {
    const outside = outsideFolder();
    const place = await loopWorkspace({
      script: "- - run: cat .ralph/specs/* more/* .env 2>/dev/null; true\n  - say: Nothing\n",
      config: "gates: []\nspecs: { dirs: [.ralph/specs, more] }\n",
      files: { ".gitignore": ".env\n", ".worktreeinclude": ".env\n../outside\n" },
    });
    symlinkSync(join(outside, "a.md"), join(place.folder, ".ralph/specs/leak.md"));
    symlinkSync(outside, join(place.folder, "more"));
    symlinkSync(join(outside, "a.md"), join(place.folder, ".env"));
    const run = await place.run("--max-iterations", "1");
    expect(run.stdout).not.toContain(SECRET);
    expect(run.stdout).toContain("The specs directory more is a link that leads out of the workspace");
    expect(run.stdout).toContain(".env is not copied into lanes: it is a symbolic link");
  });
});
