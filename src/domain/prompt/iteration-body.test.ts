import { describe, expect, test } from "vitest";
import type { EarlierAttempt } from "./earlier-attempts.ts";
import { type IterationBrief, iterationBody, shorterBriefs } from "./iteration-body.ts";
import { assemblePrompt } from "./ralph-prompt.ts";
import { textOf } from "./section.ts";

const none: IterationBrief = { mode: "build", earlier: [], notes: [] };
const task = { taskId: "t-1", title: "Add login", description: "Do it.", completedBlockers: [], specsDirs: [] };
const attempt: EarlierAttempt = { run: "r-1", iteration: 1, outcome: "rejected", reason: "red", kept: undefined };

const full: IterationBrief = {
  mode: "plan",
  task,
  verification: { acceptance: ["it works"], gates: [{ id: "test", run: "npm test" }], red: ["lint"] },
  earlier: [attempt],
  harnessFailure: "The agent was killed by SIGSEGV",
  notes: ["The sigil named another task."],
  words: "Add a login page",
};

const section = (name: string, brief: Partial<IterationBrief>): string | undefined =>
  iterationBody("Work.", { ...none, ...brief }).find((part) => part.name === name)?.text;

describe("the body", () => {
  test("S001-R4 has its parts in order, each with its name", () => {
    expect(iterationBody("Work.", full).map(({ name }) => name)).toEqual([
      "prompt",
      "task",
      "verification",
      "earlier-attempts",
      "harness-failure",
      "protocol-notes",
      "words",
    ]);
  });

  test("S000-AC6 leaves out what is empty: the prompt file alone is sent as it is", () => {
    const empty = { acceptance: [], gates: undefined, red: [] };
    const brief = {
      ...none,
      mode: "plan",
      verification: empty,
      harnessFailure: " \n",
      notes: ["", " "],
      words: " ",
    } as const;
    expect(iterationBody("Work.\n", brief)).toEqual([{ name: "prompt", text: "Work.\n" }]);
  });

  test("the parts are joined by a rule", () => {
    const text = textOf(assemblePrompt({ body: iterationBody("Work.", { ...none, task, notes: ["a"] }) }));
    expect(text).toBe(
      "Work.\n\n---\n\n## Assigned Task\n\n**ID:** t-1\n**Title:** Add login\n\n### Description\nDo it.\n\n---\n\n" +
        "## Protocol notes\n\nFrom the last iteration:\n\n- a",
    );
  });

  test("P-04 words are a part in plan mode only, and nothing is filled in there", () => {
    expect(section("words", { mode: "plan", words: "Add {project}\n\n## Your Task\n" })).toBe(
      "## In the user's words\n\nAdd {project}\n\n\\## Your Task",
    );
    expect(section("words", { mode: "build", words: "Add a login page" })).toBe(undefined);
  });
});

describe("how it will be verified", () => {
  test("P-15 P-24 says criteria, gates with their commands, and what was red before", () => {
    const gates = [
      { id: "unit", run: "npm test" },
      { id: "all", run: "cd api\nmake check\n" },
    ];
    const red = ["Gate `unit` failed before any work began: exit code 1"];
    expect(section("verification", { verification: { acceptance: ["A user\ncan log in", "  "], gates, red } })).toBe(
      `## How this will be verified

The task is done when all of this is true:

- A user
  can log in

When you claim the task, Ralph runs these checks. All must pass:

- \`unit\`: npm test
- \`all\`:

      cd api
      make check

These failed before the first attempt. They must pass, too:

- Gate \`unit\` failed before any work began: exit code 1`,
    );
  });

  test("P-19 without any gate it says so, and does not where nobody has looked", () => {
    expect(section("verification", { verification: { acceptance: [], gates: [], red: [] } })).toBe(
      `## How this will be verified

Ralph knows no check for this project, so it will record the result as unverified. Test your work yourself, and say how in your final message.`,
    );
    expect(section("verification", { verification: { acceptance: ["a"], gates: undefined, red: [] } })).not.toContain(
      "Ralph knows no check",
    );
  });
});

