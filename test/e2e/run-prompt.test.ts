import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TEMPLATE_LINE } from "../../src/domain/prompt/placeholders.ts";
import { type LoopRun, loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { seen } from "../run-seen.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Sent {
  readonly place: LoopWorkspace;
  readonly run: LoopRun;
  readonly ids: readonly string[];
  /** What the agent found on its standard input in iteration 3, which has everything to tell. */
  readonly captured: string;
}

/** A person tells the agent more after iteration 2, by a hook: gates and sessions may not. */
const TELLING = `hooks:
  - id: tell
    on: iteration-end
    run: 'test "$RALPHCTL_ITERATION" != 2 || { cd "$RALPHCTL_WORKSPACE" && ralphctl run --add-context "Use spaces."; }'
`;

/** A run of a task after its prerequisite, rejected once; the agent itself keeps what it is sent. */
async function runAndCapture(settings = ""): Promise<Sent> {
  const got = temporaryFolder();
  const session = (iteration: number, file: string, say: string): object[] => [
    { write: { path: join(got, `${iteration}.md`), text: "{prompt}" } },
    { write: { path: file, text: "yes\n" } },
    { say },
  ];
  const place = await loopWorkspace({
    tasks: [],
    harnesses: { scripted: settings },
    config: `gates: [{ id: test, run: test -f done.txt }]\n${TELLING}`,
    files: {
      "PROMPT_build.md": `${TEMPLATE_LINE}\nBuild it well, as {plan} says.\n`,
      ".ralph/specs/one.md": "# One\n",
      "check.sh": "test -f main.txt\n",
    },
    script: JSON.stringify([
      session(1, "done.txt", "The base is in done.txt.\n\n<task-done>{task}</task-done>"),
      session(2, "wrong.txt", "`<promise>COMPLETE</promise>` is not due.\n\n<task-done>{task}</task-done>"),
      session(3, "main.txt", "<task-done>{task}</task-done>"),
    ]),
  });
  const add = async (...args: readonly string[]): Promise<string> =>
    (await place.ralphctl("task", "add", ...args)).stdout.trim();
  const base = await add("Base");
  const group = await add("Group", "-d", "The whole of it.");
  const own = ["--acceptance", "It greets", "--gate", "own=sh check.sh", "-d", "Say hello."];
  const main = await add("Main", "--parent", group, "--needs", base, ...own);
  await place.ralphctl("run", "--add-context", "Use tabs.");
  const run = await place.run();
  return { place, run, ids: [base, group, main], captured: readFileSync(join(got, "3.md"), "utf8") };
}

const headings = (text: string): string[] => text.split("\n").filter((line) => /^#{1,3} /.test(line));

/** What is between the preamble's two halves, or all of a prompt that has none. */
const bodyOf = ({ run, ids: [base, , main] }: Sent): string => `Build it well, as IMPLEMENTATION_PLAN.md says.


---

## Assigned Task

**ID:** ${main}
**Title:** Main

### Description
Say hello.

### Parent Context
**Parent:** Group
The whole of it.

### Completed Prerequisites
- [${base}] Base: The base is in done.txt.

### Reference Specs
Read all files in: .ralph/specs

---

## How this will be verified

The task is done when all of this is true:

- It greets

When you claim the task, Ralph runs these checks. All must pass:

- \`own\`: sh check.sh
- \`test\`: test -f done.txt

These failed before the first attempt. They must pass, too:

- Gate \`test\` failed before any work began: exit code 1

---

## Earlier attempts

Earlier sessions worked on this task. Do not repeat what did not work.

- ${run.name}, iteration 2: claimed done, rejected: gate own: exit code 1

---

## Protocol notes

From the last iteration:

- Ignored \`<promise>COMPLETE</promise>\`: a sigil must be on a line of its own, outside code and quotes, and not copied from the prompt.`;

const FAILURE = `## Validation Failure (completion rejected)

Ralph detected a completion promise, but it was rejected because validation failed. Fix the issues below and try again.

Gate \`own\` failed: exit code 1
Command: sh check.sh
No output.`;

test.concurrent("D-15 S004-D3 S004-G the prompt that a running loop sent has all its parts, in their order", async () => {
  const sent = await runAndCapture();
  const { place, run, captured } = sent;
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified", "rejected", "verified"],
    states: { Base: "done", Group: "done", Main: "done" },
    commits: ["Base", "Main"],
  });
  const prompt = run.prompt(3);
  const system = place.read(`.ralph/runs/${run.name}/3/system.md`);
  expect(captured).toBe(`${system}\n\n---\n\n${prompt}`);
  expect(headings(prompt)).toEqual([
    "# Ralph Wiggum Loop - Iteration 3",
    "## Additional Context (added by user mid-loop)",
    "## Validation Failure (completion rejected)",
    "## Your Task",
    ...headings(bodyOf(sent)),
    "## Instructions",
    "## Critical Rules",
    "## AUTONOMY REQUIREMENTS (CRITICAL)",
    "## Current Iteration: 3 / 26 (min: 1)",
  ]);
  const [opening = "", rest = ""] = prompt.split("## Additional Context");
  expect(opening.startsWith("# Ralph Wiggum Loop - Iteration 3\n\nYou are in an iterative development loop.")).toBe(
    true,
  );
  expect(rest.split("\n\n## Instructions")[0]).toBe(
    ` (added by user mid-loop)\n\nUse tabs.\n\nUse spaces.\n\n---\n\n${FAILURE}\n\n---\n## Your Task\n\n${bodyOf(sent)}`,
  );
  expect(headings(run.prompt(1)).slice(0, 4)).toEqual([
    "# Ralph Wiggum Loop - Iteration 1",
    "## Additional Context (added by user mid-loop)",
    "## Your Task",
    "## Assigned Task",
  ]);
});

test.concurrent("S004-K2 a harness may leave the preamble out; context, failure and task stay", async () => {
  const sent = await runAndCapture("preamble: false");
  expect([sent.run.code, sent.run.outcomes]).toEqual([0, ["verified", "rejected", "verified"]]);
  expect(sent.run.prompt(3)).toBe(
    `## Additional Context (added by user mid-loop)\n\nUse tabs.\n\nUse spaces.\n\n---\n\n${FAILURE}\n\n---\n\n${bodyOf(sent)}`,
  );
});
