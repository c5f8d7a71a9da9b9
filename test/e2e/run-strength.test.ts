import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EventOf } from "../../src/domain/run/event.ts";
import { type LoopRun, loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { openRaw } from "../raw-database.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// T-15, T-20, T-21: how strong the proof of each task is, and what a run calls complete.

const CONFIG = "gates:\n  - { id: test, run: sh check.sh }\n";
const FILES = {
  "check.sh": 'for test in tests/*.sh; do sh "$test" || exit 1; done\n',
  "tests/old.sh": "true\n",
};
const DONE = "- say: <task-done>{task}</task-done>";
const write = (path: string, text: string): string =>
  `- write: { path: ${JSON.stringify(path)}, text: ${JSON.stringify(text)} }`;
const script = (...sessions: readonly (readonly string[])[]): string =>
  sessions.map((steps) => `- ${[...steps, DONE].join("\n  ")}\n`).join("");

const strengths = (run: LoopRun): (string | undefined)[] =>
  run.events
    .filter((event): event is EventOf<"iteration.finished"> => event.type === "iteration.finished")
    .map(({ strength }) => strength);
const reasons = (run: LoopRun): string[] =>
  run.events.filter((event) => event.type === "verdict.reached").flatMap((event) => event.reasons);
const proofs = (place: LoopWorkspace): string[] =>
  place
    .git("log", "--reverse", "--format=%(trailers:key=Ralph-Proof,valueonly,separator=%x2c)")
    .split("\n")
    .filter(Boolean);
const headline = (run: LoopRun): string => run.stderr.trimStart().split("\n")[0]!;

test("T-20 T-21 X-0 X-5 each task has one of three words, everywhere, and a run is as complete as these", async () => {
  const place = await loopWorkspace({
    files: FILES,
    config: CONFIG,
    tasks: ["Shown", "Named", "Junk"],
    script: script(
      [write("a.txt", "yes"), write("tests/a.sh", "grep -qs yes a.txt\n")],
      [write("b.txt", "b"), write("tests/b.sh", "test -f b.txt || { echo ImportError: b; exit 1; }\n")],
      [write("junk.txt", "junk")],
    ),
  });
  const run = await place.run();
  expect([run.code, strengths(run), proofs(place)]).toEqual([
    0,
    ["proven", "unbroken", "unbroken"],
    ["proven", "unbroken", "unbroken"],
  ]);
  expect(reasons(run)).toEqual([
    "proven: test failed with the new tests and without the work",
    "unbroken: test passes; without the work its new tests fail only because a name is missing, which shows little",
    "unbroken: the gates pass, and none of them spoke of this task",
  ]);
  expect(headline(run)).toBe("Complete and verified: 3 tasks (1 proven, 2 unbroken)");
  expect(run.finished).toMatchObject({ verified: 3, proven: 1, unverified: 0, done: { proven: 1, unbroken: 2 } });
  expect((await place.task("list")).stdout).toMatch(/done, proven .* Shown\n.*done, unbroken .* Named\n/);

  const strict = await place.run("--strict");
  expect([strict.code, strict.finished?.look?.map(({ title, standing }) => [title, standing])]).toEqual([
    5,
    [
      ["Named", "unbroken"],
      ["Junk", "unbroken"],
    ],
  ]);
  const approved = await place.task("approve", ...place.ids.slice(1));
  expect([approved.code, approved.stderr]).toEqual([
    0,
    place.ids
      .slice(1)
      .map((id) => `${id} is approved by you; it was unbroken\n`)
      .join(""),
  ]);
  const again = await place.run("--strict");
  expect([again.code, headline(again)]).toEqual([0, "Nothing is left to do: 3 tasks (1 proven, 2 by your word)"]);
});

test("T-15 X-5 a row that another program set to done, or a verdict that is gone, is named and not complete", async () => {
  const place = await loopWorkspace({
    files: FILES,
    config: CONFIG,
    tasks: ["One", "Two"],
    script: script([write("a.txt", "yes")]),
  });
  expect((await place.run("--task", place.ids[0]!)).code).toBe(0);
  const db = await openRaw(join(place.folder, ".ralph/ralph.db"));
  db.exec("UPDATE task SET status = 'done', own = 'done' WHERE title = 'Two'");
  db.close();
  const run = await place.run();
  const named = (one: LoopRun): unknown => one.finished?.look?.map(({ title, standing }) => [title, standing]);
  expect([run.code, run.outcomes, named(run)]).toEqual([5, [], [["Two", "unrecorded"]]]);
  expect(run.stderr).toContain('"Two" (not on record): nothing on record made it done');
  // Its approval is the word of a person; accepting looks is none.
  expect((await place.run("--accept-look")).code).toBe(5);
  await place.task("approve", place.ids[1]!);
  expect((await place.run()).code).toBe(0);

  const other = await openRaw(join(place.folder, ".ralph/ralph.db"));
  other.exec("DELETE FROM attempt");
  other.close();
  const emptied = await place.run();
  expect([emptied.code, named(emptied)]).toEqual([5, [["One", "unrecorded"]]]);
});

describe.concurrent("T-20 work without a check", () => {
  test("is a look until a person approves it, by name or by --accept-look", async () => {
    const place = await loopWorkspace({
      config: "gates: []\n",
      tasks: ["One", "Two"],
      script: script(["- run: echo x >> x.txt"]),
    });
    const run = await place.run();
    expect([run.code, strengths(run), headline(run)]).toEqual([
      5,
      ["look", "look"],
      "Complete, but unverified: 2 tasks (2 to look at)",
    ]);
    await place.task("approve", place.ids[0]!);
    const still = await place.run();
    expect([still.code, still.finished?.look?.map(({ title, reason }) => [title, reason])]).toEqual([
      5,
      [["Two", "no check has run"]],
    ]);
    expect((await place.run("--harness", "gemini")).code).toBe(69);
    const accepted = await place.run("--accept-look", "--harness", "gemini");
    expect([accepted.code, headline(accepted)]).toEqual([0, "Nothing is left to do: 2 tasks (2 by your word)"]);
    expect((await place.run()).code).toBe(0);
    // A task that is done again is a new claim.
    await place.task("reset", place.ids[0]!);
    expect((await place.run()).code).toBe(5);
  });

  test("can be approved by nobody but a person, and only once it is done", async () => {
    const place = await loopWorkspace({
      config: "gates: []\n",
      script: `- - run: ralphctl task approve {task} 2> err.txt || true\n  ${DONE}\n`,
    });
    const early = await place.task("approve", place.ids[0]!);
    expect([early.code, early.stderr]).toEqual([
      64,
      `error: ${place.ids[0]} is pending, so there is nothing to approve\nhint: If it is done, say so: ralphctl task done ${place.ids[0]}\n`,
    ]);
    expect((await place.run()).code).toBe(5);
    expect(place.read("err.txt")).toContain("error: ");
  });
});

test("T-20 a run that ends with a question also names the work of it that needs a look", async () => {
  const place = await loopWorkspace({
    tasks: ["Write"],
    config: "gates: []\n",
    script: "- - write: { path: new.txt, text: x }\n  - say: <task-done>{task}</task-done>\n",
  });
  await place.task("add", "Done already", "--gate", "own=true");
  const { code, finished, stderr } = await place.run();
  expect([code, finished?.ending, finished?.look?.map(({ title }) => title)]).toEqual([2, "blocked", ["Write"]]);
  expect(stderr).toContain(`ralphctl task approve ${place.ids[0]}  # `);
});

test("T-20 T-21 a gate that failed before, and passes without the work now, proves nothing", async () => {
  // Something outside of the repository turned it green, as the time of day or a server would.
  const outside = join(temporaryFolder(), "made");
  const place = await loopWorkspace({
    tasks: [],
    config: `gates:\n  - { id: red, run: "test -f ${outside} || grep -q good work.txt" }\n`,
    files: { "work.txt": "x\n" },
    script: script([write("work.txt", "good\n")], [write("more.txt", "y\n"), `- run: touch ${outside}.own`]),
  });
  await place.task("add", "Honest");
  await place.task("add", "Elsewhere", "--gate", `own=test -f ${outside}.own`);
  const run = await place.run();
  expect([strengths(run), reasons(run)]).toEqual([
    ["proven", "unbroken"],
    ["proven: red failed before the work", "unbroken: own failed before the work, and now passes without it, too"],
  ]);
});
