import { expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";

const CLAIM = "say: <task-done>{task}</task-done>";

const of = <Type extends RunEvent["type"]>({ events }: LoopRun, type: Type) =>
  events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);

test.concurrent("P-21 T-31 a later task that breaks an earlier one's own gate is reopened, told what it broke, and has to mend it", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: "gates:\n  - { id: all, run: test -f README.md }\n",
    script: `
- - write: { path: a.txt, text: "good\\n" }
  - ${CLAIM}
- - write: { path: a.txt, text: "bad\\n" }
  - write: { path: b.txt, text: "good\\n" }
  - ${CLAIM}
- - append: { path: b.txt, text: "better\\n" }
  - ${CLAIM}
- - write: { path: a.txt, text: "good\\n" }
  - ${CLAIM}
`,
  });
  await place.task("add", "First", "--gate", "own=grep -q good a.txt");
  await place.task("add", "Second", "--gate", "own=test -f b.txt");
  const run = await place.run();
  expect([run.code, run.outcomes, place.commits(), await place.states()]).toEqual([
    0,
    ["verified", "verified", "rejected", "verified"],
    ["First", "Second", "Second"],
    { First: "done", Second: "done" },
  ]);
  const reopened = of(run, "tasks.changed").map(({ change, tasks }) => [change, tasks[0]!.title]);
  expect([reopened, of(run, "check.finished").map(({ check, red }) => [check, red.length])]).toEqual([
    [["reopened", "Second"]],
    [
      ["baseline", 0],
      ["own", 1],
      ["own", 1],
      ["final", 1],
      // Reopened, it has the gate that it broke.
      ["own", 1],
      ["final", 0],
    ],
  ]);
  expect(run.prompt(3)).toContain("## Validation Failure (completion rejected)");
  expect(run.prompt(3)).toContain("(First), by commit ");
  expect(run.prompt(3)).toContain("grep -q good a.txt");
  expect([run.finished?.verified, run.finished?.unverified]).toEqual([2, 0]);
});

test.concurrent("L-29 P-21 the final check runs in the room, on the head of the landing", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: "gates:\n  - { id: all, run: test -f README.md }\n",
    script: `
- - append: { path: a.txt, text: "{iteration}\\n" }
  - ${CLAIM}
`,
  });
  await place.task("add", "First", "--gate", 'own=basename "$PWD" > "$HOME/.git/where"; cat a.txt > "$HOME/.git/seen"');
  await place.task("add", "Second", "--gate", "own=grep -q 2 a.txt");
  // The branch does not follow, so that only the landing has the work.
  const run = await place.run("--no-commit");
  expect([run.code, of(run, "check.finished").at(-1)]).toMatchObject([0, { check: "final", red: [] }]);
  expect([place.read(".git/where"), place.read(".git/seen")]).toEqual(["room\n", "1\n2\n"]);
});

test.concurrent("P-21 what was proven on the final tree is not run again", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: `gates:\n  - { id: all, run: "echo all >> $HOME/.git/log" }\n`,
    script: `
- - append: { path: a.txt, text: "{iteration}\\n" }
  - ${CLAIM}
`,
  });
  await place.task("add", "First", "--gate", 'own=grep -q 1 a.txt && echo first >> "$HOME/.git/log"');
  await place.task("add", "Second", "--gate", 'own=grep -q 2 a.txt && echo second >> "$HOME/.git/log"');
  const run = await place.run();
  expect([run.code, place.read(".git/log").split("\n")]).toEqual([
    0,
    // Before any work; for the first claim; for the second; and at the end only what the second did not prove.
    ["all", "first", "all", "second", "all", "first", ""],
  ]);
});

test.concurrent("P-21 X-4 what is opened again when the iterations are used up is left open, and the run is not complete", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: "gates: []\n",
    script: `
- - write: { path: a.txt, text: "{iteration}\\n" }
  - ${CLAIM}
`,
  });
  await place.task("add", "First", "--gate", "own=grep -q 1 a.txt");
  await place.task("add", "Second", "--gate", "own=grep -q 2 a.txt");
  const run = await place.run("--max-iterations", "2");
  expect([run.code, run.finished?.ending, run.finished?.reason, await place.states()]).toEqual([
    4,
    "limit",
    "Reached the limit of 2 iterations",
    { First: "done", Second: "pending" },
  ]);
});

