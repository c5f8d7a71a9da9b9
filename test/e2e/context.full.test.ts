import { awaitPerson, meanwhile } from "../person-meanwhile.ts";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ralphctl } from "../built-program.ts";
import { byLane } from "../lane.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { seedFiles } from "../seed-workspace.ts";
import { git, temporaryFolder, temporaryRepository } from "../temporary-folder.ts";

const FILES = { ".ralph/config.yaml": "", ".ralph/.gitignore": "/context/\n", "projects/a/specs/x.md": "" };

test("S004-G of many processes that add to one context at the same time, none loses what another added", async () => {
  const cwd = temporaryFolder(FILES);
  const texts = Array.from({ length: byLane(8, 50) }, (_, index) => `Paragraph ${index}.\nIts second line.`);
  const answers = await Promise.all(texts.map(async (text) => await ralphctl(["context", "add", text], { cwd })));
  const { stdout } = await ralphctl(["context", "show"], { cwd });
  expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(
    texts.map(() => [0, "Added. The next iteration of workspace will see it.\n"]),
  );
  // Each a paragraph of its own, whatever the order.
  expect(stdout.trimEnd().split("\n\n").sort()).toEqual(texts.toSorted());
}, 120_000);

test("S004-G D-15 of many that would make the context too long, those that fit are in it, and no more", async () => {
  const cwd = temporaryFolder({ ...FILES, ".ralph/config.yaml": "limits: { context: 64B }\n" });
  const texts = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(20));
  const answers = await Promise.all(texts.map(async (text) => await ralphctl(["context", "add", text], { cwd })));
  const { code, stdout } = await ralphctl(["context", "show"], { cwd });
  expect([code, answers.map((answer) => answer.code).sort(), stdout.length]).toEqual([
    0,
    [0, 0, ...Array.from({ length: 6 }, () => 65)],
    43,
  ]);
}, 120_000);

test("W-07 D-15 a scope's context is the same in every working tree of the repository", async () => {
  const cwd = temporaryRepository(FILES);
  const other = join(temporaryFolder(), "other");
  git(cwd, "worktree", "add", "--quiet", other);
  await ralphctl(["context", "add", "--project", "a", "Mind the gap"], { cwd });
  await ralphctl(["context", "add", "--project", "a", "And the step"], { cwd: other });
  const shown = await Promise.all(
    [cwd, other].map(async (folder) => (await ralphctl(["context", "show", "--project", "a"], { cwd: folder })).stdout),
  );
  expect(shown).toEqual(["Mind the gap\n\nAnd the step\n", "Mind the gap\n\nAnd the step\n"]);
});

test.each(["wrapped", "preamble-first"])(
  "S004-G S004-D2 S004-D3 D-14 what is added while a loop runs on a change is a labelled section in its place: %s",
  async (layout) => {
    const place = await loopWorkspace({
      tasks: [],
      files: seedFiles("004-context"),
      config: `prompts: { layout: ${layout} }\ngates:\n  - { id: test, run: test -f done.txt }\n`,
      script: `
- - run: ${awaitPerson("add")}
  - write: { path: a.txt, text: "a\\n" }
  - say: Not yet.
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
    });
    const add = ["context", "add", "--change", "agent-preamble", "Use port 8080"];
    const [run] = await Promise.all([
      place.run("--change", "agent-preamble", "--module", "ralph"),
      meanwhile(place.folder, "add", () => ralphctl(add, { cwd: place.folder })),
    ]);
    expect([run.code, run.outcomes]).toEqual([0, ["unfinished", "verified"]]);
    const headings = (prompt: string): string[] =>
      prompt.split("\n").filter((line) => HEADINGS.has(line.split(" (")[0]!));
    const task = [
      "## Change Proposal (agent-preamble)",
      "## Module (003)",
      "## Change Tasks (agent-preamble)",
      "## Assigned Task",
    ];
    const context = "## Additional Context (added by user mid-loop)";
    const [first, second] = [1, 2].map((iteration) => headings(run.prompt(iteration)));
    expect(first).toEqual(
      layout === "wrapped"
        ? [...task, "## AUTONOMY REQUIREMENTS (CRITICAL)"]
        : ["## AUTONOMY REQUIREMENTS (CRITICAL)", ...task],
    );
    expect(second).toEqual(layout === "wrapped" ? [context, ...first!] : [first![0], context, ...task]);
  },
);

const HEADINGS = new Set([
  "## Additional Context",
  "## Change Proposal",
  "## Module",
  "## Change Tasks",
  "## Assigned Task",
  "## AUTONOMY REQUIREMENTS",
]);
