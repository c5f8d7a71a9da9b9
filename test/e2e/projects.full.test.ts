import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROGRAM, ralphctl } from "../built-program.ts";
import { type LoopWorkspace, loopWorkspace, runOf } from "../loop-workspace.ts";
import { startLive } from "../live-run.ts";
import { type } from "../recording-io.ts";
import { eventsOf, seen } from "../run-seen.ts";
import { seedFiles } from "../seed-workspace.ts";
import { homeOf, git, temporaryFolder } from "../temporary-folder.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";

const CLAIM = "say: <task-done>{task}</task-done>";
const HONEST = `
- - append: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`;
const AC3 =
  "error: Prompt contains {project} placeholder but --project flag was not provided. Either provide --project flag or remove {project} from your prompt templates.\n";
const GREEN = "gates:\n  - { id: test, run: test -f README.md }\n";

/** An agent that plans a project: it writes the plan that the prompt names. */
const planning = (project: string): string => `
- - write: { path: projects/${project}/IMPLEMENTATION_PLAN.md, text: "- [ ] Say hello\\n" }
  - say: <promise>COMPLETE</promise>
`;

test("S000-AC1 S000-AC2 S000-AC3 S000-AC4 S000-AC5 S000-AC6 S000-R3 the eight verification steps of the seed", async () => {
  // 1. A prompt file with the placeholder.
  const place = await loopWorkspace({ script: planning("test-proj"), tasks: [], files: seedFiles("000-projects") });
  // 2. and 3. With --project it is replaced, everywhere.
  const planned = await place.run("plan", "--project", "test-proj");
  expect([planned.code, eventsOf(planned, "run.started")[0]?.scope, place.commits()]).toEqual([
    0,
    "project/test-proj",
    ["Plan the work"],
  ]);
  expect(planned.prompt(1)).toContain(`# Planning Agent

## Context
Study all specs in \`projects/test-proj/specs/\` to understand requirements.
Update \`projects/test-proj/IMPLEMENTATION_PLAN.md\` with task status.
`);
  expect(planned.prompt(1)).not.toContain("{project}");
  // 4. and 5. Without it: the error, and no agent was started.
  const refused = await place.ralphctl("run", "plan");
  expect(refused).toEqual({ code: 64, stdout: "", stderr: expect.stringMatching(/^error: /) });
  expect(refused.stderr.startsWith(AC3)).toBe(true);
  // 6. to 8. A prompt without it works as it is, with and without the flag.
  place.write({ "PROMPT_plan.md": "Plan it, not {PROJECT} and not { project }.\n" });
  place.git("commit", "--quiet", "--all", "--message", "Another prompt");
  const runs = [await place.run("plan", "--project", "test-proj"), await place.run("plan")];
  expect(runs.map((run) => run.prompt(1).includes("Plan it, not {PROJECT} and not { project }.\n"))).toEqual([
    true,
    true,
  ]);
  expect(runs.map((run) => eventsOf(run, "run.started")[0]?.scope)).toEqual(["project/test-proj", "workspace"]);
});

test.concurrent("S000-AC1 D-02 S000-E4 build too; a project that does not exist is no run, nor is a name that leaves projects/", async () => {
  const place = await loopWorkspace({ script: HONEST, tasks: [], files: seedFiles("000-projects") });
  const run = await place.run("--project", "auth-system");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified", "verified"],
    states: { Plan: "done", "Ask for the password": "done", "Refuse a wrong one": "done" },
    commits: ["Ask for the password", "Refuse a wrong one"],
  });
  expect(run.prompt(1)).toContain(
    "Study the specs in `projects/auth-system/specs/` and implement the task from `projects/auth-system/IMPLEMENTATION_PLAN.md`.",
  );
  expect(place.read("projects/auth-system/IMPLEMENTATION_PLAN.md")).toBe(
    "# Plan\n\n- [x] Ask for the password\n- [x] Refuse a wrong one\n",
  );
  const answers = await Promise.all(
    ["auth-sytem", "", "..", "a/b", ".x"].map((name) => place.ralphctl("run", "--project", name)),
  );
  expect(answers.map(({ code, stderr }) => [code, stderr.split("\n")[0]])).toEqual([
    [78, 'error: Unknown project "auth-sytem": projects/auth-sytem does not exist'],
    [64, 'error: The project name "" is empty'],
    [64, 'error: The project name ".." starts with a dot'],
    [64, 'error: The project name "a/b" contains a path separator'],
    [64, 'error: The project name ".x" starts with a dot'],
  ]);
});

