import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { type } from "../recording-io.ts";

const CONFIG = "gates:\n  - { id: test, run: 'grep yes done.txt || { echo It is missing; exit 7; }' }\n";

/** Claims too early, then does it: iteration 1 is rejected, iteration 2 verified. */
const SCRIPT = `
- - write: { path: done.txt, text: "no\\n" }
  - cost: 0.1
  - say: <task-done>{task}</task-done>
- - write: { path: done.txt, text: "yes\\n" }
  - usage: { input: 1200, output: 34 }
  - cost: 0.2
  - say: <task-done>{task}</task-done>
`;

interface Played {
  readonly place: LoopWorkspace;
  readonly run: LoopRun;
  readonly id: string;
}

async function played(): Promise<Played> {
  const place = await loopWorkspace({ script: SCRIPT, config: CONFIG, tasks: ["Write yes"] });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([0, ["rejected", "verified"]]);
  return { place, run, id: place.ids[0]! };
}

/** Without what differs each time: names of runs and tasks, hashes, times and durations. */
const steady = (text: string, { run, id }: Played): string =>
  text
    .replaceAll(run.name, "RUN")
    .replaceAll(id, "TASK")
    .replaceAll(/\/\S+\/lanes\/\S+/g, "LANE")
    .replaceAll(/\b[0-9a-f]{10}\b/g, "HASH")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "TIME")
    .replaceAll(/\d\d:\d\d:\d\d/g, "CLOCK")
    .replaceAll(/ +(?:\d+m)?\d+(?:\.\d)?s\b/g, " 0s");

/** For those that only look. */
let all: Played;

beforeAll(async () => {
  all = await played();
});

test.concurrent("the newest run is shown as a timeline, with why a claim was rejected", async () => {
  const { place, run } = all;
  const { code, stdout } = await place.ralphctl("inspect");
  expect([code, steady(stdout, all)]).toEqual([
    0,
    `Run RUN of the workspace

  Ended    complete: all tasks are done
  Time     TIME, 0s
  Lane     1, LANE
  Tasks    1 proven
  Cost     $0.30 · 1,234 tokens
  Commits  1

     CLOCK  gate check before work starts: failed (test)
  1  CLOCK  rejected 0s  $0.10  TASK Write yes
       The agent claimed it was done, but gate test failed: exit code 7
  2  CLOCK  proven 0s  $0.20  TASK Write yes

Details: ralphctl inspect RUN/1
`,
  ]);
  // By its id, and by what is unmistakable of it.
  for (const word of [run.name, run.name.slice(0, 12), run.name.slice(2, 12), run.name.slice(-4)]) {
    expect((await type(["inspect", word], { cwd: place.folder })).stdout).toBe(stdout);
  }
});

test.concurrent("P-15 an iteration is shown with its evidence, its change and where everything lies", async () => {
  const { place, run } = all;
  const { code, stdout } = await place.ralphctl("inspect", "1");
  expect([code, steady(stdout, all)]).toEqual([
    0,
    `Iteration 1 of run RUN, of the workspace

  Task     TASK "Write yes"
  Attempt  1 of 3
  Outcome  rejected
  Why      The agent claimed it was done, but gate test failed: exit code 7
  Claim    done (in its final message)
  Agent    scripted
  Lane     1
  Time     TIME, 0s, of which the agent took 0s
  Cost     $0.10
  Tree     HASH
  Tools    1 call

Gates
  test: FAILED, exit code 7 · 0s
      grep yes done.txt || { echo It is missing; exit 7; }
      | It is missing
      full output: .ralph/runs/RUN/1/gates/test.log

Changes
  done.txt  +1 -0
  full diff: ralphctl inspect RUN/1 --diff

Files
  prompt      .ralph/runs/RUN/1/prompt.md
  transcript  .ralph/runs/RUN/1/transcript.ndjson
  all         .ralph/runs/RUN/1
`,
  ]);
  expect((await place.ralphctl("inspect", `${run.name}/1`)).stdout).toBe(stdout);
  const diff = await place.ralphctl("inspect", "1", "--diff");
  expect([diff.code, diff.stdout, diff.stderr]).toEqual([0, place.read(`.ralph/runs/${run.name}/1/change.patch`), ""]);
  expect(diff.stdout).toContain("+no\n");
  const json = JSON.parse((await place.ralphctl("inspect", `${run.name}/2`, "--json")).stdout) as Record<
    string,
    unknown
  >;
  expect(json).toMatchObject({
    version: 1,
    kind: "iteration",
    run: run.name,
    iteration: 2,
    outcome: "verified",
    costUsd: 0.2,
    tokens: 1234,
    why: "Accepted: proven: test failed before the work",
    claims: [{ claim: "done", channel: "message" }],
    gates: [{ gate: "test", passed: true, runs: 1, end: { kind: "exit", code: 0 }, output: "yes\n" }],
    verdict: { verdict: "accepted", reasons: ["proven: test failed before the work"] },
    commits: [{ commit: place.git("rev-parse", "HEAD"), subject: "Write yes", files: 1 }],
    patch: { files: [{ path: "done.txt", added: 1, removed: 0, isBinary: false }] },
    prompt: join(place.folder, ".ralph/runs", run.name, "2/prompt.md"),
  });
  expect(readFileSync(json["prompt"] as string, "utf8")).toBe(run.prompt(2));
});