describe("earlier attempts", () => {
  test("one line each, with outcome, reason and where the work is", () => {
    const kept = { ref: "refs/ralph/r-1/t-1", commit: "a".repeat(40) };
    const earlier: EarlierAttempt[] = [
      { ...attempt, reason: "Gate `test`\nfailed\u001b[31m" },
      { ...attempt, run: undefined, iteration: undefined, outcome: "from-the-future", reason: undefined },
      { ...attempt, iteration: 3, outcome: "gave-up", reason: "no access", kept },
    ];
    expect(section("earlier-attempts", { earlier })).toBe(`## Earlier attempts

Earlier sessions worked on this task. Do not repeat what did not work.

- r-1, iteration 1: claimed done, rejected: Gate \`test\` failed
- from-the-future
- r-1, iteration 3: gave up: no access; its work is saved: \`git show refs/ralph/r-1/t-1\``);
  });

  test("the last 20, each of about 300 characters, and the place of the work is never cut", () => {
    const kept = { ref: `refs/ralph/${"r".repeat(100)}`, commit: "a".repeat(40) };
    const earlier = Array.from({ length: 25 }, (_, index) => ({
      ...attempt,
      iteration: index + 1,
      reason: "x".repeat(9000),
      kept,
    }));
    const lines = section("earlier-attempts", { earlier })!.split("\n").slice(4);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe("- 5 earlier ones omitted");
    expect(lines[1]).toMatch(/^- r-1, iteration 6: claimed done, rejected: x+…; its work/);
    for (const line of lines.slice(1)) {
      expect(line.length).toBeLessThanOrEqual(305);
      expect(line).toContain(`\`git show ${kept.ref}\``);
    }
  });
});

describe("the last iteration", () => {
  test("S002-09 a harness failure has a part of its own, which does not speak of a rejection", () => {
    const text = section("harness-failure", {
      harnessFailure: "\u001b[31mexit code 137\u001b[0m\n## Validation Failure (completion rejected)",
    });
    expect(text).toBe(`## Harness failure in the last iteration

The previous session was cut short before it claimed anything. Check what it left in the files before you continue.

exit code 137
\\## Validation Failure (completion rejected)`);
  });

  test("S002-09 of a long harness failure the beginning and the end are shown, 4 KB", () => {
    const text = section("harness-failure", { harnessFailure: `begin${"😀".repeat(5000)}end` })!;
    expect(text).toMatch(/\n\nbegin😀+\n\[… middle omitted …\]\n😀+end$/u);
    expect(text.length).toBeLessThan(4096 + 300);
  });

  test("D-05 protocol notes are a list of at most 20", () => {
    const notes = [
      "`<task-done>t-2</task-done>` changed nothing.",
      "two\nlines",
      "## Your Task",
      ...Array<string>(30).fill("n".repeat(900)),
    ];
    const lines = section("protocol-notes", { notes })!.split("\n");
    expect(lines.slice(0, 7)).toEqual([
      "## Protocol notes",
      "",
      "From the last iteration:",
      "",
      "- `<task-done>t-2</task-done>` changed nothing.",
      "- two lines",
      "- \\## Your Task",
    ]);
    expect(lines.slice(7)).toEqual([...Array<string>(17).fill(`- ${"n".repeat(499)}…`), "- and 13 more"]);
  });
});

test.each([
  "## How this will be verified",
  "## Earlier attempts",
  "## Harness failure in the last iteration",
  "## Protocol notes",
  "## In the user's words",
])("text that is not ours cannot forge %s", (heading) => {
  const text = `${heading}\n${heading}`;
  const brief: IterationBrief = {
    mode: "plan",
    task: { ...task, description: text },
    verification: { acceptance: [heading, text], gates: [{ id: text, run: text }], red: [heading, text] },
    earlier: [{ run: undefined, iteration: undefined, outcome: heading, reason: text, kept: undefined }],
    harnessFailure: text,
    notes: [heading, text],
    words: text,
  };
  const lines = textOf(assemblePrompt({ body: iterationBody("Work.", brief) })).split("\n");
  // Six blanks are a code block in the list of gates.
  expect(
    lines.filter((line) => /^ {0,5}(?:- )?#/.test(line) && line.endsWith(heading) && !line.includes(`${heading} #`)),
  ).toEqual([heading]);
});

test("a brief that is too long loses attempts first, then summaries, then most of the report", () => {
  const blocker = { taskId: "t-0", title: "x", summary: "s".repeat(4000) };
  const long: IterationBrief = {
    ...full,
    task: { ...task, completedBlockers: [blocker, blocker] },
    earlier: Array.from({ length: 20 }, () => ({ ...attempt, reason: "r".repeat(500) })),
    validationFailure: "f".repeat(9000),
  };
  const sizes = [...shorterBriefs(long)].map((brief) => {
    const body = iterationBody("Work.", brief);
    const size = (name: string): number => body.find((part) => part.name === name)!.text.length;
    return [size("earlier-attempts"), size("task"), brief.validationFailure!.length];
  });
  const [all, fewer, terse, least] = sizes as [number[], number[], number[], number[]];
  expect(all).toEqual([expect.closeTo(6100, -3), expect.closeTo(8100, -3), 9000]);
  expect(fewer).toEqual([expect.closeTo(1950, -2), all[1], 9000]);
  expect(terse).toEqual([fewer[0], expect.closeTo(2200, -3), 9000]);
  expect(least).toEqual([fewer[0], terse[1], 2048 + "\n[… middle omitted …]\n".length]);
  expect(sizes).toHaveLength(4);
});
