import { describe, expect, test } from "vitest";
import { DONE, eventsOf, script, seen, sh, type Step, verdicts, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { type } from "../recording-io.ts";

const write = (path: string, text: string): Step => ({ write: { path, text } });
const packageJson = (scripts: Record<string, string>, more: object = {}): string =>
  `${JSON.stringify({ name: "x", scripts, ...more }, undefined, 2)}\n`;
const MANIFEST = packageJson({ test: "test -f done.txt" });
const MAKEFILE = "check:\n\ttest -f done.txt\n";
const question = (files: string, id: string): string =>
  `May it change how proof is done? It changed ${files}. To allow it: ralphctl task allow ${id}; if not: ralphctl task answer ${id} no`;

describe.concurrent("T-10 a session that changes how proof is done", () => {
  test("T-10 an emptied script waits for a person with its diff, costs no attempt, and lands when it is allowed", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\nlimits: { attempts: 1 }\n",
      files: { "package.json": MANIFEST },
      script: script([write("package.json", packageJson({ test: "exit 0" })), write("a.txt", "a\n"), DONE]),
    });
    const [id = ""] = place.ids;
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 2,
      outcomes: ["parked"],
      states: { "Do it": "parked" },
      commits: [],
    });
    const asked = question("package.json (script test)", id);
    expect(verdicts(run)).toEqual([["parked", asked]]);
    const shown = JSON.parse((await place.task("show", id, "--json")).stdout) as Record<string, unknown>;
    expect([shown["question"], shown["attempts"], shown["mayChange"]]).toEqual([asked, 0, []]);
    expect((await place.task("show", id)).stdout).toContain(
      '  -    "test": "test -f done.txt"\n  +    "test": "exit 0"\n',
    );

    expect(await type(["task", "answer", id], { cwd: place.folder, replies: ["yes"] })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /Question\n {2}May it change [^]*\+ {4}"test": "exit 0"\n[^]* may change package\.json\./,
      ),
    });
    const next = await place.run();
    expect(await seen(place, next)).toEqual({
      code: 0,
      outcomes: ["verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    expect(eventsOf(next, "agent.ended")).toEqual([]);
    expect([place.read("package.json"), place.read("a.txt")]).toEqual([packageJson({ test: "exit 0" }), "a\n"]);
    expect(place.git("for-each-ref", "refs/ralph/work")).toBe("");
  });

  test("T-10 a person who says no is heard: the session goes on with the work and the answer", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\n",
      files: { Makefile: MAKEFILE },
      script: script([
        sh(
          "grep -q true Makefile && git checkout Makefile && touch done.txt || sed -i 's/test -f done.txt/true/' Makefile",
        ),
        DONE,
      ]),
    });
    const [id = ""] = place.ids;
    expect((await place.run()).outcomes).toEqual(["parked"]);
    expect((await place.task("answer", id)).stderr).toContain("The answer is blank");
    await place.task("answer", id, "No, keep the recipe");
    const run = await place.run();
    expect([run.outcomes, place.commits(), place.read("Makefile")]).toEqual([["verified"], ["Do it"], MAKEFILE]);
    expect(run.prompt(1)).toContain("Answer: No, keep the recipe");
    expect(run.prompt(1)).toContain(
      "Your work changed files that decide how it is proven, or that act on the person's machine: Makefile.",
    );
  });

  test("T-10 a task that may change the file needs nobody, nor does a script that is only added", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\n",
      files: { "package.json": MANIFEST },
      tasks: ["Add a script", "Change the test", "Drop the test for lint"],
      script: script(
        [write("package.json", packageJson({ test: "test -f done.txt", dev: "node ." })), WORK, DONE],
        [write("package.json", packageJson({ test: "test -f new.txt", dev: "node ." })), write("new.txt", ""), DONE],
        [write("package.json", packageJson({ lint: "test -f new.txt" })), DONE],
      ),
    });
    for (const id of place.ids.slice(1)) await place.task("edit", id, "--may-change", "package.json");
    const run = await place.run();
    expect(run.outcomes).toEqual(["verified", "verified", "verified"]);
    expect(place.commits()).toEqual(["Add a script", "Change the test", "Drop the test for lint"]);
    expect(eventsOf(run, "check.started").filter(({ check }) => check === "extra")).toEqual([]);
  });

  test("T-10 a target that takes the place of the gate waits for a person", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\n",
      files: { Makefile: "test:\n\ttest -f done.txt\n" },
      script: script([write("Makefile", "check:\n\ttrue\ntest:\n\ttest -f done.txt\n"), WORK, DONE]),
    });
    const run = await place.run();
    expect(verdicts(run)).toEqual([["parked", question("Makefile (gate make-test would be gone)", place.ids[0]!)]]);
  });

  test("T-10 a red gate stays a rejection, whatever else was changed", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\nlimits: { attempts: 1 }\n",
      files: { Makefile: MAKEFILE },
      script: script([{ delete: "Makefile" }, WORK, DONE]),
    });
    const run = await place.run();
    expect([run.outcomes, verdicts(run)[0]?.[0]]).toEqual([["rejected"], "rejected"]);
    expect(place.read("Makefile")).toBe(MAKEFILE);
  });
});