test.concurrent("T-31 a gate that is red only at times blames nobody, and one that fails where it passed before ends the run", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: "gates: []\n",
    script: `
- - run: touch "$RALPHCTL_TASK.txt"
  - ${CLAIM}
`,
  });
  // It follows the work, until the last task is proven. From then on it is green only in these runs.
  const later = (run: string, green: string): string =>
    `own=test -f "$RALPHCTL_TASK.txt" || exit 1; cd "$HOME/.git"; test -f ${run}.last || exit 0; echo x >>${run}.count; case $(wc -l <${run}.count) in ${green}) exit 0;; *) exit 1;; esac`;
  const last = (run: string): string => `own=test -f "$RALPHCTL_TASK.txt" && touch "$HOME/.git/${run}.last"`;
  await place.task("add", "Flaky", "--gate", later("1", "2"));
  await place.task("add", "Last", "--gate", last("1"));
  const first = await place.run();
  const warned = of(first, "run.notice").flatMap(({ level, text }) => (level === "warning" ? text : []));
  expect([first.code, warned.at(-1)]).toEqual([
    0,
    expect.stringMatching(/^Gate own of t-\w+ \(Flaky\) is flaky: it failed and passed on the files of [0-9a-f]{10}$/),
  ]);
  await place.task("add", "Out of order", "--gate", later("2", "none"));
  await place.task("add", "Last of all", "--gate", last("2"));
  const second = await place.run();
  expect([second.code, second.finished?.reason, await place.states()]).toEqual([
    2,
    expect.stringMatching(
      /\(Out of order\) fails on the files of [0-9a-f]{10}, on which it passed before: something outside the repository changed$/,
    ),
    { Flaky: "done", Last: "done", "Out of order": "done", "Last of all": "done" },
  ]);
});

test.concurrent("L-01 --no-commit: verified work is on the landing ref, is done, and the branch stays where it is", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    script: `
- - append: { path: README.md, text: "{task}\\n" }
  - append: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`,
  });
  const first = await place.run("--no-commit", "--max-iterations", "1");
  const second = await place.run("--no-commit");
  expect([first.code, second.code, second.stderr.split("\n")[0], await place.states(), place.commits()]).toEqual([
    4,
    0,
    "Complete and verified: 2 tasks (1 proven, 1 unbroken)",
    { One: "done", Two: "done" },
    [],
  ]);
  expect(second.stderr).toMatch(/^ +Commits +1 landed, not on main yet$/m);
  expect(second.stderr).toMatch(/^Next:\n {2}ralphctl land\n$/m);
  expect([place.git("status", "--porcelain"), place.read("README.md")]).toEqual(["", "# Test\n"]);
  const landed = place.git("show", "refs/ralph/target/main:README.md");
  expect(landed).toBe(`# Test\n${place.ids[0]}\n${place.ids[1]}`);
});

test.concurrent("P-19 X-5 what was done without proof stays unverified in later runs, until a gate has its say", async () => {
  const place = await loopWorkspace({
    config: "gates: []\n",
    script: `
- - write: { path: done.txt, text: "yes\\n" }
  - ${CLAIM}
`,
  });
  const first = await place.run();
  const second = await place.run();
  const third = await place.run("--validation-command", "test -f done.txt");
  const fourth = await place.run();
  expect([first, second, third, fourth].map(({ code, outcomes }) => [code, outcomes])).toEqual([
    [5, ["verified"]],
    [5, []],
    [0, []],
    [0, []],
  ]);
});

test.concurrent("P-19 P-21 a gate that comes later, and is red, opens what was done without proof again", async () => {
  const place = await loopWorkspace({
    config: "gates: []\n",
    script: `
- - append: { path: done.txt, text: "yes\\n" }
  - ${CLAIM}
`,
  });
  await place.run();
  const run = await place.run("--validation-command", "test $(wc -l < done.txt) = 2");
  expect([run.code, run.outcomes, await place.states(), place.commits()]).toEqual([
    0,
    ["verified"],
    { "Do it": "done" },
    ["Do it", "Do it"],
  ]);
});
