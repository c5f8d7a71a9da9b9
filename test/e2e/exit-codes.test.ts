import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ralphctl } from "../built-program.ts";
import { DONE, script, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// The codes that no other test of a run comes to. All but 70 end it before an agent starts.

const HONEST = script([WORK, DONE]);

test.concurrent("X-65 P-53 a plan that does not parse, and nothing else to do, is said with line and column", async () => {
  const place = await loopWorkspace({
    script: HONEST,
    tasks: [],
    config: "plan: [prd.json]\ngates: []\n",
    files: { "prd.json": '{"userStories": [\n  oops\n' },
  });
  const stderr =
    "error: prd.json: line 2, column 3: Expected a value, found `oops`\nhint: Fix the plan: there is nothing else to work on\n";
  expect(await place.ralphctl("run", "--json")).toEqual({ code: 65, stdout: "", stderr });
  expect(await place.ralphctl("run", "--dry-run")).toEqual({ code: 65, stdout: "", stderr });
  expect(await place.states()).toEqual({});
});

test.concurrent("X-65 a list of tasks that does not parse is refused whole", async () => {
  const place = await loopWorkspace({ script: HONEST });
  place.write({ "tasks.jsonl": '{"id": "t-1", "title": "One"}\n{oops\n' });
  expect(await place.ralphctl("task", "import", "tasks.jsonl")).toEqual({
    code: 65,
    stdout: "",
    stderr: "error: Line 2, column 2: invalid JSON\nhint: Write one task per line, each as one JSON object\n",
  });
  expect(await place.states()).toEqual({ "Do it": "pending" });
});

test.concurrent("X-69 an agent that is not installed is said before anything starts", async () => {
  const place = await loopWorkspace({ script: HONEST });
  const run = await place.run("--harness", "claude");
  expect([run.code, run.stdout, run.stderr, await place.states()]).toEqual([
    69,
    "",
    "error: The harness claude needs the program claude, which is not on the PATH\nhint: Run npm install --global @anthropic-ai/claude-code, or set harnesses.claude.bin to its path\n",
    { "Do it": "pending" },
  ]);
});

test.concurrent("X-70 a bug of ours says so with its stack, gives the tree and the task back, and the next run goes on", async () => {
  const broken = temporaryFolder({
    // In the middle of a claim's settling, which is the worst moment that there is.
    "break.mjs": `const real = JSON.stringify;
JSON.stringify = (value, ...more) => {
  if (value?.evidence?.settlement !== undefined) throw new TypeError("This cannot happen");
  return real(value, ...more);
};
`,
  });
  const options = { NODE_OPTIONS: `--import=${broken}/break.mjs` };
  const place = await loopWorkspace({ script: HONEST });
  const answer = await ralphctl(["run", "--json"], { cwd: place.folder, env: options });
  expect([answer.code, answer.stderr]).toEqual([70, expect.stringMatching(/TypeError: This cannot happen\n {4}at /)]);
  for (const line of answer.stdout.split("\n").filter(Boolean)) expect(JSON.parse(line)).toMatchObject({ v: 1 });
  expect([await place.states(), place.commits()]).toEqual([{ "Do it": "pending" }, []]);
  const next = await place.run();
  expect([next.code, next.outcomes, await place.states(), place.commits()]).toEqual([
    0,
    ["verified"],
    { "Do it": "done" },
    ["Do it"],
  ]);
});

test.concurrent("X-74 where the records of a run cannot be written, or the tasks not be read, nothing is started", async () => {
  const place = await loopWorkspace({ script: HONEST });
  place.write({ ".ralph/runs": "in the way\n" });
  const run = await place.run();
  expect([run.code, run.stdout, run.stderr, await place.states()]).toEqual([
    74,
    "",
    expect.stringMatching(/^error: Cannot create the folder \S+\/\.ralph\/runs\/r-\S+: ENOTDIR\nhint: Check /),
    { "Do it": "pending" },
  ]);
  const other = await loopWorkspace({ script: HONEST });
  other.write({ ".ralph/ralph.db": "noise ".repeat(2000) });
  const second = await other.run();
  expect([second.code, second.stdout, second.stderr]).toEqual([
    74,
    "",
    expect.stringMatching(/^error: The task database `\S+` is not a database\nhint: .*ralphctl doctor\n$/),
  ]);
  expect(existsSync(join(other.folder, "done.txt"))).toBe(false);
});

test.concurrent("X-3 X-64 X-78 --json prints nothing but events, also where there are none", async () => {
  const place = await loopWorkspace({ script: HONEST, tasks: [] });
  const nothing = await place.ralphctl("run", "--json");
  const flag = await place.ralphctl("run", "--json", "--no-such-flag");
  const setting = await place.ralphctl("run", "--json", "--harness", "no-such-harness");
  // That there is nothing to do is the end of a run that never began.
  const [end, ...others] = nothing.stdout.split("\n").filter(Boolean);
  expect([JSON.parse(end!), others]).toMatchObject([
    { v: 1, run: expect.stringMatching(/^r-/), type: "run.finished", ending: "nothing" },
    [],
  ]);
  expect([nothing.code, flag.code, flag.stdout, setting.code, setting.stdout]).toEqual([3, 64, "", 78, ""]);
  expect([nothing.stderr, flag.stderr, setting.stderr].map((text) => text.length > 0)).toEqual([true, true, true]);
});
