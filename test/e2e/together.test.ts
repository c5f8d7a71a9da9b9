import { describe, expect, test } from "vitest";
import { byLane } from "../lane.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

// T-23: a session that does more than it was asked.

const PLAN = "- [ ] One\n- [ ] Two\n- [ ] Three\n";
const GREEN = "gates:\n  - { id: test, run: 'true' }\n";
const ALL = "sed -i 's/\\[ \\]/[x]/' IMPLEMENTATION_PLAN.md";

/** A plan of three tasks. The first session runs a command and says something; later ones claim their own task. */
async function planned(
  first: string,
  { say = "<promise>COMPLETE</promise>", config = GREEN, later = "true" } = {},
): Promise<LoopWorkspace> {
  const script = `
  - when: { iteration: 1 }
    steps:
      - run: ${JSON.stringify(first)}
      - say: ${JSON.stringify(`${say}\n<task-done>{task}</task-done>`)}
  - steps:
      - run: ${JSON.stringify(later)}
      - say: <task-done>{task}</task-done>
`;
  return await loopWorkspace({ tasks: [], config, script, files: { "IMPLEMENTATION_PLAN.md": PLAN } });
}

const together = (run: LoopRun) => run.finished?.together?.map(({ title, strength }) => [title, strength]) ?? [];

describe.concurrent("T-23 the whole scope", () => {
  test("T-23 S002-09 with a promise and every mark, the others are settled without a session, as unbroken", async () => {
    const place = await planned(`echo all > work.txt; ${ALL}`);
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states()]).toEqual([
      0,
      ["verified"],
      { One: "done", Two: "done", Three: "done" },
    ]);
    expect(together(run)).toEqual([
      ["Two", "unbroken"],
      ["Three", "unbroken"],
    ]);
    expect([place.commits(), place.git("show", "HEAD:IMPLEMENTATION_PLAN.md"), place.git("status", "--short")]).toEqual(
      [["One", "Mark 2 tasks as done"], PLAN.replaceAll("[ ]", "[x]").trim(), ""],
    );
    expect(run.events.filter(({ type }) => type === "protocol.broken")).toEqual([]);
    const page = await place.ralphctl("report", run.name, "--html", "--output", "-");
    expect(page.stdout).toMatch(/<h2>Claimed together<\/h2>[^]*>Two<[^]*>with t-\w+: unbroken<[^]*<h2>Tasks now/);
    const short = (await place.ralphctl("report", run.name)).stdout;
    expect(short).toMatch(
      /## Claimed together\n\n- t-\w+ Two with t-\w+: unbroken\n- t-\w+ Three with t-\w+: unbroken\n/,
    );
    expect((await place.ralphctl("run")).code).toBe(0);
  });

  test("T-23 lines of the final message name tasks as well, and a blocked one follows what it needs", async () => {
    const script = (ids: readonly string[]): string => `
  - - write: { path: work.txt, text: all }
    - say: ${JSON.stringify(["<promise>COMPLETE</promise>", ...ids.map((id) => `<task-done>${id}</task-done>`)].join("\n"))}
`;
    const place = await loopWorkspace({ tasks: ["One", "Two", "Three"], config: GREEN, script });
    const [, two = "", three = ""] = place.ids;
    await place.task("dep", "add", two, "--needs", three);
    const run = await place.run();
    expect([run.code, run.outcomes, together(run)]).toEqual([
      0,
      ["verified"],
      [
        ["Three", "unbroken"],
        ["Two", "unbroken"],
      ],
    ]);
  });

  test("T-23 an own gate decides: proven if the work turned it green, and a session if it is red", async () => {
    const script = (ids: readonly string[]): string => `
  - when: { iteration: 1 }
    steps:
      - write: { path: two.txt, text: two }
      - say: ${JSON.stringify(["<promise>COMPLETE</promise>", ...ids.map((id) => `<task-done>${id}</task-done>`)].join("\n"))}
  - steps:
      - write: { path: three.txt, text: three }
      - say: <task-done>{task}</task-done>
`;
    const place = await loopWorkspace({ tasks: ["One", "Two", "Three"], config: GREEN, script });
    await place.task("edit", place.ids[1]!, "--gate", "own=test -f two.txt");
    await place.task("edit", place.ids[2]!, "--gate", "own=test -f three.txt");
    const run = await place.run();
    expect([run.code, run.outcomes, together(run)]).toEqual([0, ["verified", "verified"], [["Two", "proven"]]]);
    expect(run.prompt(2)).toContain(`The session of ${place.ids[0]} "One" said that this task is done as well.`);
  });

  const opinions: [string, string, string[][], number][] = [
    [
      "pass",
      "<verify-pass/>",
      [
        ["Two", "proven"],
        ["Three", "proven"],
      ],
      1,
    ],
    ["fail", "<verify-fail>Three is missing</verify-fail>", [], 3],
  ];
  test.each(byLane(opinions.slice(1), opinions))(
    "T-23 a reviewer is asked once about all: %s",
    async (_name, verdict, expected, sessions) => {
      const script = (ids: readonly string[]): string => `
  - when: { prompt: tasks that were claimed together }
    steps:
      - say: ${JSON.stringify(verdict)}
  - when: { prompt: Task Under Review }
    steps:
      - say: <verify-pass/>
  - when: { title: One }
    steps:
      - write: { path: work.txt, text: all }
      - say: ${JSON.stringify(["<promise>COMPLETE</promise>", ...ids.map((id) => `<task-done>${id}</task-done>`)].join("\n"))}
  - steps:
      - append: { path: work.txt, text: more }
      - say: <task-done>{task}</task-done>
`;
      const config = `${GREEN}verify: { reviewer: scripted }\n`;
      const place = await loopWorkspace({ tasks: ["One", "Two", "Three"], config, script });
      const run = await place.run();
      const asked = run.events.filter((event) => event.type === "gate.finished" && event.gate === "reviewer").length;
      expect([run.code, run.outcomes.length, together(run), asked]).toEqual([0, sessions, expected, sessions + 1]);
    },
  );

  test("T-23 a promise without work settles no other task, unless its own gate says so", async () => {
    const script = (ids: readonly string[]): string => `
  - when: { title: One }
    steps:
      - say: ${JSON.stringify(["<promise>COMPLETE</promise>", ...ids.map((id) => `<task-done>${id}</task-done>`)].join("\n"))}
  - steps:
      - say: <task-done>{task}</task-done>
`;
    const place = await loopWorkspace({ tasks: ["One", "Two", "Three"], config: GREEN, script });
    await place.task("edit", place.ids[0]!, "--allow-no-change", "yes");
    await place.task("edit", place.ids[2]!, "--gate", "own=test -f README.md");
    const run = await place.run();
    expect([run.outcomes, together(run), await place.states()]).toEqual([
      ["verified", "rejected", "parked"],
      [["Three", "unbroken"]],
      { One: "done", Two: "parked", Three: "done" },
    ]);
  });

  const apart: [string, string[], string][] = [
    ["verify.together: off", [], `${GREEN}verify: { together: off }\n`],
    ["--strict", ["--strict"], GREEN],
  ];
  test.each(byLane(apart.slice(0, 1), apart))("T-23 %s starts a session for each", async (_name, flags, config) => {
    const place = await planned(`echo all > work.txt; ${ALL}`, { config, later: "echo more >> work.txt" });
    const run = await place.run(...flags);
    expect([run.outcomes, together(run)]).toEqual([["verified", "verified", "verified"], []]);
  });

  test("T-23 tasks that the session added and parked ones are not settled by it", async () => {
    const add = "printf -- '- [x] Mine\\n' >> IMPLEMENTATION_PLAN.md";
    const place = await planned(`echo all > work.txt; ${ALL}; ${add}`, { later: "echo more >> work.txt" });
    const asked = (await place.task("add", "Asked")).stdout.trim();
    await place.task("park", asked, "Which?");
    const run = await place.run();
    expect([run.code, run.outcomes, together(run), await place.states()]).toEqual([
      2,
      ["verified", "verified"],
      [
        ["Two", "unbroken"],
        ["Three", "unbroken"],
      ],
      { One: "done", Two: "done", Three: "done", Mine: "done", Asked: "parked" },
    ]);
  });
});