test.concurrent("a task is shown with all attempts at it, also when the record of their run is gone", async () => {
  const own = await played();
  const { place, run, id } = own;
  const { code, stdout } = await place.ralphctl("inspect", id.slice(2, 8));
  expect([code, steady(stdout, own)]).toEqual([
    0,
    `TASK  Write yes
  done · 2 attempts

TIME RUN/1 · rejected
  Why      The agent claimed it was done, but gate test failed: exit code 7
  Gates    test FAILED
  Changes  1 file, +1 -0
  Cost     $0.10
  Prompt   .ralph/runs/RUN/1/prompt.md

TIME RUN/2 · proven
  Why      Accepted: proven: test failed before the work
  Gates    test ok
  Changes  1 file, +1 -0
  Cost     $0.20 · 1,234 tokens
  Prompt   .ralph/runs/RUN/2/prompt.md

Details: ralphctl inspect RUN/2
`,
  ]);
  rmSync(join(place.folder, ".ralph/runs", run.name), { recursive: true });
  const gone = await place.ralphctl("inspect", id);
  expect([gone.code, steady(gone.stdout, own)]).toEqual([
    0,
    `TASK  Write yes
  done · 2 attempts

TIME RUN/1, record deleted · rejected
  gate test: exit code 7

TIME RUN/2, record deleted · verified
`,
  ]);
  const json = JSON.parse((await place.ralphctl("inspect", id, "--json")).stdout) as Record<string, unknown>;
  expect(json).toMatchObject({
    kind: "task",
    task: { id, status: "done" },
    attempts: [
      { outcome: "rejected", record: null },
      { outcome: "verified", record: null },
    ],
  });
});

test.concurrent("what nothing is called is said, with the nearest name; what may be several things is listed", async () => {
  const { place, run, id } = await played();
  const other = (await place.run("Say hello", "--max-iterations", "1")).name;
  const said = async (...words: readonly string[]): Promise<readonly [number, string]> => {
    const { code, stderr } = await type(["inspect", ...words], { cwd: place.folder });
    return [code, stderr];
  };
  const typo = `${run.name.slice(0, -2)}zz`;
  const wrong = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  expect([
    await said("7"),
    await said(`${run.name}/9`),
    await said("nonsense-at-all"),
    await said("1", "--diff", "--x"),
  ]).toEqual([
    [64, `error: Run ${other} has no iteration "7": it has 1\nhint: See them: ralphctl inspect ${other}\n`],
    [64, `error: Run ${run.name} has no iteration "9": it has 2\nhint: See them: ralphctl inspect ${run.name}\n`],
    [64, 'error: Unknown run, iteration or task "nonsense-at-all"\nhint: See the last run: ralphctl inspect\n'],
    [64, expect.stringContaining("--x")],
  ]);
  expect(await said(typo)).toEqual([64, expect.stringMatching(/hint: Did you mean ralphctl inspect r-/)]);
  expect(await said(wrong)).toEqual([64, expect.stringMatching(/hint: Did you mean ralphctl inspect t-/)]);
  expect(await said(`${typo}/1`)).toEqual([64, expect.stringMatching(/Unknown run .*\nhint: Did you mean r-/)]);
  expect(await said("r-2")).toEqual([
    64,
    `error: "r-2" is ambiguous: it matches the runs ${run.name}, ${other}\nhint: Type more of the id\n`,
  ]);
  expect(await said("--diff")).toEqual([
    64,
    "error: --diff shows what one iteration changed\nhint: Name it: ralphctl inspect 3 --diff\n",
  ]);
  // An iteration and a task may have the same name.
  place.write({ "one.jsonl": `${JSON.stringify({ id: "1", title: "Called one" })}\n` });
  await place.task("import", "one.jsonl");
  expect(await said("1")).toEqual([
    64,
    `error: 1 is both a task and an iteration of run ${other}\nhint: Write ${other}/1 for the iteration, or ralphctl task show 1 for the task\n`,
  ]);
});

test.concurrent("P-18 a claim without a change shows none: the mark in the plan file would have been ours", async () => {
  const place = await loopWorkspace({
    script: "- - say: <task-done>{task}</task-done>\n",
    config: "gates: [{ id: test, run: 'true' }]\n",
    files: { "IMPLEMENTATION_PLAN.md": "# Plan\n\n- [ ] Say hello\n" },
    tasks: [],
  });
  const { outcomes } = await place.run();
  expect(outcomes).toEqual(["rejected", "parked"]);
  for (const iteration of ["1", "2"]) {
    const page = await place.ralphctl("inspect", iteration);
    const diff = await place.ralphctl("inspect", iteration, "--diff");
    expect(`${page.stdout}${diff.stdout}`).not.toContain("IMPLEMENTATION_PLAN.md");
  }
});
