import { expect, test } from "vitest";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { temporaryRepository } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

const CLAIM = "say: <task-done>{task}</task-done>";

/** What each iteration was about, and how many there could be. */
const started = ({ events }: LoopRun) =>
  events.flatMap((event) => (event.type === "iteration.started" ? [[event.task?.title, event.of]] : []));

test.concurrent("P-05 X-3 init and run in a fresh repository: nothing to do, and the commands that would help", async () => {
  const cwd = temporaryRepository({ "README.md": "# Test\n", "script.yaml": "- - say: Hello.\n" });
  const init = await typed(["init", "--yes"], { cwd });
  const run = await typed(["run", "--harness", "scripted"], {
    cwd,
    env: { RALPHCTL_HARNESSES_SCRIPTED_SCRIPT: "script.yaml" },
  });
  expect([init.code, run.code, run.stderr]).toEqual([0, 3, ""]);
  expect(run.stdout)
    .toBe(`Nothing to do: the workspace has no open tasks and no specs in .ralph/specs, and PROMPT_build.md is not a prompt of your own

Next:
  ralphctl run "What to do"
  ralphctl task add "TITLE"
  ralphctl run plan
`);
});

test.concurrent("P-02 P-42 words make one task, and the run is about that task alone, in at most 10 iterations", async () => {
  const place = await loopWorkspace({
    tasks: ["Another"],
    script: `
- - write: { path: done.txt, text: "yes\\n" }
  - ${CLAIM}
`,
  });
  const run = await place.run("Add a login page\n\nWith {project} as its title");
  expect([run.code, started(run), await place.states(), place.commits()]).toEqual([
    0,
    [["Add a login page", 10]],
    { Another: "pending", "Add a login page": "done" },
    ["Add a login page"],
  ]);
  expect(run.prompt(1)).toContain("With {project} as its title");
});

test.concurrent("P-02 X-64 words that are the id of a task are meant for --task, and start nothing", async () => {
  const place = await loopWorkspace({ tasks: ["Another"], script: `- - ${CLAIM}\n` });
  const [id] = place.ids;
  const named = await place.run(id!);
  const unknown = await place.run("t-57bfffde");
  expect([named.code, named.stderr, unknown.code, unknown.stderr, await place.states()]).toEqual([
    64,
    `error: ${id} is the id of a task (Another), not a description of work\nhint: Run ralphctl run --task ${id}\n`,
    64,
    "error: t-57bfffde looks like the id of a task, but there is no such task\nhint: Run ralphctl task list, and then ralphctl run --task ID\n",
    { Another: "pending" },
  ]);
});

test.concurrent("P-02 P-19 X-78 words of a run that is refused leave no task behind", async () => {
  const place = await loopWorkspace({ tasks: ["Another"], config: "gates: []\n", script: `- - ${CLAIM}\n` });
  const run = await place.run("Add a login page", "--strict");
  expect([run.code, await place.states()]).toEqual([78, { Another: "pending" }]);
});

test.concurrent("P-02 P-41 the same words again take up the same unfinished task, with its rejection; others make another", async () => {
  const place = await loopWorkspace({
    tasks: [],
    script: `- - ${CLAIM}\n`,
  });
  const first = await place.run("Add a login page", "--max-iterations", "1");
  const second = await place.run("Add a login page", "--max-iterations", "1");
  const third = await place.run("Add a logout page", "--max-iterations", "1");
  const of = (run: LoopRun) =>
    run.events.flatMap((event) =>
      event.type === "iteration.started" ? [[event.task?.title, event.attempts, event.iteration]] : [],
    );
  expect([first, second, third].map((run) => [run.code, of(run)])).toEqual([
    [4, [["Add a login page", 0, 1]]],
    [4, [["Add a login page", 1, 1]]],
    [4, [["Add a logout page", 0, 1]]],
  ]);
  const failure = "## Validation Failure (completion rejected)";
  expect([first, second, third].map((run) => run.prompt(1).includes(failure))).toEqual([false, true, false]);
  expect(await place.states()).toEqual({ "Add a login page": "pending", "Add a logout page": "pending" });
});

test.concurrent("P-02 --file is the same as its text in words", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { "brief.md": "# Add a login page\n\nIt asks for a name.\n" },
    script: `
- - write: { path: done.txt, text: "yes\\n" }
  - ${CLAIM}
`,
  });
  const run = await place.run("--file", "brief.md");
  expect([run.code, started(run), place.commits()]).toEqual([0, [["Add a login page", 10]], ["Add a login page"]]);
  expect(run.prompt(1)).toContain("It asks for a name.");
});

test.concurrent("P-02 --task, repeated and abbreviated, limits a run to these tasks", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two", "Three"],
    script: `
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`,
  });
  const [one, , three] = place.ids;
  const run = await place.run("--task", three!.slice(0, -1), "--task", one!);
  expect([run.code, started(run), await place.states(), run.finished?.left]).toEqual([
    0,
    [
      ["One", 26],
      ["Three", 26],
    ],
    { One: "done", Two: "pending", Three: "done" },
    { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 2 },
  ]);
});

const OWN_PROMPT = { "PROMPT_build.md": "# Make done.txt better\n\nAdd one line to done.txt. {specs} stays.\n" };

test.concurrent("P-03 S000-AC6 the classic loop: the prompt file is the task, the promise ends it, and the gates decide", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: OWN_PROMPT,
    script: `
- - say: <promise>COMPLETE</promise>
- - append: { path: done.txt, text: "more\\n" }
  - say: A start.
- - append: { path: done.txt, text: "more\\n" }
  - say: "Everything is there.\\n\\n<promise>COMPLETE</promise>"
`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes, started(run), place.commits(), await place.states()]).toEqual([
    0,
    ["rejected", "unfinished", "verified"],
    [
      ["Make done.txt better", 10],
      ["Make done.txt better", 10],
      ["Make done.txt better", 10],
    ],
    ["Make done.txt better"],
    { "Make done.txt better": "done" },
  ]);
  expect(run.prompt(1)).toContain("# Make done.txt better\n\nAdd one line to done.txt. {specs} stays.\n");
});

test.concurrent("P-03 a second run of the classic loop makes a new task of the same prompt", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: OWN_PROMPT,
    script: `
- - append: { path: done.txt, text: "more\\n" }
  - say: <promise>COMPLETE</promise>
`,
  });
  const codes = [(await place.run()).code, (await place.run()).code];
  const list = await place.task("list", "--json");
  const tasks = JSON.parse(list.stdout) as { readonly title: string; readonly status: string }[];
  expect([codes, tasks.map(({ title, status }) => [title, status]), place.commits()]).toEqual([
    [0, 0],
    [
      ["Make done.txt better", "done"],
      ["Make done.txt better", "done"],
    ],
    ["Make done.txt better", "Make done.txt better"],
  ]);
});
