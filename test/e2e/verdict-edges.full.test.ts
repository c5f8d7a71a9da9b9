import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notices, script, scriptFor, seen, sh, type Step, verdicts, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

// Cases of one check of the verdict each: test/mutants.yaml takes them out.

const write = (path: string, text: string): Step => ({ write: { path, text } });
const GREEN = "gates:\n  - { id: test, run: 'true' }\n";

describe.concurrent("T-10 T-11 a second run that is not made", () => {
  test("T-10 settings of a gate that takes too long wait for a person", async () => {
    const place = await loopWorkspace({
      config: "gates:\n  - { id: test, run: 'sleep 1.1; echo vitest' }\nverify: { extra: 1s }\n",
      files: { "vitest.config.js": "export default {}\n" },
      script: script([write("vitest.config.js", "export default { test: {} }\n"), WORK, DONE]),
    });
    expect(verdicts(await place.run())).toEqual([
      ["parked", expect.stringContaining("(the old files were not tried, because gate test takes longer")],
    ]);
  });

  test("T-02 T-11 where gates run on the files as they lay, changed tests are a look", async () => {
    const place = await loopWorkspace({
      config: "gates:\n  - { id: test, run: sh sum.test.sh }\nverify: { in: tree }\n",
      files: { "sum.test.sh": "grep -q 4 sum.txt\n", "sum.txt": "4\n" },
      script: script([write("sum.test.sh", "true\n"), write("sum.txt", "5\n"), DONE]),
    });
    expect(verdicts(await place.run())).toEqual([
      [
        "accepted",
        "look: tests changed: sum.test.sh (the gates ran on the files as they lay, so the old ones were not tried)",
      ],
    ]);
  });
});

test.concurrent("T-11 a test that moved, with an edit, does not run at both places", async () => {
  const place = await loopWorkspace({
    config: "gates:\n  - { id: test, run: 'set -- *.test.sh; test $# -eq 1 && sh $1' }\n",
    files: { "sum.test.sh": "test -f README.md\n" },
    script: script([sh("mv sum.test.sh total.test.sh; echo '# sums' >> total.test.sh"), WORK, DONE]),
  });
  expect(verdicts(await place.run())).toEqual([["accepted", expect.stringMatching(/^unbroken/)]]);
});

test.concurrent("T-02 a proof on the files as they lay holds for that time only", async () => {
  const place = await loopWorkspace({
    config: "gates:\n  - { id: test, run: test -f ignored.sign }\nverify: { in: tree }\nlanes: { inPlace: true }\n",
    files: { ".gitignore": "*.sign\n" },
    script: script([sh("touch ignored.sign; echo more >> work.txt"), DONE]),
  });
  expect(verdicts(await place.run())).toEqual([
    ["accepted", "look: the gates saw ignored files that changed and do not land: ignored.sign"],
  ]);
  rmSync(join(place.folder, "ignored.sign"));
  await place.task("add", "Two");
  const baseline = eventsOf(await place.run(), "check.finished").find(({ check }) => check === "baseline");
  expect(baseline?.red).toEqual(["test"]);
});

test.concurrent("T-10 a person's word holds for the work that was asked about, and not for what came later", async () => {
  const make = (recipe: string): string => `check:\n\t${recipe}\n`;
  const place = await loopWorkspace({
    config: "gates: auto\n",
    files: { Makefile: make("test -f done.txt"), "package.json": '{"scripts":{"test":"test ! -f block"}}\n' },
    script: scriptFor({
      "Do it": [
        sh("n=$(cat $HOME/.git/turn 2>/dev/null || echo 0); echo $((n + 1)) >$HOME/.git/turn; sh $HOME/.git/turn-$n"),
        DONE,
      ],
    }),
  });
  const [id = ""] = place.ids;
  place.write({
    ".git/turn-0": "printf 'check:\\n\\ttrue\\n' >Makefile\n",
    ".git/turn-1": `rm -f block; echo '{"scripts":{"test":"true"}}' >package.json\n`,
    ".git/turn-2": "git checkout package.json; rm -f block; touch mended\n",
  });
  expect((await place.run()).outcomes).toEqual(["parked"]);
  await place.task("allow", id);
  // The work that was allowed is rejected now, and the session after that asks for more.
  place.write({ block: "" });
  place.git("add", "block");
  place.git("commit", "--quiet", "--message", "Block it", "--no-verify");
  const run = await place.run();
  expect(run.outcomes.at(-1)).toBe("parked");
  await place.task("answer", id, "No");
  const last = await place.run();
  expect([last.outcomes, eventsOf(last, "agent.ended").length]).toEqual([["verified"], 1]);
});

test.concurrent("P-13 a claim by command counts for the session that made it", async () => {
  const place = await loopWorkspace({
    script: script([sh("ralphctl task done $RALPHCTL_TASK")], [WORK], [sh("true")]),
  });
  const run = await place.run("--max-iterations", "2");
  expect([run.outcomes, await place.states()]).toEqual([["rejected", "unfinished"], { "Do it": "pending" }]);
});

