import { join } from "node:path";
import { expect, test } from "vitest";
import type { LoopRun, LoopWorkspace } from "../loop-workspace.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { git, keptRefs, temporaryRepository, write } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

const SPEC = { ".ralph/specs/greeting.md": "# Greeting\n\nSay hello.\n" };
const PLAN = "# Plan\n\n- [ ] Say hello\n- [ ] Say goodbye\n";

/** A workspace with a spec and no tasks. */
const specified = async (script: string, files: Readonly<Record<string, string>> = {}): Promise<LoopWorkspace> =>
  await loopWorkspace({ script, tasks: [], files: { ...SPEC, ...files } });

const planning = (plan = PLAN): string => `write: { path: IMPLEMENTATION_PLAN.md, text: ${JSON.stringify(plan)} }`;

/** The files of a commit. */
const filesOf = (place: LoopWorkspace, commit = "HEAD"): string[] =>
  place.git("show", "--name-only", "--format=", commit).split("\n").filter(Boolean);

const notices = ({ events }: LoopRun): string[] =>
  events.flatMap((event) => (event.type === "run.notice" ? [event.text] : []));

const ending = ({ finished }: LoopRun) => [finished?.ending, finished?.mode, finished?.reason];

test.concurrent("P-04 X-0 run plan ends when the plan is written: one commit with plan and new specs", async () => {
  const place = await specified(`
- - write: { path: .ralph/specs/farewell.md, text: "# Farewell\\n" }
  - ${planning()}
  - say: <promise>COMPLETE</promise>
`);
  const run = await place.run("plan");
  expect([run.code, ending(run), run.outcomes, await place.states(), place.commits(), filesOf(place)]).toEqual([
    0,
    ["complete", "plan", "The plan is written"],
    ["verified"],
    { Plan: "pending", "Say hello": "pending", "Say goodbye": "pending" },
    ["Plan the work"],
    [".ralph/specs/farewell.md", "IMPLEMENTATION_PLAN.md"],
  ]);
  expect(place.git("status", "--porcelain")).toBe("");
});

test.concurrent("P-04 auto plans first where there are specs and no tasks, then builds in the same run", async () => {
  const place = await specified(`
- - ${planning()}
  - say: <promise>COMPLETE</promise>
- - write: { path: done.txt, text: "{iteration}\\n" }
  - say: <task-done>{task}</task-done>
`);
  const run = await place.run();
  expect([run.code, ending(run), run.outcomes, await place.states(), place.commits()]).toEqual([
    0,
    ["complete", "build", "All tasks are done"],
    ["verified", "verified", "verified"],
    { Plan: "done", "Say hello": "done", "Say goodbye": "done" },
    ["Plan the work", "Say hello", "Say goodbye"],
  ]);
  expect(place.read("IMPLEMENTATION_PLAN.md")).toBe("# Plan\n\n- [x] Say hello\n- [x] Say goodbye\n");
  const started = run.events.flatMap((event) => (event.type === "iteration.started" ? [[event.mode, event.of]] : []));
  expect(started).toEqual([
    ["plan", 3],
    // P-42: what planning took, and 3 × 2 + 20.
    ["build", 27],
    ["build", 27],
  ]);
});

test.concurrent("P-04 changed specs are put back, other changes are set aside under refs/ralph and said", async () => {
  const place = await specified(`
- - append: { path: .ralph/specs/greeting.md, text: "Or not.\\n" }
  - append: { path: README.md, text: "Changed.\\n" }
  - write: { path: src/code.js, text: "1;\\n" }
  - ${planning()}
  - say: <promise>COMPLETE</promise>
`);
  const run = await place.run("plan");
  const kept = run.events.filter((event) => event.type === "work.kept");
  const name = kept[0]!.ref.split("/")[2]!;
  expect([run.code, place.commits(), filesOf(place), place.git("status", "--porcelain")]).toEqual([
    0,
    ["Plan the work"],
    ["IMPLEMENTATION_PLAN.md"],
    "",
  ]);
  expect(kept.map(({ ref, why }) => [ref, why])).toEqual([
    [`refs/ralph/${name}/plan`, "planning may change only the plan"],
  ]);
  expect([place.read(".ralph/specs/greeting.md"), place.read("README.md")]).toEqual([
    "# Greeting\n\nSay hello.\n",
    "# Test\n",
  ]);
  expect([place.git("show", `${kept[0]!.ref}:src/code.js`), place.git("show", `${kept[0]!.ref}:README.md`)]).toEqual([
    "1;",
    "# Test\nChanged.",
  ]);
  const names = ".ralph/specs/greeting.md, README.md, src/code.js";
  expect(run.events.flatMap((event) => (event.type === "protocol.broken" ? [event.note] : []))).toEqual([
    `Planning may change only the plan and add specs. Shelved as ${kept[0]!.ref}: ${names}`,
  ]);
});

