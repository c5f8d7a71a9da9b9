import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notices, script, seen, sh, type Step, verdicts, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });
const gates = (...all: readonly Record<string, unknown>[]): string => `gates: ${JSON.stringify(all)}\n`;
const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };
const ONCE = "limits: { attempts: 1 }\n";

describe.concurrent("P-15 gates that do more than check", () => {
  test("P-15 L-21 files that gates write stay in the room, and the next proof begins without them", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: gates({
        id: "test",
        run: "test ! -e report.xml || exit 1; echo x >> README.md; echo y >> done.txt; date > report.xml",
      }),
      script: script([WORK, DONE], [DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 2,
      outcomes: ["verified", "rejected", "parked"],
      states: { One: "done", Two: "parked" },
      commits: ["One"],
    });
    expect([
      place.git("show", "--name-only", "--format=", "HEAD"),
      place.read("done.txt"),
      place.git("status", "--porcelain"),
      notices(run).filter((text) => text.includes("README.md")),
    ]).toEqual([
      "done.txt",
      "yes\n",
      "",
      ["Gates change these files, without the work as well: README.md, done.txt, report.xml"],
    ]);
    expect(verdicts(run).slice(1)).toEqual([
      ["rejected", "the gates pass, but the agent changed nothing"],
      ["parked", "Already done? The gates pass, but the agent changed nothing."],
    ]);
  });

  test("P-15 W-03 a gate that cleans the tree takes neither the work nor the tasks away", async () => {
    const place = await loopWorkspace({
      config: gates({ id: "test", run: "test -f done.txt || exit 1; git checkout -q . && git clean -fdxq" }),
      script: script([WORK, sh("echo x >> README.md"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect([
      place.git("show", "--name-only", "--format=", "HEAD"),
      place.git("status", "--porcelain"),
      place.read("done.txt"),
    ]).toEqual(["README.md\ndone.txt", "", "yes\n"]);
  });

  test("P-34 T-41 L-24 a commit that a person makes while the gates run stops nothing, and is proven with the work", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      // The gate plays the person, once.
      config: gates({
        id: "test",
        run: `test -f done.txt || exit 1; cd "{home}" && test -e mine.txt || { echo mine > mine.txt; git add mine.txt; git commit -qm Mine; }`,
      }),
      script: script([WORK, DONE], [write("two"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: expect.arrayContaining(["Mine", "One", "Merge branch 'main'", "Two"]) as string[],
    });
    const proven = eventsOf(run, "verdict.reached").at(-1)!.tree;
    expect([place.git("rev-parse", "HEAD^{tree}"), place.read("mine.txt"), place.git("status", "--porcelain")]).toEqual(
      [proven, "mine\n", ""],
    );
  });

  test("P-15 background processes of a gate are ended with it", async () => {
    const place = await loopWorkspace({
      config: gates({ id: "test", run: "sleep 300 & setsid sleep 300 & test -f done.txt" }),
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
  });

  test("P-15 a gate that runs for ever is red after its time", async () => {
    const place = await loopWorkspace({
      config: gates({ id: "test", run: 'test -z "$RALPHCTL_ITERATION" || sleep 300', timeout: "1s" }) + ONCE,
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["rejected"],
      states: { "Do it": "failed" },
      commits: [],
    });
    expect(verdicts(run)).toEqual([["rejected", "gate test: timed out after 1 s"]]);
  });

  test("P-15 50 MB of output are whole on disk, and a little of it in the next prompt", async () => {
    const place = await loopWorkspace({
      config: gates({ id: "test", run: "yes | head -c 50000000; test -f done.txt" }),
      script: script([write("a"), DONE], [WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["rejected", "verified"] });
    const red = eventsOf(run, "gate.finished").find(({ iteration }) => iteration === 1)!;
    expect([
      statSync(join(place.folder, red.file)).size,
      red.output.length <= 4096,
      run.prompt(2).length < 60_000,
    ]).toEqual([50_000_000, true, true]);
  });

  test("P-15 a gate with retries is run again, and each run is recorded", async () => {
    const flaky =
      'test -n "$RALPHCTL_ITERATION" || exit 0; echo x >> .ralph/count.tmp; echo run $(wc -l < .ralph/count.tmp); test $(wc -l < .ralph/count.tmp) -ge 3';
    const place = await loopWorkspace({
      config: gates({ id: "flaky", run: flaky, retries: 2 }),
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    const last = eventsOf(run, "gate.finished").at(-1)!;
    expect([last.runs, last.passed, last.output]).toEqual([3, true, "run 3\n"]);
    const outputs = readdirSync(join(place.folder, last.file, ".."));
    expect(outputs.map((name) => place.read(join(last.file, "..", name))).sort()).toEqual([
      "run 1\n",
      "run 2\n",
      "run 3\n",
    ]);
  });

  test("P-15 task gates, workspace gates and --validation-command all run, in this order, and all must pass", async () => {
    const place = await loopWorkspace({
      tasks: [],
      config: gates({ id: "test", run: "test -f done.txt" }),
      script: script([WORK, DONE], [write("unit"), DONE], [write("valid"), DONE]),
    });
    await place.ralphctl("task", "add", "Do it", "--gate", "unit=test -f unit");
    const run = await place.run("--validation-command", "test -f valid");
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["rejected", "rejected", "verified"] });
    expect(verdicts(run).slice(0, 2)).toEqual([
      ["rejected", "gate unit: exit code 1", "gate validation-command: exit code 1"],
      ["rejected", "gate validation-command: exit code 1"],
    ]);
    const third = eventsOf(run, "gate.finished").filter(({ iteration }) => iteration === 3);
    expect(third.map(({ gate }) => gate)).toEqual(["unit", "test", "validation-command"]);
  });

  test("W-05 a title reaches gates by environment only, whatever it says", async () => {
    const title = "$(touch pwned); rm -rf README.md `touch pwned2` '\"";
    const place = await loopWorkspace({
      tasks: [title],
      config: gates({ id: "test", run: 'printf %s "$RALPHCTL_TASK_TITLE"; test -f done.txt' }),
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, states: { [title]: "done" }, commits: [title] });
    expect(eventsOf(run, "gate.finished").at(-1)?.output).toBe(title);
    expect(["pwned", "pwned2", "README.md"].map((name) => existsSync(join(place.folder, name)))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

/** Sessions of an agent that works, and of the same harness as its reviewer. */
const reviewed = (work: readonly Step[], ...reviews: readonly (readonly Step[])[]): string =>
  JSON.stringify([
    ...reviews.map((steps, index) => ({ when: { prompt: "<verify-pass/>", iteration: index + 1 }, steps })),
    { when: { prompt: "<task-done>" }, steps: work },
  ]);
const REVIEWER = gates({ id: "test", run: "test -f done.txt" }) + "verify: { reviewer: scripted }\n";

describe.concurrent("P-15 P-44 the reviewer", () => {
  test("P-15 P-44 one that fails the work is a rejection whose reason the agent is told; one that passes it proves it; both cost", async () => {
    const place = await loopWorkspace({
      config: REVIEWER,
      script: reviewed(
        [WORK, write("new-$RALPHCTL_ITERATION"), { cost: 0.25 }, DONE],
        [{ cost: 0.5 }, { say: "<verify-fail>The name is wrong</verify-fail>" }],
        [{ cost: 0.5 }, { say: "<verify-pass/>" }],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["rejected", "verified"] });
    expect([run.prompt(2).includes("The name is wrong"), run.finished?.costUsd]).toEqual([true, 1.5]);
  });

  test("P-15 one that says nothing is a fail, and what it writes is thrown away", async () => {
    const place = await loopWorkspace({
      config: REVIEWER + ONCE,
      script: reviewed([WORK, DONE], [write("reviewer.txt"), { say: "Looks good to me." }]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["rejected"],
      states: { "Do it": "failed" },
      commits: [],
    });
    expect([
      verdicts(run),
      existsSync(join(place.folder, "reviewer.txt")),
      place.git("worktree", "list").split("\n").length,
    ]).toEqual([[["rejected", "gate reviewer: exit code 1"]], false, 1]);
  });

  test("P-20 one that meets a limit rejects nothing: it is waited for, and asked again", async () => {
    const limit = { kind: "limit", resetsAtMs: 1, message: "Come back later" };
    const place = await loopWorkspace({
      config: REVIEWER + ONCE,
      script: reviewed([WORK, { cost: 0.25 }, DONE], [{ cost: 0.5 }, { end: limit }], [{ say: "<verify-pass/>" }]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["limited", "verified"] });
    expect([verdicts(run)[0], run.finished?.costUsd]).toEqual([
      ["undecided", "The reviewer gave no answer: Come back later"],
      1,
    ]);
  });

  test("P-20 X-77 one whose login is refused ends the run with what to do; the task is untouched", async () => {
    const place = await loopWorkspace({
      config: REVIEWER + ONCE,
      script: reviewed([WORK, DONE], [{ end: { kind: "login", message: "Who are you?" } }]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 77,
      outcomes: ["login"],
      states: { "Do it": "pending" },
      commits: [],
    });
    expect(run.finished?.reason).toBe("The reviewer is not available. The login was refused: Who are you?");
  });

  test("P-20 P-42 one that never answers ends the run, however often it says that it is limited", async () => {
    const limit = { end: { kind: "limit", resetsAtMs: 1, message: "Come back later" } };
    const place = await loopWorkspace({
      config: `${REVIEWER}limits: { attempts: 1, errors: 2 }\n`,
      script: reviewed([WORK, DONE], [limit], [limit], [limit]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["limited", "limited"],
      states: { "Do it": "pending" },
      commits: [],
    });
    expect(run.finished?.reason).toBe("The reviewer gave no answer 2 times in a row: Come back later");
  });

  test("P-15 it is not asked where a gate is red", async () => {
    const place = await loopWorkspace({
      config: REVIEWER + ONCE,
      script: reviewed([write("a"), DONE], [sh("exit 1")]),
    });
    const run = await place.run();
    expect([run.outcomes, eventsOf(run, "gate.started").map(({ gate }) => gate)]).toEqual([
      ["rejected"],
      ["test", "test"],
    ]);
  });
});

describe.concurrent("P-19 P-24 proof, or none", () => {
  test("P-24 a red baseline is reported and told to the agent, and done still needs green", async () => {
    const place = await loopWorkspace({ script: script([write("a"), DONE], [WORK, DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["rejected", "verified"] });
    expect(eventsOf(run, "check.finished").map(({ check, red }) => [check, red])).toEqual([["baseline", ["test"]]]);
    expect(run.prompt(1)).toContain("Gate `test` failed before any work began: exit code 1");
  });

  test("P-19 X-5 without a gate it is said at the start and in the summary, and complete is 5", async () => {
    const place = await loopWorkspace({ config: "gates: auto\n", script: script([WORK, DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, code: 5 });
    expect(notices(run)).toContain("No gates (none found in the workspace): completed tasks stay unverified");
    expect(run.stderr).toContain("Complete, but unverified");
    expect(place.git("log", "-1", "--format=%b")).toContain("Look at it first: no check has run.");
  });

  test("P-19 X-78 --strict refuses to start without a gate", async () => {
    const place = await loopWorkspace({ config: "gates: []\n", script: script([WORK, DONE]) });
    const run = await place.run("--strict");
    expect([run.code, run.stdout, await place.states(), run.stderr]).toEqual([
      78,
      "",
      { "Do it": "pending" },
      expect.stringContaining("No gates (the configured list is empty), but --strict requires one"),
    ]);
  });

  test("P-19 X-0 verify.allowUnverified makes it 0", async () => {
    const place = await loopWorkspace({
      config: "gates: []\nverify: { allowUnverified: true }\n",
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(run.finished?.unverified).toBe(1);
  });
});