describe.concurrent("T-23 what a session says of other tasks", () => {
  const overtake = `cd "{home}" && git update-ref refs/ralph/target/main $(git commit-tree -p main -m Other main^{tree})`;
  test.each([
    ["is rejected", "test -f done.txt", "rejected", "failed"],
    ["did not land", `test -f x.txt && ${overtake}`, "unfinished", "pending"],
  ])("T-23 nothing is settled together with a claim that %s", async (_, gate, outcome, state) => {
    const all = (ids: readonly string[]): Step => ({
      say: ["<promise>COMPLETE</promise>", ...ids.map((id) => `<task-done>${id}</task-done>`)].join("\n"),
    });
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: `gates:\n  - { id: test, run: ${JSON.stringify(gate)} }\nlimits: { attempts: 1 }\n`,
      script: (ids) => script([write("x.txt", "x"), all(ids)]),
    });
    await place.task("edit", place.ids[1]!, "--gate", "own=test -f README.md");
    const run = await place.run("--max-iterations", "1");
    expect([run.outcomes, await place.states()]).toEqual([[outcome], { One: state, Two: "pending" }]);
  });

  test("T-23 it counts only where the work of that session is", async () => {
    const done = (ids: readonly string[]): Step => ({
      say: ids.map((id) => `<task-done>${id}</task-done>`).join("\n"),
    });
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: GREEN,
      script: (ids) => scriptFor({ One: [write("x.txt", "x"), done(ids)], Two: [DONE] }),
    });
    place.git("branch", "side");
    expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["verified"]);
    place.git("switch", "--quiet", "side");
    expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["rejected"]);
  });
});

test.concurrent("P-41 L-22 work that was proven for one branch does not land on another", async () => {
  const place = await loopWorkspace({
    config: 'gates:\n  - { id: test, run: "test -f done.txt && touch {home}/.git/refs/ralph/target/main.lock" }\n',
    script: script([WORK, DONE]),
    isBuilt: true,
  });
  expect((await place.run()).code).toBe(74);
  rmSync(join(place.folder, ".git/refs/ralph/target/main.lock"));
  place.git("switch", "--quiet", "--create", "side");
  await place.run();
  expect([await place.states(), place.commits()]).toEqual([{ "Do it": "in_progress" }, []]);
  place.git("switch", "--quiet", "main");
  expect(await seen(place, await place.run())).toMatchObject({ states: { "Do it": "done" }, commits: ["Do it"] });
});

test.concurrent("L-21 T-01 gates do not see what set-up did to tracked files", async () => {
  const place = await loopWorkspace({
    config: "gates:\n  - { id: test, run: grep -q good state.txt }\nlanes: { setup: echo bad > state.txt }\n",
    files: { "state.txt": "good\n" },
    script: script([WORK, DONE]),
  });
  const run = await place.run();
  expect([run.outcomes, eventsOf(run, "check.finished")[0]?.red]).toEqual([["verified"], []]);
});

test.concurrent("T-15 L-28 a task that landed on another branch is not complete here, until that is merged", async () => {
  const place = await loopWorkspace({ script: script([WORK, DONE]) });
  place.git("branch", "side");
  expect((await place.run()).code).toBe(0);
  place.git("switch", "--quiet", "side");
  const run = await place.run();
  const named = run.finished?.look?.map(({ title, standing, reason }) => [title, standing, reason]);
  expect([run.code, named]).toEqual([5, [["Do it", "elsewhere", "it landed on main, and not on this branch"]]]);
  place.git("merge", "--quiet", "main");
  expect((await place.run()).code).toBe(0);
});

test.concurrent("L-28 a task whose commit is on no branch any more is reopened if its own gate fails", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    config: GREEN,
    script: scriptFor({ One: [write("one.txt", "1"), DONE], Two: [write("two.txt", "2"), DONE] }),
  });
  const [one = "", two = ""] = place.ids;
  await place.task("edit", one, "--gate", "own=test -f one.txt");
  await place.task("dep", "add", two, "--needs", one);
  await place.run("--task", one);
  place.git("rm", "--quiet", "one.txt");
  place.write({ "other.txt": "kept\n" });
  place.git("add", "other.txt");
  place.git("commit", "--quiet", "--amend", "--message", "Squashed");
  const run = await place.run("--task", two);
  expect([run.outcomes, await place.states()]).toEqual([[], { One: "pending", Two: "pending" }]);
  expect(notices(run)).toContain(`${one} was done, but its commit is gone and its gate own fails: reopened`);
});

test.concurrent("L-20 T-40 work that lost an object while the gates ran is written again", async () => {
  const object = "{home}/.git/objects/$(echo $name | cut -c1-2)/$(echo $name | cut -c3-)";
  const place = await loopWorkspace({
    config: `gates:\n  - { id: test, run: "name=$(git hash-object done.txt) && rm -f ${object}" }\n`,
    script: script([WORK, DONE]),
  });
  expect((await place.run()).outcomes).toEqual(["verified"]);
  expect([place.git("show", "refs/ralph/target/main:done.txt"), place.git("fsck", "--no-dangling")]).toEqual([
    "yes",
    "",
  ]);
});
