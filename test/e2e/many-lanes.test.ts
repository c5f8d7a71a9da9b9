import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { DONE, eventsOf, notices, script, seen, sh, verdicts } from "../hostile-run.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { expectSound, lanesOf, meet } from "../many-lanes.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const GREEN = "gates: [{ id: test, run: test ! -e broken }]\n";

const numbers = (run: LoopRun): number[] => eventsOf(run, "iteration.started").map(({ iteration }) => iteration);

describe.concurrent("many lanes", () => {
  test("L-01 L-08 L-43 four tasks at once: each in a lane of its own, each landed once, with its own number", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three", "Four"],
      config: GREEN,
      script: script([sh(`${meet(folder, 4)}; echo $RALPHCTL_TASK > $RALPHCTL_TASK.txt`), DONE]),
    });
    const run = await place.run("--lanes", "4");
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified", "verified", "verified"],
      states: { One: "done", Two: "done", Three: "done", Four: "done" },
      commits: expect.arrayContaining(["One", "Two", "Three", "Four"]),
    });
    const [started] = eventsOf(run, "run.started");
    expect([started?.lanes, lanesOf(run).toSorted(), numbers(run)]).toEqual([4, [1, 2, 3, 4], [1, 2, 3, 4]]);
    expect(place.git("status", "--porcelain")).toBe("");
    await expectSound(place);
  });

  test("L-25 work that conflicts goes back to its task, which learns of both, and that is no attempt", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: `${GREEN}limits: { attempts: 1 }\n`,
      files: { "list.txt": "start\n" },
      script: script([sh(`${meet(folder, 2)}; echo $RALPHCTL_TASK >> list.txt`), DONE]),
    });
    const run = await place.run("--lanes", "2");
    expect([run.code, run.outcomes.toSorted()]).toEqual([0, ["conflict", "verified", "verified"]]);
    const [first = "", second = ""] = place.ids;
    expect(place.read("list.txt").split("\n").toSorted()).toEqual(["", first, second, "start"].toSorted());
    const why = "Work that landed during the session conflicts with it, in list.txt";
    expect(verdicts(run)[1]).toEqual(["rejected", why]);
    const prompt = run.prompt(3);
    expect([
      why,
      "<<<<<<< ours",
      "Landed during the session:",
      "It is not in the files; see it with: git show",
    ]).toEqual(
      [why, "<<<<<<< ours", "Landed during the session:", "It is not in the files; see it with: git show"].filter(
        (text) => prompt.includes(text),
      ),
    );
    await expectSound(place);
  });

  test("L-25 tasks that conflicted too often work alone, one after the other, also if you commit meanwhile", async () => {
    const [folder, marks] = [temporaryFolder(), temporaryFolder()];
    const again = `touch ${marks}/again; until [ -e ${marks}/committed ]; do sleep 0.02; done`;
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three", "Four"],
      config: "gates: [{ id: test, run: sleep 0.3 }]\nlimits: { attempts: 1, conflicts: 1 }\n",
      files: { "list.txt": "start\n" },
      script: script([
        sh(
          `if [ -e ${folder}/$RALPHCTL_TASK ]; then ${again}; else ${meet(folder, 4)}; fi; echo $RALPHCTL_TASK >> list.txt`,
        ),
        DONE,
      ]),
    });
    const running = place.run("--lanes", "4");
    await vi.waitUntil(() => existsSync(join(marks, "again")), { timeout: 50_000 });
    writeFileSync(join(place.folder, "mine.txt"), "mine\n");
    place.git("add", "mine.txt");
    place.git("commit", "-qm", "Mine");
    writeFileSync(join(marks, "committed"), "");
    const run = await running;
    expect([run.code, run.outcomes.toSorted()]).toEqual([
      0,
      ["conflict", "conflict", "conflict", "verified", "verified", "verified", "verified"],
    ]);
    const conflicts = eventsOf(run, "iteration.finished").filter(({ outcome }) => outcome === "conflict");
    const held = eventsOf(run, "lanes.held");
    expect(held.map(({ why }) => why)).toEqual(["alone", undefined, "alone", undefined, "alone", undefined]);
    expect(held.flatMap(({ task }) => task?.id ?? []).toSorted()).toEqual(
      conflicts.map(({ task }) => task!.id).toSorted(),
    );
    expect(held.every(({ why, lane }) => (why === undefined) === (lane === undefined))).toBe(true);
  });

  test("L-20 L-25 gates that fail only together with other work do not blame the task", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: "gates: [{ id: test, run: '[ $(cat *.part 2>/dev/null | wc -l) -le 1 ]' }]\nlimits: { attempts: 1 }\n",
      script: script([
        sh(
          `${meet(folder, 2)}; if ls *.part >/dev/null 2>&1; then rm -f $RALPHCTL_TASK.part; date > note.txt; else echo x > $RALPHCTL_TASK.part; fi`,
        ),
        DONE,
      ]),
    });
    const run = await place.run("--lanes", "2");
    expect([run.code, run.outcomes.toSorted()]).toEqual([0, ["conflict", "verified", "verified"]]);
    expect(verdicts(run)[1]).toEqual([
      "rejected",
      "These gates fail only together with work that landed during the session: test",
    ]);
    const clash = eventsOf(run, "iteration.finished").find(({ outcome }) => outcome === "conflict")?.iteration;
    const gates = eventsOf(run, "gate.finished").filter(({ iteration }) => iteration === clash);
    // With the work that landed, and without it.
    expect(gates.map(({ passed }) => passed)).toEqual([false, true]);
    await expectSound(place);
  });

  test("L-08 sessions under way count against the limit of iterations", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three", "Four"],
      config: GREEN,
      script: script([sh("echo x > $RALPHCTL_TASK.txt"), DONE]),
    });
    const run = await place.run("--lanes", "4", "--max-iterations", "2");
    expect([run.code, run.outcomes, numbers(run)]).toEqual([4, ["verified", "verified"], [1, 2]]);
    expect(run.stderr).toContain("\nNext:\n  ralphctl run --lanes 4\n");
  });

  test("S003-03 a parallel hook of all lanes runs once at a time, and the run waits for each", async () => {
    const [folder, marks] = [temporaryFolder(), temporaryFolder()];
    const hook = `mkdir ${marks}/busy && sleep 2 && rmdir ${marks}/busy`;
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three", "Four"],
      config: `${GREEN}hooks: [{ id: slow, parallel: true, on: task-done, run: '${hook}' }]\n`,
      script: script([sh(`${meet(folder, 4)}; echo $RALPHCTL_TASK > $RALPHCTL_TASK.txt`), DONE]),
    });
    const run = await place.run("--lanes", "4");
    expect(eventsOf(run, "hook.finished").map(({ passed }) => passed)).toEqual([true, true, true, true]);
  });

  test("L-04 set-up of one lane that ends leaves the programs of the others alone", async () => {
    const folder = temporaryFolder();
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three"],
      config: `${GREEN}lanes: { setup: 'case $RALPHCTL_LANE in [123]) sleep $RALPHCTL_LANE;; esac' }\n`,
      script: script([sh(`${meet(folder, 3)}; echo x > $RALPHCTL_TASK.txt`), DONE]),
    });
    const run = await place.run("--lanes", "3", "--timeout", "60s");
    expect([run.outcomes, lanesOf(run).toSorted()]).toEqual([
      ["verified", "verified", "verified"],
      [1, 2, 3],
    ]);
  });

  test("L-04 a lane whose set-up fails is left out, and the others do its work", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: `${GREEN}lanes: { setup: '[ "$RALPHCTL_LANE" != 2 ]' }\n`,
      script: script([sh("sleep 0.5; echo x > $RALPHCTL_TASK.txt"), DONE]),
    });
    const run = await place.run("--lanes", "2");
    expect([run.code, run.outcomes, lanesOf(run)]).toEqual([0, ["verified", "verified"], [1, 1]]);
    expect(notices(run)).toContainEqual(expect.stringMatching(/^Lane 2 is left out: Set-up of lane 2 failed/));
  });

  test("L-09 the longest chain of tasks begins first, then what has priority", async () => {
    const place = await loopWorkspace({
      tasks: ["Last", "Urgent", "First", "Second"],
      config: GREEN,
      script: script([sh("echo x > $RALPHCTL_TASK.txt"), DONE]),
    });
    const [, urgent = "", first = "", second = ""] = place.ids;
    await place.task("edit", urgent, "--priority", "0");
    await place.task("dep", "add", second, "--needs", first);
    const run = await place.run("--lanes", "2", "--max-iterations", "2");
    const begun = eventsOf(run, "iteration.started").map(({ task }) => task?.title);
    expect(begun).toEqual(["First", "Urgent"]);
  });

  test("L-01 your own files are one place", async () => {
    const place = await loopWorkspace({ config: GREEN, script: script([DONE]) });
    const { code, stderr } = await place.ralphctl("run", "--in-place", "--lanes", "2");
    expect([code, stderr]).toEqual([64, expect.stringContaining("Leave out --in-place")]);
  });
});