test.concurrent("P-04 an agent that commits by itself while planning: what belongs to the plan is committed by us", async () => {
  const place = await specified(`
- - append: { path: README.md, text: "Changed.\\n" }
  - ${planning()}
  - commit: Sneak it in
  - say: <promise>COMPLETE</promise>
`);
  const run = await place.run("plan");
  const kept = run.events.filter((event) => event.type === "work.kept");
  expect([run.code, place.commits(), filesOf(place), place.read("README.md"), kept.length]).toEqual([
    0,
    ["Plan the work"],
    ["IMPLEMENTATION_PLAN.md"],
    "# Test\n",
    1,
  ]);
  expect(place.git("log", "--format=%s", "-1", `${kept[0]!.ref}^2`)).toBe("Sneak it in");
});

test.concurrent("P-04 an agent that commits nothing but the plan: it is our commit, and nothing was put aside", async () => {
  const place = await specified(`
- - ${planning()}
  - commit: Add a plan
  - say: <promise>COMPLETE</promise>
`);
  const run = await place.run("plan");
  const kept = run.events.filter(({ type }) => type === "work.kept" || type === "protocol.broken");
  expect([run.code, place.commits(), filesOf(place), kept]).toEqual([
    0,
    ["Plan the work"],
    ["IMPLEMENTATION_PLAN.md"],
    [],
  ]);
});

test.concurrent("P-04 X-77 a planning session that fails says why it failed, not that the plan is missing", async () => {
  const place = await specified("- - end: login\n");
  const run = await place.run("plan");
  const reasons = run.events.flatMap((event) => (event.type === "iteration.finished" ? [event.reason] : []));
  expect([run.code, run.outcomes, reasons]).toEqual([77, ["login"], ["The login was refused: scripted"]]);
});

test.concurrent("P-04 X-4 a plan that never comes: three iterations, each told what was missing", async () => {
  const place = await specified("- - say: I have thought about it. <promise>COMPLETE</promise>\n");
  const run = await place.run("plan");
  expect([run.code, ending(run), run.outcomes, await place.states(), place.commits()]).toEqual([
    4,
    ["limit", "plan", "Reached the limit of 3 iterations"],
    ["rejected", "rejected", "rejected"],
    {},
    [],
  ]);
  const missing = "The plan has no open task to work on";
  expect([1, 2, 3].map((iteration) => run.prompt(iteration).includes(missing))).toEqual([false, true, true]);
});

test.concurrent("P-04 D-09 X-1 FAILURE while planning stops the run", async () => {
  const place = await specified(`- - say: "The specs contradict each other.\\n\\n<promise>FAILURE</promise>"\n`);
  const run = await place.run("plan");
  expect([run.code, ending(run), run.outcomes]).toEqual([
    1,
    ["failure", "plan", "The agent promised FAILURE (iteration 1): no further iteration could help"],
    ["failure"],
  ]);
});

test.concurrent("P-04 P-53 a plan whose entries wait for each other is told, and mended in the next iteration", async () => {
  const cycle = "# Plan\n\n- [ ] T001 Say hello (needs: T002)\n- [ ] T002 Say goodbye (needs: T001)\n";
  const place = await specified(`
- - ${planning(cycle)}
  - say: <promise>COMPLETE</promise>
- - ${planning()}
  - say: <promise>COMPLETE</promise>
`);
  const run = await place.run("plan");
  expect([run.code, run.outcomes, place.commits()]).toEqual([0, ["rejected", "verified"], ["Plan the work"]]);
  const told =
    'IMPLEMENTATION_PLAN.md: these entries would wait for each other: "Say hello" (line 3) → "Say goodbye" (line 4)';
  expect([run.prompt(2).split(told).length - 1, notices(run).filter((text) => text.startsWith(told)).length]).toEqual([
    1, 1,
  ]);
});