describe.concurrent("T-23 a part of the scope", () => {
  const TWO = "sed -i '/Two/s/\\[ \\]/[x]/' IMPLEMENTATION_PLAN.md";

  test("T-23 P-52 is put back and told, and its own session may claim it without a change", async () => {
    const place = await planned(`echo all > work.txt; ${TWO}`, { say: "One and Two are done." });
    const run = await place.run("--max-iterations", "2");
    expect([run.outcomes, await place.states()]).toEqual([
      ["verified", "verified"],
      { One: "done", Two: "done", Three: "pending" },
    ]);
    expect(run.prompt(2)).toContain("said that this task is done as well");
    expect(run.events.find(({ type }) => type === "protocol.broken")).toMatchObject({
      note: expect.stringContaining("does not count and was reverted"),
    });
    const last = run.events.findLast(({ type }) => type === "iteration.finished");
    expect(last).toMatchObject({ task: { title: "Two" }, strength: "unbroken" });
    // If a person says that it is not done, what was said counts no more.
    const tasks = JSON.parse((await place.task("list", "--json")).stdout) as { id: string; title: string }[];
    const two = tasks.find(({ title }) => title === "Two")!.id;
    await place.task("reset", two);
    expect((await place.run("--task", two)).outcomes).toEqual(["rejected", "parked"]);
  });

  test("T-23 without work in the earlier commit, or without a word about it, a claim without a change is rejected", async () => {
    const place = await planned("echo all > work.txt", { say: "One is done." });
    const run = await place.run("--max-iterations", "2");
    expect(run.outcomes).toEqual(["verified", "rejected"]);
  });
});