const GATE = "gates:\n  - { id: test, run: 'for t in *.test.sh; do sh $t || exit 1; done' }\n";
const WEAK: readonly Step[] = [write("sum.test.sh", "true\n"), write("sum.txt", "5\n"), DONE];
const SUM = { "sum.test.sh": 'test "$(cat sum.txt)" = 4\n', "sum.txt": "4\n" };

describe.concurrent("T-11 a session that changes existing tests", () => {
  test("T-11 lands for a person to look at if the old tests fail, and says nothing if they pass", async () => {
    const place = await loopWorkspace({
      config: GATE,
      files: SUM,
      tasks: ["Rewrite", "Weaken"],
      script: script([write("sum.test.sh", 'test 4 = "$(cat sum.txt)"\n'), write("x", ""), DONE], WEAK),
    });
    const run = await place.run();
    expect(await seen(place, run)).toMatchObject({ commits: ["Rewrite", "Weaken"] });
    expect(verdicts(run)).toEqual([
      ["accepted", expect.stringContaining("unbroken")],
      ["accepted", "look: tests changed: sum.test.sh (gate test fails with the old files)"],
    ]);
    expect(eventsOf(run, "check.finished").filter(({ check }) => check === "extra")).toMatchObject([
      { red: [] },
      { red: ["test"] },
    ]);
    const [, weakened = ""] = place.ids;
    expect((await place.task("show", weakened)).stdout).toContain(`Change\n  diff --git a/sum.test.sh`);
    expect((await place.task("show", place.ids[0]!)).stdout).not.toContain("Change\n");
    const page = (await place.ralphctl("report", "--html", "--output", "-")).stdout;
    expect(page).toMatch(
      /<h2>Needs you<\/h2>[^]*look: tests changed: sum\.test\.sh[^]*Look at this change:[^]*\n\+true/,
    );
    await place.task("approve", weakened);
    expect((await place.task("show", weakened)).stdout).not.toContain("Change\n");
  });

  test("T-11 a reviewer is asked about exactly these tests, and may make the work proven", async () => {
    const review = { when: { prompt: "## Tests That Changed" }, steps: [{ say: "<verify-pass/>" }] };
    const place = await loopWorkspace({
      config: `${GATE}verify: { reviewer: scripted }\n`,
      files: SUM,
      script: JSON.stringify([review, { when: { prompt: "<task-done>" }, steps: WEAK }]),
    });
    const run = await place.run();
    expect(verdicts(run)).toEqual([["accepted", "proven: a reviewer passed it"]]);
    expect(place.read(`.ralph/runs/${run.name}/1/review/prompt.md`)).toContain(
      "The agent changed these tests, which were there before it (gate test fails with the old files):\n\n- sum.test.sh",
    );
  });

  test("T-11 a deleted test counts; lock rejects it, free says nothing", async () => {
    const gone: readonly Step[] = [
      { delete: "sum.test.sh" },
      write("sum.txt", "5\n"),
      write("b.test.sh", "true\n"),
      DONE,
    ];
    const play = async (tests: string) => {
      const config = `${GATE}verify: { tests: ${tests} }\nlimits: { attempts: 1 }\n`;
      const place = await loopWorkspace({ config, files: SUM, script: script(gone) });
      return verdicts(await place.run());
    };
    expect(await play("look")).toEqual([
      ["accepted", "look: tests changed: sum.test.sh (gate test fails with the old files)"],
    ]);
    expect(await play("lock")).toEqual([
      [
        "rejected",
        expect.stringContaining("the agent changed tests: sum.test.sh (gate test fails with the old files). To"),
      ],
    ]);
    expect(await play("free")).toEqual([["accepted", expect.stringContaining("unbroken")]]);
  });

  test("T-11 a test that moved is no change if it also passes at its old place; one that moved away counts", async () => {
    const place = await loopWorkspace({
      config: GATE,
      files: SUM,
      tasks: ["Move", "Move and edit", "Move with its data", "Move away"],
      script: script(
        [sh("mv sum.test.sh total.test.sh"), DONE],
        [sh("mv total.test.sh all.test.sh; echo '# sums' >> all.test.sh"), write("y", ""), DONE],
        [sh("mkdir data; mv sum.txt data; sed -i 's#sum.txt#data/&#' all.test.sh"), DONE],
        [sh("mkdir attic; mv all.test.sh attic; echo 5 > data/sum.txt"), write("b.test.sh", "true\n"), DONE],
      ),
    });
    const run = await place.run();
    expect(verdicts(run).map(([, reason]) => reason?.replace(/^unbroken:.*/, "unbroken"))).toEqual([
      "unbroken",
      "unbroken",
      "proven: test failed with the new tests and without the work",
      "look: tests changed: all.test.sh (gate test fails with the old files)",
    ]);
  });

  test("T-11 nothing is run again for gates that take as long as verify.extra", async () => {
    const place = await loopWorkspace({
      config: "gates:\n  - { id: test, run: sleep 1.1 }\nverify: { extra: 1s }\n",
      files: SUM,
      script: script(WEAK),
    });
    const run = await place.run();
    const why = "the old files were not tried, because gate test takes longer than verify.extra";
    expect(verdicts(run)).toEqual([["accepted", `look: tests changed: sum.test.sh (${why})`]]);
  });
});