test.concurrent("P-04 P-53 a plan that does not parse is told with line and column", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: { ...SPEC, "prd.json": "{}\n" },
    config: "plan: [prd.json]\ngates: []\n",
    script: `
- - write: { path: prd.json, text: "{ \\"userStories\\": [" }
  - say: <promise>COMPLETE</promise>
- - write: { path: prd.json, text: "{ \\"userStories\\": [{ \\"id\\": \\"US-1\\", \\"title\\": \\"Say hello\\", \\"passes\\": false }] }" }
  - say: <promise>COMPLETE</promise>
`,
  });
  const run = await place.run("plan");
  expect([run.code, run.outcomes, place.commits(), await place.states()]).toEqual([
    0,
    ["rejected", "verified"],
    ["Plan the work"],
    { "Say hello": "pending" },
  ]);
  expect(run.prompt(2)).toMatch(/prd\.json.*line 1, column \d+/);
});

test.concurrent("P-04 words in plan mode are the end of the prompt, and no task", async () => {
  const place = await specified(`
- - ${planning()}
  - say: <promise>COMPLETE</promise>
`);
  const run = await place.run("plan", "Only the greeting, {project} or not");
  expect([run.code, await place.states()]).toEqual([
    0,
    { Plan: "pending", "Say hello": "pending", "Say goodbye": "pending" },
  ]);
  expect(run.prompt(1)).toContain("Only the greeting, {project} or not");
});

test.concurrent("P-04 S001-R7 the system prompt of plan mode asks for a plan, and for no task sigil", async () => {
  const place = await specified(`
- - ${planning()}
  - say: <promise>COMPLETE</promise>
`);
  const run = await place.run("plan");
  const { folder } = run.events.find((event) => event.type === "iteration.started")!;
  const system = place.read(`${folder}/system.md`);
  expect([system.includes("IMPLEMENTATION_PLAN.md"), system.includes("<task-done>")]).toEqual([true, false]);
});

test.concurrent("P-04 L-07 planning neither sees nor changes the unproven work of a task", async () => {
  const place = await loopWorkspace({
    files: SPEC,
    script: `
- when: { title: Do it }
  steps:
    - write: { path: half.txt, text: "half\\n" }
    - say: To be continued.
- - run: test ! -e half.txt
  - ${planning()}
  - say: <promise>COMPLETE</promise>
`,
  });
  await place.run("build", "--max-iterations", "1");
  const work = place.git("rev-parse", `refs/ralph/work/${place.ids[0]}`);
  const run = await place.run("plan");
  const told = run.events.filter(({ type }) => type === "work.kept" || type === "protocol.broken");
  expect([run.code, told, place.git("rev-parse", `refs/ralph/work/${place.ids[0]}`), filesOf(place)]).toEqual([
    0,
    [],
    work,
    ["IMPLEMENTATION_PLAN.md"],
  ]);
  expect(place.git("show", `${work}:half.txt`)).toBe("half");
});

test.concurrent("P-04 L-03 of files that nothing has proven only the plan and new specs land: no AGENTS.md, and no program among the specs", async () => {
  const folder = temporaryRepository();
  const script = join(temporaryRepository(), "script.yaml");
  const others = ["AGENTS.md", ".ralph/specs/CLAUDE.md", ".ralph/specs/run.test.js", ".ralph/specs/new.md"];
  const notes = others.map((path) => `  - write: { path: ${path}, text: "Notes.\\n" }\n`).join("");
  write(join(script, ".."), {
    "script.yaml": `- - ${planning()}\n${notes}  - say: <promise>COMPLETE</promise>\n`,
  });
  write(folder, {
    "sub/.ralph/config.yaml": `harness: scripted\nharnesses: { scripted: { script: ${JSON.stringify(script)} } }\n`,
    "sub/.ralph/specs/greeting.md": "# Greeting\n",
    "sub/.ralph/.gitignore": "/ralph.db*\n/runs/\n/lock*\n",
    "sub/PROMPT_plan.md": "Plan.\n",
  });
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "Make a workspace");
  const { code } = await typed(["run", "plan"], { cwd: join(folder, "sub") });
  expect([code, git(folder, "show", "--name-only", "--format=%s")]).toEqual([
    0,
    "Plan the work\n\nsub/.ralph/specs/new.md\nsub/IMPLEMENTATION_PLAN.md",
  ]);
  const [kept = ""] = keptRefs(folder);
  expect(git(folder, "diff", "--name-only", "HEAD", kept)).toBe(
    "sub/.ralph/specs/CLAUDE.md\nsub/.ralph/specs/run.test.js\nsub/AGENTS.md",
  );
});