/** Two projects, each with its prompt, specs, plan and context. */
async function twoProjects(): Promise<LoopWorkspace> {
  const place = await loopWorkspace({
    tasks: ["Of the workspace"],
    config: GREEN,
    files: {
      "projects/a/PROMPT_build.md": "Build A in {project}.\n",
      "projects/a/specs/a.md": "# A\n",
      "projects/a/IMPLEMENTATION_PLAN.md": "- [ ] A one\n- [ ] A two\n",
      "projects/b/specs/b.md": "# B\n",
      "projects/b/IMPLEMENTATION_PLAN.md": "- [ ] B one\n- [ ] B two\n",
    },
    script: `
- - append: { path: "done-of.txt", text: "x\\n" }
  - ${CLAIM}
`,
  });
  return place;
}

test.concurrent("S000-R2 S000-R3 each project has its own prompt, specs, plan, context, tasks and sessions", async () => {
  const place = await twoProjects();
  await place.ralphctl("context", "add", "--project", "a", "Only for A");
  const a = await place.run("--project", "a");
  const b = await place.run("--project", "b");
  expect([a.code, b.code, await place.states()]).toEqual([
    0,
    0,
    { "Of the workspace": "pending", "A one": "done", "A two": "done", "B one": "done", "B two": "done" },
  ]);
  const about = (prompt: string): boolean[] =>
    ["Build A in projects/a.", "Only for A", "projects/a/specs", "projects/b/specs"].map((text) =>
      prompt.includes(text),
    );
  expect([about(a.prompt(1)), about(b.prompt(1))]).toEqual([
    [true, true, true, false],
    [false, false, false, true],
  ]);
  const inspected = async (...args: readonly string[]) => {
    const { stdout } = await place.ralphctl("inspect", ...args, "--json");
    return (JSON.parse(stdout) as Record<string, unknown>[]).map(({ run, iteration, scope, outcome }) => [
      run,
      iteration,
      scope,
      outcome,
    ]);
  };
  const [ofA, ofB] = [a, b].map(({ name }, at) =>
    [1, 2].map((iteration) => [name, iteration, at === 0 ? "project/a" : "project/b", "verified"]),
  );
  expect([await inspected("--project", "a"), await inspected("--project", "b"), await inspected()]).toEqual([
    ofA,
    ofB,
    [...ofA!, ...ofB!],
  ]);
});

test.concurrent("W-07 two projects run at the same time in two working trees with one store", async () => {
  const place = await twoProjects();
  const other = join(temporaryFolder(), "other");
  git(place.folder, "worktree", "add", "--quiet", "-b", "other", other);
  const a = startLive(place.folder, "--project", "a");
  const b = startLive(other, "--project", "b");
  const [first, second] = await Promise.all([a.ended, b.ended]);
  expect([first.code, second.code, first.outcomes, second.outcomes]).toEqual([
    0,
    0,
    ["verified", "verified"],
    ["verified", "verified"],
  ]);
  // Each tree has its own commits, and both see all tasks.
  const subjects = (folder: string): string[] => git(folder, "log", "-2", "--reverse", "--format=%s").split("\n");
  expect([subjects(place.folder), subjects(other)]).toEqual([
    ["A one", "A two"],
    ["B one", "B two"],
  ]);
  expect(await place.states()).toMatchObject({ "A one": "done", "A two": "done", "B one": "done", "B two": "done" });
  expect(existsSync(join(other, ".ralph/ralph.db"))).toBe(false);
  // The sessions of both are known in each.
  for (const cwd of [place.folder, other]) {
    const { stdout } = await ralphctl(["inspect", "--project", "b", "--json"], { cwd });
    const sessions = JSON.parse(stdout) as { readonly run: string; readonly folder: string }[];
    expect(sessions.map(({ run, folder }) => [run, folder])).toEqual(
      [1, 2].map((iteration) => [second.name, join(other, ".ralph/runs", second.name, String(iteration))]),
    );
    expect(readFileSync(join(sessions[0]!.folder, "prompt.md"), "utf8")).toContain("B one");
  }
});

