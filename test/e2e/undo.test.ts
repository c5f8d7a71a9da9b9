import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lockTree } from "../../src/system/tree-lock.ts";
import { DONE, script, sh, WORK } from "../hostile-run.ts";
import { at, files, GREEN, idOf, landed, look, PLAN } from "../landed-plan.ts";
import { loopWorkspace } from "../loop-workspace.ts";

describe.concurrent("ralphctl undo", () => {
  test("E-01 takes one task back by a revert commit, with its mark in the plan, and the next run does it again", async () => {
    const place = await landed();
    const before = at(place, "main");
    const id = await idOf(place, "One");
    const answer = await place.ralphctl("undo", id.slice(0, 6));
    expect(await look(place)).toEqual({
      states: { One: "pending", Two: "done", Three: "done" },
      commits: ["One", "Two", "Three", 'Revert "One"'],
      files: ["list.txt", "three.txt", "two.txt"],
      plan: "# Plan\n\n- [ ] One\n- [x] Two\n- [x] Three\n",
      status: "",
      isEven: true,
    });
    const kept = `refs/ralph/lost/${before.slice(0, 16)}`;
    expect([answer.code, at(place, kept), answer.stdout]).toEqual([
      0,
      before,
      `Took back the work of ${id} by 1 revert commit. Open again:\n  ${id}  One\n` +
        `main is at ${at(place, "main").slice(0, 10)} now\nEverything as it was: git log ${kept}\n` +
        "Check the rest with ralphctl verify; ralphctl run works on them again\n",
    ]);
    const again = await place.ralphctl("undo", id);
    expect([again.code, again.stdout]).toEqual([
      3,
      `Nothing of ${id} is on main: no work of it landed here, or it was taken back\n`,
    ]);
    expect((await place.run()).code).toBe(0);
    expect([place.commits().at(-1), place.read(PLAN)]).toEqual([
      "One",
      "# Plan\n\n- [x] One\n- [x] Two\n- [x] Three\n",
    ]);
    expect((await place.ralphctl("undo", id)).code).toBe(0);
    expect(files(place)).toEqual(["list.txt", "three.txt", "two.txt"]);
  });

  test("E-01 takes a run back, newest commit first, around changes of the person's that are not committed", async () => {
    const place = await landed();
    place.write({ "README.md": "mine\n", "mine.txt": "mine\n" });
    place.git("add", "README.md");
    const answer = await place.ralphctl("undo", place.run1);
    expect([answer.code, await look(place)]).toEqual([
      0,
      {
        states: { One: "pending", Two: "pending", Three: "pending" },
        commits: ["One", "Two", "Three", 'Revert "Three"', 'Revert "Two"', 'Revert "One"'],
        files: ["list.txt"],
        plan: "# Plan\n\n- [ ] One\n- [ ] Two\n- [ ] Three\n",
        status: "M  README.md\n?? mine.txt",
        isEven: true,
      },
    ]);
    expect(place.git("diff", `${at(place, "main")}~6`, "main", "--stat")).toBe("");
  });

  test("E-01 moves the branch back if asked, and refuses that where somebody else has the commits", async () => {
    const place = await landed();
    place.write({ "README.md": "mine\n" });
    place.git("tag", "v1");
    const refused = await place.ralphctl("undo", place.run1, "--move-branch");
    expect([refused.code, refused.stdout]).toEqual([
      2,
      `Nothing was taken back: v1 has these commits, too\nTake it back by revert commits: ralphctl undo ${place.run1}\n`,
    ]);
    place.git("tag", "--delete", "v1");
    const one = await place.ralphctl("undo", await idOf(place, "One"), "--move-branch");
    expect([one.code, one.stdout.split("\n")[0]]).toEqual([
      2,
      `Nothing was taken back: main has other commits on top of ${at(place, "main~2").slice(0, 10)}`,
    ]);
    const before = at(place, "main");
    const moved = await place.ralphctl("undo", "--yes", "--move-branch");
    expect([moved.code, await look(place)]).toEqual([
      0,
      {
        states: { One: "pending", Two: "pending", Three: "pending" },
        commits: [],
        files: ["list.txt"],
        plan: "# Plan\n\n- [ ] One\n- [ ] Two\n- [ ] Three\n",
        status: "M README.md",
        isEven: true,
      },
    ]);
    expect(at(place, `refs/ralph/lost/${before.slice(0, 16)}`)).toBe(before);
    expect((await place.run()).code).toBe(0);
  });

  test("E-01 refuses whole, with a way out, where later work or files of the person's are in the way", async () => {
    const place = await landed();
    const before = await look(place);
    const [two, three] = [await idOf(place, "Two"), await idOf(place, "Three")];
    const conflict = await place.ralphctl("undo", two);
    expect([conflict.code, conflict.stdout, await look(place)]).toEqual([
      2,
      `Nothing was taken back: Later commits changed the same lines as ${two}, in list.txt\n` +
        `Take that back first: ralphctl undo ${three}. Or run git revert ${at(place, "main~1").slice(0, 10)}, ` +
        `resolve the conflict, and reopen the task: ralphctl task reset ${two}\n`,
      before,
    ]);
    place.write({ "three.txt": "mine\n" });
    const dirty = await place.ralphctl("undo", three);
    const line = `git stash && ralphctl undo ${three} && git stash pop`;
    expect([dirty.code, dirty.stdout, place.read("three.txt"), (await look(place)).states]).toEqual([
      2,
      "Nothing was taken back: You changed three.txt without a commit, and other changes of it would come\n" +
        `Run ${line}, or commit yours, then run ralphctl undo ${three}\n`,
      "mine\n",
      before.states,
    ]);
    place.git("checkout", "--quiet", "three.txt");
    const lock = await lockTree(join(place.folder, ".git"), { run: "r-other", scope: "workspace" });
    expect((await place.ralphctl("undo", three)).code).toBe(75);
    lock.release();
    expect((await place.ralphctl("undo", three)).code).toBe(0);
    expect((await place.ralphctl("undo", two)).code).toBe(0);
    expect(await look(place)).toMatchObject({ files: ["list.txt", "one.txt"], isEven: true, status: "" });
  });

  test("E-01 takes the rest of a run back that a person has partly reverted, below commits of theirs", async () => {
    const place = await landed();
    place.git("revert", "--no-edit", "HEAD");
    place.write({ "mine.txt": "mine\n" });
    place.git("add", "mine.txt");
    place.git("commit", "--quiet", "--message", "Mine");
    const answer = await place.ralphctl("undo", place.run1, "--json");
    expect([answer.code, JSON.parse(answer.stdout)]).toMatchObject([
      0,
      { result: "reverted", taken: { length: 3 }, commits: { length: 2 } },
    ]);
    expect(await look(place)).toMatchObject({
      states: { One: "pending", Two: "pending", Three: "pending" },
      commits: ["One", "Two", "Three", 'Revert "Three"', "Mine", 'Revert "Two"', 'Revert "One"'],
      files: ["list.txt", "mine.txt"],
      isEven: true,
    });
  });

  test("E-01 finds commits that were rebased or merged, and names the run or task that it does not know", async () => {
    const place = await landed();
    place.git("switch", "--quiet", "--create", "other", "main~3");
    place.write({ "mine.txt": "mine\n" });
    place.git("add", "mine.txt");
    place.git("commit", "--quiet", "--message", "Mine");
    place.git("merge", "--quiet", "--no-edit", "main");
    expect((await place.ralphctl("undo", await idOf(place, "One"))).code).toBe(0);
    expect(files(place)).toEqual(["list.txt", "mine.txt", "three.txt", "two.txt"]);
    place.git("switch", "--quiet", "main");
    place.git("rebase", "--quiet", "--force-rebase", "--root");
    expect((await place.ralphctl("undo", await idOf(place, "Three"))).code).toBe(0);
    expect(files(place)).toEqual(["list.txt", "one.txt", "two.txt"]);
    const unknown = await place.ralphctl("undo", "nope");
    expect([unknown.code, unknown.stderr.split("\n")[0]]).toEqual([64, expect.stringContaining("nope")]);
    const open = await place.ralphctl("undo");
    expect([open.code, open.stderr]).toEqual([
      64,
      "error: Say what to take back: a run or a task\n" +
        "hint: Write ralphctl undo RUN, or ralphctl undo --yes for the newest run\n",
    ]);
  });

  test("E-01 names done tasks that need what was taken back, and says that nothing has ever landed", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: GREEN,
      script: script([WORK, sh("date +%N > $RALPHCTL_TASK"), DONE]),
    });
    const none = await place.ralphctl("undo", "--yes");
    expect([none.code, none.stdout]).toEqual([3, "No run has landed work that is on main\n"]);
    const [one = "", two = ""] = place.ids;
    await place.task("dep", "add", two, "--needs", one);
    expect((await place.run()).code).toBe(0);
    const answer = await place.ralphctl("undo", one);
    expect(answer.stdout).toContain(
      `${two} "Two" needs one of them and stays done; ralphctl undo ${two} takes it back, too\n`,
    );
    expect(readFileSync(join(place.folder, two), "utf8")).not.toBe("");
  });

  test("E-01 an id that fits several runs is refused, and a remedy without a terminal can be typed", async () => {
    const place = await landed();
    place.git("tag", "v1");
    const refused = await place.ralphctl("undo", "--yes", "--move-branch");
    expect([refused.code, refused.stdout.split("\n")[1]]).toEqual([
      2,
      "Take it back by revert commits: ralphctl undo --yes",
    ]);
    await place.run("Four", "--max-iterations", "1");
    const several = await place.ralphctl("undo", "r-");
    expect([several.code, several.stderr.split(":")[1]]).toEqual([64, ' "r-" matches 2 runs']);
  });

  test("E-01 the state and the position of a sprint with phases go back with its marks", async () => {
    const place = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: {
        "sprints/a/SPRINT.yaml": "workflow: two\n",
        ".claude/workflows/two.yaml": "name: two\nphases: [{ id: one, prompt: One }, { id: two, prompt: Two }]\n",
      },
      script: script([WORK, sh("date +%N > $RALPHCTL_TASK"), DONE]),
    });
    expect((await place.run("--sprint", "sprints/a")).code).toBe(0);
    const progress = (): string[] =>
      place
        .read("sprints/a/PROGRESS.yaml")
        .split("\n")
        .filter((line) => /status:|current:/.test(line))
        .map((line) => line.trim());
    const states = (status: string, phase: number, ...phases: readonly string[]): string[] => [
      `status: ${status}`,
      `current: { phase: ${phase}, step: null, sub-phase: null }`,
      ...phases.map((each) => `status: ${each}`),
    ];
    expect(progress()).toEqual(states("completed", 2, "completed", "completed"));
    expect((await place.ralphctl("undo", await idOf(place, "Two"))).code).toBe(0);
    expect(progress()).toEqual(states("in-progress", 1, "completed", "pending"));
    expect(place.git("status", "--porcelain")).toBe("");
  });

  const PLANS = script([
    sh(
      '[ -n "$RALPHCTL_TASK" ] && date +%N > $RALPHCTL_TASK.txt || printf -- "- [ ] One\\n- [ ] Two\\n" > IMPLEMENTATION_PLAN.md',
    ),
    DONE,
  ]);
  const planning = async (files: Record<string, string> = {}) =>
    await loopWorkspace({ tasks: [], config: GREEN, files: { ".ralph/specs/a.md": "# A\n", ...files }, script: PLANS });

  test("E-01 takes back a run that only planned: its plan, its tasks; the next run plans again", async () => {
    const place = await planning();
    const { code, name } = await place.run("plan");
    expect([code, Object.keys(await place.states())]).toEqual([0, ["One", "Two"]]);
    place.write({ [PLAN]: `${place.read(PLAN)}- [ ] Three\n` });
    const inTheWay = await place.ralphctl("undo", "--yes");
    expect([inTheWay.code, inTheWay.stdout]).toEqual([2, expect.stringContaining(`You changed ${PLAN}`)]);
    place.git("checkout", "--quiet", PLAN);
    const before = at(place, "main");
    const [one, two] = [await idOf(place, "One"), await idOf(place, "Two")];
    const answer = await place.ralphctl("undo", "--yes");
    const kept = `refs/ralph/lost/${before.slice(0, 16)}`;
    expect([answer.code, answer.stdout]).toEqual([
      0,
      `Took back the plan of ${name} by 1 revert commit. Removed with it:\n  ${one}  One\n  ${two}  Two\n` +
        `main is at ${at(place, "main").slice(0, 10)} now\nEverything as it was: git log ${kept}\n` +
        "ralphctl run plan plans again\n",
    ]);
    expect([place.commits(), await place.states(), place.git("status", "--porcelain"), at(place, kept)]).toEqual([
      ["Plan the work", 'Revert "Plan the work"'],
      {},
      "",
      before,
    ]);
    expect((await place.ralphctl("undo", "--yes")).code).toBe(3);
    expect((await place.run()).code).toBe(0);
    expect(await place.states()).toEqual({ One: "done", Two: "done" });
  });

  test("E-01 of a run that planned and built, the work goes first and then the plan, which a rebase may have moved", async () => {
    const place = await planning({ [PLAN]: "# Notes\n" });
    const { name } = await place.run("plan");
    const built = await place.run();
    const refused = await place.ralphctl("undo", name);
    expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining("Nothing was taken back: ")]);
    const work = await place.ralphctl("undo", built.name, "--json");
    expect(JSON.parse(work.stdout)).toMatchObject({ result: "reverted", plan: null, tasks: { length: 2 } });
    place.git("rebase", "--quiet", "--force-rebase", "--root");
    const plan = await place.ralphctl("undo", name, "--json");
    expect([plan.code, JSON.parse(plan.stdout)]).toMatchObject([0, { result: "reverted", plan: "taken" }]);
    expect(place.read(PLAN)).toBe("# Notes\n");
    const both = await place.run();
    const stays = await place.ralphctl("undo", both.name);
    expect([both.code, stays.stdout]).toEqual([
      0,
      expect.stringContaining(`The plan that it wrote stays; to take it back, too: ralphctl undo ${both.name}\n`),
    ]);
    expect((await place.ralphctl("undo", both.name)).stdout).toContain(`Took back the plan of ${both.name} by 1 `);
  });

  test("E-01 takes back the steps of a sprint with a goal that needs each of them, and its next run plans again", async () => {
    const step = (id: string): string => `  - { id: ${id}, prompt: Step ${id}, status: pending }`;
    const place = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: { "sprints/g/SPRINT.yaml": "workflow: ralph\ngoal: Make it\n" },
      script: script([
        sh(`sed -i 's/^dynamic-steps:.*/dynamic-steps:\\n${step("a")}\\n${step("b")}/' sprints/g/PROGRESS.yaml`),
        { say: "Planned." },
      ]),
    });
    const planned = await place.run("--sprint", "sprints/g", "--max-iterations", "1");
    const steps = async (): Promise<string[]> =>
      Object.keys(await place.states())
        .filter((title) => title.startsWith("Step"))
        .toSorted();
    expect(await steps()).toEqual(["Step a", "Step b"]);
    const answer = await place.ralphctl("undo", "--yes");
    expect([answer.code, answer.stdout.split("\n")[0], await steps()]).toEqual([
      0,
      `Took back the plan of ${planned.name} by 1 revert commit. Removed with it:`,
      [],
    ]);
    await place.run("--sprint", "sprints/g", "--max-iterations", "1");
    expect(await steps()).toEqual(["Step a", "Step b"]);
  });
});
