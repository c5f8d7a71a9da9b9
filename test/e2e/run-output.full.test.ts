import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { shellWord } from "../../src/domain/shell-word.ts";
import { alike } from "../alike.ts";
import { PROGRAM, ralphctl } from "../built-program.ts";
import { loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CLAIM = "say: <task-done>{task}</task-done>";
const HONEST = `
- - write: { path: done.txt, text: "{task}\\n" }
  - cost: 0.25
  - ${CLAIM}
`;

/** How a run without --json ends: its exit code, and all that follows the lines with the time. */
async function summaryOf(options: WorkspaceOptions, ...args: readonly string[]): Promise<[number, string]> {
  const place = await loopWorkspace(options);
  const { code, stdout, stderr } = await place.ralphctl("run", ...args);
  expect(stderr).toBe("");
  const lines = alike(stdout).split("\n");
  return [code, lines.slice(lines.findLastIndex((line) => line.startsWith("TIME")) + 2).join("\n")];
}

test.concurrent("X-0 the summary of a run that is complete", async () => {
  expect(await summaryOf({ script: HONEST, tasks: ["One", "Two"] })).toEqual([
    0,
    `Complete and verified: 2 tasks (1 proven, 1 unbroken)

  Tasks       1 proven · 1 unbroken
  Iterations  2 in 0s
  Cost        $0.50
  Commits     2 on main

Next:
  git log --oneline COMMIT..main
`,
  ]);
});

test.concurrent("X-5 P-19 the summary of a run without proof", async () => {
  expect(await summaryOf({ script: HONEST, config: "gates: []\n" })).toEqual([
    5,
    `Complete, but unverified: 1 task (1 to look at)

  Tasks       1 to look at
  Iterations  1 in 0s
  Cost        $0.25
  Commits     1 on main

Look at these
  TASK "Do it": no check has run

Next:
  Add gates to .ralph/config.yaml, such as gates: [{ id: test, run: COMMAND }]
  ralphctl verify
  ralphctl task show TASK
  ralphctl task approve TASK
`,
  ]);
});

test.concurrent("X-0 a run after the last one starts nothing, and claims no proof", async () => {
  const place = await loopWorkspace({
    script: HONEST,
    config: "gates:\n  - { id: test, run: echo x >> {home}/.git/log }\n",
  });
  await place.run();
  const before = place.read(".git/log");
  const { code, stdout } = await place.ralphctl("run", "--quiet");
  const [, ...lines] = alike(stdout).split("\n");
  expect([code, place.read(".git/log"), lines.join("\n")]).toEqual([
    0,
    before,
    `TIME  Warning: The specs directory .ralph/specs is empty

Nothing is left to do: 1 task (1 unbroken)

Next:
  ralphctl task list
`,
  ]);
});

test.concurrent("X-1 P-33 the summary of a run in which a task failed", async () => {
  const script = `
- - write: { path: work.txt, text: "x" }
  - ${CLAIM}
`;
  expect(await summaryOf({ script }, "--max-attempts", "1")).toEqual([
    1,
    `Failed: all tasks are settled, and some failed

  Tasks       1 failed
  Iterations  1 in 0s
  Cost        not reported
  Commits     none

Failed
  TASK "Do it": gate test: exit code 1

Saved work
  refs/ralph/RUN/TASK: the task failed. Take it: ralphctl lanes take TASK

Next:
  ralphctl task show TASK
  ralphctl task reset TASK && ralphctl run
  git log refs/ralph/RUN/TASK
`,
  ]);
});

test.concurrent("X-2 the summary of a run that waits for a person, and is blocked by that", async () => {
  const options: WorkspaceOptions = {
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": "- [ ] T001 Ask\n- [ ] T002 Go on (needs: T001)\n" },
    script: `
- - run: ralphctl task park "$RALPHCTL_TASK" "Which port?"
  - say: I have asked.
`,
  };
  expect(await summaryOf(options)).toEqual([
    2,
    `Blocked until you act: tasks wait for an answer

  Tasks       1 waiting for a person · 1 blocked
  Iterations  1 in 0s
  Cost        not reported
  Commits     none

Waiting for a person
  TASK "Ask" asks: Which port?

Blocked
  TASK "Go on" needs TASK

Next:
  ralphctl task answer TASK TEXT
  ralphctl run
`,
  ]);
});

test.concurrent("X-4 the summary of a run that reached a limit", async () => {
  expect(await summaryOf({ script: HONEST, tasks: ["One", "Two"] }, "--max-iterations", "1")).toEqual([
    4,
    `Stopped at a limit, with work left: reached the limit of 1 iteration

  Tasks       1 proven · 1 ready
  Iterations  1 in 0s
  Cost        $0.25
  Commits     1 on main

Next:
  ralphctl run
`,
  ]);
});

test.concurrent("X-130 P-40 the summary of a run that was interrupted", async () => {
  const script = `
- - run: kill -INT $(ps -o ppid= -p $PPID)
  - hang: true
`;
  expect(await summaryOf({ script, isBuilt: true })).toEqual([
    130,
    `Stopped by you

  Tasks       1 ready
  Iterations  1 in 0s
  Cost        not reported
  Commits     none

Next:
  ralphctl run
`,
  ]);
});

test.concurrent("X-0 P-04 the summary of a plan, and X-77 of a login that was refused", async () => {
  const files = { ".ralph/specs/greeting.md": "# Greeting\n" };
  const script = `
- - write: { path: IMPLEMENTATION_PLAN.md, text: "- [ ] One\\n- [ ] Two\\n" }
  - say: <promise>COMPLETE</promise>
`;
  expect(await summaryOf({ tasks: [], files, script }, "plan")).toEqual([
    0,
    `The plan is written

  Tasks       2 ready
  Iterations  1 in 0s
  Cost        not reported
  Commits     1 on main

Next:
  ralphctl task list
  ralphctl run
`,
  ]);
  expect(await summaryOf({ script: "- - end: { kind: login, message: The key is not valid }\n" })).toEqual([
    77,
    `Stopped: the login was refused: The key is not valid

  Tasks       1 ready
  Iterations  1 in 0s
  Cost        not reported
  Commits     none

Next:
  Log in to scripted, then ralphctl run
`,
  ]);
});

test.concurrent("ralphctl demo plans, is not fooled, proves, commits, and says where to look", async () => {
  const folders = process.env["PATH"]!.split(":").filter((place) => !existsSync(join(place, "ralphctl")));
  const env = { PATH: folders.join(":") };
  const { code, stdout, stderr } = await ralphctl(["demo"], { cwd: temporaryFolder(), env });
  const [story, more] = stdout.split("\nralphctl is not on your PATH yet. ");
  expect(more).toBe(`Until then, run: ${[process.execPath, PROGRAM].map(shellWord).join(" ")}\n`);
  const folder = /\bcd (\S+)/.exec(stdout)?.[1] ?? "";
  expect(folder).toContain("ralphctl-demo-");
  expect(readdirSync(dirname(folder)).sort()).toEqual(["greeting", "lanes"]);
  rmSync(dirname(folder), { recursive: true });
  // What the tests of the demo print is Node's, and differs from version to version.
  const said = alike(story!).replaceAll(/^TIME {6}\| .*\n/gm, "");
  expect([code, stderr]).toEqual([0, ""]);
  expect(said).toBe(readFileSync("test/e2e/demo-transcript.txt", "utf8"));
});