test.concurrent("W-07 P-51 what the plan of another working tree says of a task is not undone by an older plan", async () => {
  const place = await twoProjects();
  const other = join(temporaryFolder(), "other");
  git(place.folder, "worktree", "add", "--quiet", "-b", "other", other);
  const plan = "projects/a/IMPLEMENTATION_PLAN.md";
  place.write({ [plan]: `${place.read(plan)}- [ ] A three\n` });
  place.git("commit", "--quiet", "--all", "--message", "Add to the plan");
  expect((await place.run("--project", "a", "--max-iterations", "2")).outcomes).toEqual(["verified", "verified"]);
  // Here, nothing is marked in the plan, and the third entry is not in it.
  const there = await startLive(other, "--project", "a").ended;
  expect([there.code, git(other, "log", "-2", "--reverse", "--format=%s").split("\n").at(-1), there.outcomes]).toEqual([
    // T-15: the others landed on main, and not here.
    5,
    "A three",
    ["verified"],
  ]);
  const again = await place.run("--project", "a");
  expect([again.code, again.outcomes]).toEqual([5, []]);
  expect(await place.states()).toMatchObject({ "A one": "done", "A two": "done", "A three": "done" });
});

test.concurrent("S000-R2 status of a project names its last run and the command for it; a refused run is none", async () => {
  const place = await twoProjects();
  expect((await place.run("--project", "a")).code).toBe(0);
  const json = (await place.ralphctl("status", "--project", "a", "--json")).stdout;
  const { stdout } = await place.ralphctl("status", "--project", "a");
  expect(stdout.slice(stdout.indexOf("Next:"))).toBe(
    "Next:\n  ralphctl inspect --project a  see what the last run did\n",
  );
  expect((await place.ralphctl("run", "--project", "b", "--harness", "command")).code).toBe(78);
  const all = (await place.ralphctl("status")).stdout;
  expect([
    all.includes("of the project a"),
    all.includes("without a word"),
    all.includes("Cost of the one run"),
  ]).toEqual([true, false, true]);
  expect(JSON.parse(json)).toMatchObject({ last: { scope: "project/a" } });
});

test.concurrent("X-2 what blocks a project from outside is named, with its scope and the run that would help", async () => {
  const place = await twoProjects();
  const add = async (...args: readonly string[]): Promise<string> => (await place.task("add", ...args)).stdout.trim();
  const blocker = await add("Of the other", "--project", "b");
  const task = await add("Waits", "--project", "a", "--needs", blocker);
  place.write({ "projects/a/IMPLEMENTATION_PLAN.md": "" });
  place.git("commit", "--quiet", "--all", "--message", "Empty the plan");
  const run = await place.run("--project", "a");
  expect([run.code, run.finished]).toMatchObject([
    2,
    {
      ending: "blocked",
      reason: `The tasks left wait for ${blocker} of the project b`,
      blocked: [{ id: task, title: "Waits", by: [blocker] }],
      outside: [{ id: blocker, title: "Of the other", scope: "project/b" }],
    },
  ]);
  const { stdout } = await place.ralphctl("run", "--project", "a");
  expect(stdout.slice(stdout.indexOf("Blocked\n"))).toBe(`Blocked
  ${task} "Waits" needs ${blocker} (Of the other) of the project b

Next:
  ralphctl task show ${blocker}
  ralphctl run --project b
  ralphctl run --project a
`);
});

