import { describe, expect, test } from "vitest";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { eventsOf, seen } from "../run-seen.ts";
import { seedFiles } from "../seed-workspace.ts";

const CLAIM = "say: <task-done>{task}</task-done>";
const HONEST = `
- - append: { path: done.txt, text: "x\\n" }
  - ${CLAIM}
`;
const GREEN = "gates:\n  - { id: test, run: test -f README.md }\n";

/** The scopes and endings of all runs that a command made, in order. */
function runs({ events }: LoopRun): string[] {
  let scope = "";
  return events.flatMap((event) => {
    if (event.type === "run.started") scope = event.scope;
    return event.type === "run.finished" ? [`${scope} ${event.ending}`] : [];
  });
}

const section = (prompt: string, heading: string): string =>
  prompt.slice(prompt.indexOf(heading)).split("\n\n---\n")[0]!;

test.concurrent("S002-05 S002-08 D-10 a change that OpenSpec made is worked on as it is: proposal, status, specs, and its tasks.md is the plan", async () => {
  const place = await loopWorkspace({ tasks: [], script: HONEST, config: GREEN, files: seedFiles("002-openspec") });
  const run = await place.run("--change", "add-dark");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified", "verified", "verified"],
    states: {
      Tasks: "done",
      "1. Colours": "done",
      "Add the dark colours to theme.txt": "done",
      "Remember the choice in choice.txt": "done",
      "2. Words": "done",
      "Describe the themes in README.md": "done",
    },
    commits: [
      "Add the dark colours to theme.txt",
      "Remember the choice in choice.txt",
      "Describe the themes in README.md",
    ],
  });
  const second = run.prompt(2);
  const [, task] = eventsOf(run, "iteration.started").map((event) => event.task);
  expect(second).toContain(
    "## Change Proposal (add-dark-mode)\n\n# Proposal\n\n## Why\n\nThe page is too bright at night.",
  );
  expect(section(second, "## Change Tasks")).toBe(`## Change Tasks (add-dark-mode)

- Status: 1 of 3 done
- Next: [${task!.id}] Remember the choice in choice.txt
- Listed in: openspec/changes/add-dark-mode/tasks.md
- Read also: openspec/changes/add-dark-mode/design.md`);
  expect(second).toContain("Read all files in: openspec/changes/add-dark-mode/specs, openspec/specs\n");
  // Everything but the marks stays as OpenSpec wrote it.
  const before = seedFiles("002-openspec")["openspec/changes/add-dark-mode/tasks.md"]!;
  expect(place.read("openspec/changes/add-dark-mode/tasks.md")).toBe(before.replaceAll("[ ]", "[x]"));
});

test.concurrent.each([
  ["its id", "014-01_add-rust-crate-documentation"],
  ["the beginning of its id", "014-01"],
  ["its number", "14-1"],
  ["its slug", "add-rust-crate-documentation"],
])("S002-07 a change is found by %s, and its module's text is there", async (_name, id) => {
  const place = await loopWorkspace({ tasks: [], script: HONEST, config: GREEN, files: seedFiles("002-changes") });
  const run = await place.run("--change", id, "--module", "14", "--max-iterations", "1");
  expect([run.code, eventsOf(run, "run.started")[0]?.scope]).toEqual([4, "change/014-01_add-rust-crate-documentation"]);
  const prompt = run.prompt(1);
  const order = [
    "## Change Proposal (014-01_add-rust-crate-documentation)",
    "## Module (014)",
    "## Change Tasks",
    "## Assigned",
  ];
  const at = order.map((heading) => prompt.indexOf(heading));
  expect([at.includes(-1), at.toSorted((a, b) => a - b)]).toEqual([false, at]);
});

test.concurrent("S002-07 an ambiguous or unknown change ends the command before anything starts, with the names", async () => {
  const place = await loopWorkspace({ tasks: [], script: HONEST, config: GREEN, files: seedFiles("002-changes") });
  const answers = await Promise.all(["014", "add-exampels"].map((id) => place.ralphctl("run", "--change", id)));
  expect(answers).toEqual([
    {
      code: 64,
      stdout: "",
      stderr:
        "error: Ambiguous change id '014'. Matches: 014-01_add-rust-crate-documentation, 014-02_add-examples\nhint: Write more of the id, for example --change 014-01_add-rust-crate-documentation\n",
    },
    {
      code: 64,
      stdout: "",
      stderr: 'error: Unknown change "add-exampels"\nhint: Did you mean --change 014-02_add-examples?\n',
    },
  ]);
});

test.concurrent("S002-07 --module alone adds its text to the workspace", async () => {
  const place = await loopWorkspace({ script: HONEST, config: GREEN, files: seedFiles("002-changes") });
  const run = await place.run("--module", "documentation");
  expect([run.code, eventsOf(run, "run.started")[0]?.scope]).toEqual([0, "workspace"]);
  expect(run.prompt(1)).toContain("## Module (014)\n\n# Documentation\n\nWhatever helps to understand the crates.\n");
});