describe("run without a flag", () => {
  const NOTHING = {
    tasks: [],
    config: GREEN,
    script: HONEST,
    files: {
      "projects/a/IMPLEMENTATION_PLAN.md": "- [ ] A one\n",
      "projects/b/specs/b.md": "# B\n",
      "projects/finished/IMPLEMENTATION_PLAN.md": "- [x] Long ago\n",
      "openspec/changes/add-x/tasks.md": "- [ ] 1.1 X one\n",
    },
  };

  test.concurrent("is the workspace, as long as that has something to do", async () => {
    const place = await loopWorkspace({ ...NOTHING, tasks: ["Of the workspace"] });
    const run = await place.run();
    expect([run.code, run.finished?.elsewhere, await place.states()]).toEqual([
      0,
      undefined,
      { "Of the workspace": "done" },
    ]);
  });

  test.concurrent("X-3 then names the scopes that have, where nobody can be asked; also when its own tasks are done", async () => {
    const place = await loopWorkspace(NOTHING);
    const shown = await place.ralphctl("run");
    expect(shown).toEqual({
      code: 3,
      stderr: "",
      stdout: `The workspace itself has nothing to do, but there is work in the project a, the project b, the change add-x

Next:
  ralphctl run --project a
  ralphctl run --project b
  ralphctl run --change add-x
`,
    });
    await place.task("add", "Of the workspace");
    const [first, second] = [await place.run(), await place.run()];
    const elsewhere = ["project/a", "project/b", "change/add-x"];
    expect([first.code, second.code, second.finished?.elsewhere]).toEqual([0, 3, elsewhere]);
    // Nothing was looked at in a way that would have changed it.
    expect([await place.states(), place.git("status", "--porcelain")]).toEqual([{ "Of the workspace": "done" }, ""]);
    const dry = await place.ralphctl("run", "--dry-run");
    expect([dry.code, dry.stderr.split("\n")[1]]).toEqual([3, "hint: Run ralphctl run --project a"]);
  });

  test.runIf(hasTerminals)("asks at a terminal, and works on what was chosen with the keys", async () => {
    const place = await loopWorkspace(NOTHING);
    const run = startAtTerminal([process.execPath, PROGRAM, "run"], place.folder);
    await run.says("What should the run work on?");
    await run.says("change add-x");
    run.child.stdin.write("\r");
    expect([await run.ended, await place.states()]).toEqual([0, { "A one": "done" }]);
  });

  test.concurrent("lets the person at a terminal choose one of them", async () => {
    const place = await loopWorkspace(NOTHING);
    const asked: (readonly string[])[] = [];
    const choice = (options: readonly string[]): string | undefined => {
      asked.push(options);
      return asked.length === 1 ? "project/a" : undefined;
    };
    const env = { PATH: process.env["PATH"]!, ...homeOf(place.folder) };
    const chosen = await type(["run"], { cwd: place.folder, env, choice });
    expect([chosen.code, await place.states()]).toEqual([0, { "A one": "done" }]);
    expect(chosen.stdout).toContain("Scope project/a");
    const refused = await type(["run"], { cwd: place.folder, env, choice });
    expect([refused.code, refused.stdout.split("\n")[0]]).toEqual([
      3,
      "The workspace itself has nothing to do, but there is work in the project b, the change add-x",
    ]);
    const json = runOf(place.folder, await type(["run", "--json"], { cwd: place.folder, env, choice }));
    expect([json.code, asked]).toEqual([
      3,
      [
        ["project/a", "project/b", "change/add-x"],
        ["project/b", "change/add-x"],
      ],
    ]);
  });
});