describe("--continue-ready", () => {
  const place = async (script: string, config = GREEN): Promise<LoopWorkspace> =>
    await loopWorkspace({ tasks: ["Of the workspace"], script, config, files: seedFiles("002-changes") });

  test.concurrent("S002-09 works through all changes that are ready, lowest id first; X-0 when each is complete", async () => {
    const ready = await place(HONEST);
    const run = await ready.run("--continue-ready");
    expect([run.code, runs(run), await ready.states()]).toEqual([
      0,
      [
        "change/002-01_fix-paths complete",
        "change/014-01_add-rust-crate-documentation complete",
        "change/014-02_add-examples complete",
      ],
      expect.objectContaining({ "Of the workspace": "pending", "Quote the paths": "done" }),
    ]);
    expect(run.stderr).toContain(`3 of 3 changes complete
  002-01_fix-paths                     complete: all tasks are done
  014-01_add-rust-crate-documentation  complete: all tasks are done
  014-02_add-examples                  complete: all tasks are done
`);
    expect(await ready.ralphctl("run", "--continue-ready")).toEqual({
      code: 3,
      stdout: "",
      stderr: "No change is ready\nhint: Run ralphctl change list\n",
    });
  });

  test.concurrent("X-1 goes on after a change that failed, and ends as the worst of them", async () => {
    const ready = await place(`
- when: { title: "Quote*" }
  steps:
    - say: "It cannot be done.\\n\\n<task-failed>{task}</task-failed>"
- steps:
    - append: { path: done.txt, text: "x\\n" }
    - ${CLAIM}
`);
    const run = await ready.run("--continue-ready", "--max-attempts", "1");
    expect([run.code, runs(run)]).toEqual([
      1,
      [
        "change/002-01_fix-paths failure",
        "change/014-01_add-rust-crate-documentation complete",
        "change/014-02_add-examples complete",
      ],
    ]);
  });

  test.concurrent("X-4 a change that only ran into its limit has not succeeded, and its work is put aside for the next", async () => {
    const ready = await place(HONEST);
    const run = await ready.run("--continue-ready", "--max-iterations", "1");
    expect([run.code, runs(run)]).toEqual([
      4,
      [
        "change/002-01_fix-paths complete",
        "change/014-01_add-rust-crate-documentation limit",
        "change/014-02_add-examples complete",
      ],
    ]);
    const again = await ready.run("--continue-ready");
    expect([again.code, runs(again)]).toEqual([0, ["change/014-01_add-rust-crate-documentation complete"]]);
  });

  test.concurrent("P-44 cost is a limit of all changes together", async () => {
    const ready = await place(`
- - append: { path: done.txt, text: "x\\n" }
  - cost: 1
  - ${CLAIM}
`);
    const run = await ready.run("--continue-ready", "--max-cost", "2");
    expect([run.code, runs(run), eventsOf(run, "run.started").map(({ limits }) => limits.costUsd)]).toEqual([
      4,
      ["change/002-01_fix-paths complete", "change/014-01_add-rust-crate-documentation limit"],
      [2, 1],
    ]);
  });

  test.concurrent("X-1 P-53 a change whose files cannot be used has failed, and does not keep the others from their turn", async () => {
    const ready = await place(HONEST);
    ready.write({
      "PROMPT_build.md": "Work on it.\n",
      ".ito/changes/014-01_add-rust-crate-documentation/proposal.md": "\0",
    });
    ready.git("commit", "--quiet", "--all", "--message", "Spoil a proposal");
    const run = await ready.run("--continue-ready");
    expect([run.code, runs(run)]).toEqual([
      1,
      ["change/002-01_fix-paths complete", "change/014-02_add-examples complete"],
    ]);
    const spoiled = ".ito/changes/014-01_add-rust-crate-documentation/proposal.md is not text: line 1 has a NUL byte";
    expect(run.stderr).toContain(`error: ${spoiled}\n`);
    expect(run.stderr).toContain(`  014-01_add-rust-crate-documentation  failure: ${spoiled}\n`);
    expect((await ready.ralphctl("change", "list")).stderr).toContain(
      "warning: 014-01_add-rust-crate-documentation: .ito/changes/014-01_add-rust-crate-documentation/proposal.md is not text",
    );
  });

  test.concurrent("--module limits it to the changes of that module, and adds its text", async () => {
    const ready = await place(HONEST);
    const run = await ready.run("--continue-ready", "--module", "14");
    expect([run.code, runs(run)]).toEqual([
      0,
      ["change/014-01_add-rust-crate-documentation complete", "change/014-02_add-examples complete"],
    ]);
    expect(run.prompt(1)).toContain("## Module (014)");
  });

  test.concurrent("X-64 nothing else may say what it is about; --dry-run shows the first", async () => {
    const ready = await place(HONEST);
    const others = [
      ["--change", "014-02"],
      ["--project", "a"],
      ["Do it"],
      ["plan"],
      ["--task", "t-1"],
      ["--file", "x"],
    ];
    const answers = await Promise.all(others.map((args) => ready.ralphctl("run", "--continue-ready", ...args)));
    expect(answers.map(({ code, stderr }) => [code, stderr.split("\n")[0]])).toEqual(
      ["--change", "--project", "a description", "plan mode", "--task", "--file"].map((name) => [
        64,
        `error: --continue-ready and ${name} cannot be used together: --continue-ready chooses the changes`,
      ]),
    );
    const dry = await ready.ralphctl("run", "--continue-ready", "--dry-run");
    expect([dry.code, dry.stdout.includes("## Change Proposal (002-01_fix-paths)")]).toEqual([0, true]);
  });
});
