import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { DONE, eventsOf, notices, script, scriptFor, sh, type Step } from "../hostile-run.ts";
import { runAndDie } from "../killed-run.ts";
import { startLive } from "../live-run.ts";
import { type LoopRun, loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { seedFiles } from "../seed-workspace.ts";
import { landedTwice, unproven } from "../torture/landing-history.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const GREEN = "gates:\n  - { id: test, run: test -f README.md }\n";

const [PATHS, CRATES, EXAMPLES] = [
  "002-01_fix-paths",
  "014-01_add-rust-crate-documentation",
  "014-02_add-examples",
] as const;

/** A session goes on when sessions of so many scopes have come here: they work at the same time, or never end. */
const meet = (folder: string, count: number): string =>
  `mkdir -p ${folder}/$RALPHCTL_SCOPE; until [ $(ls ${folder}/change | wc -l) -ge ${count} ]; do sleep 0.02; done`;

const work = (before = "true"): Step => sh(`${before}; echo $RALPHCTL_SCOPE > $RALPHCTL_TASK.txt`);

const WORK = script([work(), DONE]);

const until = (file: string): string => `until [ -e ${file} ]; do sleep 0.05; done`;

const planOf = (change: string): string => `openspec/changes/${change}/tasks.md`;

const changes = (plans: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(plans).flatMap(([name, text]) => [
      [planOf(name), text],
      [`openspec/changes/${name}/proposal.md`, `# ${name}\n`],
    ]),
  );

const place = async (steps: string, config = GREEN): Promise<LoopWorkspace> =>
  await loopWorkspace({ tasks: ["Of the workspace"], script: steps, config, files: seedFiles("002-changes") });

const run = async (ready: LoopWorkspace, ...args: readonly string[]): Promise<LoopRun> =>
  await ready.run("--continue-ready", "--lanes", "3", ...args);

const ends = ({ finished }: LoopRun): string[] =>
  (finished?.changes ?? []).map(({ change, ending }) => `${change} ${ending}`);

const titles = (found: LoopRun): (string | undefined)[] =>
  eventsOf(found, "iteration.started").map(({ task }) => task?.title);

/** Each commit of the landing ref has a verdict about exactly its tree, and each task landed once. */
async function sound({ folder, git }: LoopWorkspace): Promise<void> {
  expect([await unproven(folder, { isGreen: () => false }), landedTwice(folder)]).toEqual([[], []]);
  expect(git("status", "--porcelain")).toBe("");
}

describe.concurrent("--continue-ready with several lanes", () => {
  test("L-01 S002-09 independent changes at once, each with its own prompt, marks, commits and line", async () => {
    const ready = await place(script([work(meet(temporaryFolder(), 3)), DONE]));
    const found = await run(ready);
    expect([found.code, eventsOf(found, "run.finished").length, ends(found)]).toEqual([
      0,
      1,
      [`${PATHS} complete`, `${CRATES} complete`, `${EXAMPLES} complete`],
    ]);
    const [started] = eventsOf(found, "run.started");
    expect([started?.scope, started?.changes, started?.tasks]).toEqual(["changes", [PATHS, CRATES, EXAMPLES], 4]);
    for (const { iteration, scope } of eventsOf(found, "iteration.started")) {
      expect(found.prompt(iteration)).toContain(`## Change Proposal (${scope!.replace("change/", "")})`);
    }
    expect(eventsOf(found, "change.finished").map(({ change, ending }) => `${change} ${ending}`)).toEqual(
      expect.arrayContaining(ends(found)),
    );
    expect(found.stderr).toContain(`Changes:
  ${PATHS}                     complete: all tasks are done
  ${CRATES}  complete: all tasks are done
  ${EXAMPLES}                  complete: all tasks are done
`);
    expect(found.stderr).not.toContain("changes complete");
    expect(await ready.states()).toMatchObject({ "Of the workspace": "pending", "Quote the paths": "done" });
    expect(ready.git("show", `HEAD:.ito/changes/${CRATES}/tasks.md`)).not.toContain("[ ]");
    await sound(ready);
    const status = await ready.ralphctl("status", "--change", "014-02");
    expect(status.stdout).toContain(`Last run  ${found.name} of several changes`);
    const inspected = await ready.ralphctl("inspect", "--change", "014-02");
    expect(inspected.stdout).toContain("Write an example for ito_core");
    const line = `${PATHS} complete, ${CRATES} complete, ${EXAMPLES} complete`;
    expect(inspected.stdout).toContain(`Changes  ${line}\n`);
    await ready.ralphctl("report", "--html", "--output", "report.html");
    expect(ready.read("report.html")).toContain(`<dd>${line}</dd>`);
    expect((await ready.ralphctl("run", "--continue-ready", "--lanes", "3")).code).toBe(3);
  });

  test("S002-09 a change that needs another one begins when that is done, although it was not ready at first", async () => {
    const ready = await place(WORK);
    const first = await ready.task("add", "First", "--change", "002-01");
    await ready.task("add", "Later", "--change", "020-01", "--needs", first.stdout.trim());
    const found = await run(ready);
    expect([found.code, ends(found)]).toEqual([
      0,
      [PATHS, CRATES, EXAMPLES, "020-01_not-planned"].map((change) => `${change} complete`),
    ]);
    expect(eventsOf(found, "run.started")[0]?.changes).toEqual([PATHS, CRATES, EXAMPLES]);
    expect(notices(found)).toContain("change 020-01_not-planned is ready now");
    const log = await ready.ralphctl("logs", "--change", "020-01");
    expect(log.stdout).toContain("Later");
    const landed = ready.commits();
    expect(landed.indexOf("Later")).toBeGreaterThan(landed.indexOf("First"));
    await sound(ready);
  });

  test("X-1 a change that fails or asks does not stop the others, and the worst of them is the end", async () => {
    const ready = await place(
      scriptFor({
        "Quote*": [{ say: "It cannot be done.\n\n<task-failed>{task}</task-failed>" }],
        "Write*": [sh("ralphctl task park $RALPHCTL_TASK 'Which one?'"), { say: "I ask." }],
        "Document*": [work(), DONE],
      }),
    );
    const found = await run(ready, "--max-attempts", "1");
    expect([found.code, ends(found)]).toEqual([1, [`${PATHS} failure`, `${CRATES} complete`, `${EXAMPLES} blocked`]]);
    expect([found.finished?.failed.length, found.finished?.waiting.length]).toEqual([1, 1]);
    expect(found.finished?.reason).toBe("1 of 3 changes are complete");
  });

  test("X-4 the limit of iterations is that of each change", async () => {
    const ready = await place(WORK);
    const found = await run(ready, "--max-iterations", "1");
    expect([found.code, ends(found), titles(found).length]).toEqual([
      4,
      [`${PATHS} complete`, `${CRATES} limit`, `${EXAMPLES} complete`],
      3,
    ]);
    const again = await run(ready);
    expect([again.code, ends(again), titles(again)]).toEqual([0, [`${CRATES} complete`], ["Document ito_domain"]]);
  });

  test("P-44 cost is a limit of all changes together, also of sessions at once", async () => {
    const ready = await place(script([work(), { cost: 1 }, DONE]));
    const found = await run(ready, "--max-cost", "2");
    expect([found.code, found.finished?.limit]).toEqual([4, "cost"]);
    expect(found.finished?.costUsd).toBeLessThanOrEqual(3);
    expect(found.finished?.changes?.length).toBe(3);
  });

  test("P-53 a change whose files cannot be used has failed, and does not keep the others from their turn", async () => {
    const ready = await place(WORK);
    ready.write({ [`.ito/changes/${CRATES}/proposal.md`]: "\0" });
    ready.git("commit", "--quiet", "--all", "--message", "Spoil a proposal");
    const found = await run(ready);
    expect([found.code, ends(found)]).toEqual([1, [`${PATHS} complete`, `${EXAMPLES} complete`, `${CRATES} failure`]]);
  });

  test("--module limits it to the changes of that module, and adds its text", async () => {
    const ready = await place(WORK);
    const found = await run(ready, "--module", "14");
    expect([found.code, ends(found)]).toEqual([0, [`${CRATES} complete`, `${EXAMPLES} complete`]]);
    expect(found.prompt(1)).toContain("## Module (014)");
  });

  test("L-41 a change whose only task was begun by a run that was killed is ready at once", async () => {
    const marks = temporaryFolder();
    const ready = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: { "openspec/changes/one/proposal.md": "# One\n", "openspec/changes/one/tasks.md": "- [ ] Do it\n" },
      script: script([sh(`[ -e ${marks}/go ] || { touch ${marks}/begun; sleep 60; }`), work(), DONE]),
    });
    const killed = startLive(ready.folder, "--continue-ready");
    await vi.waitUntil(() => existsSync(join(marks, "begun")), { timeout: 50_000 });
    killed.signal("SIGKILL");
    await killed.ended;
    writeFileSync(join(marks, "go"), "");
    expect((await ready.ralphctl("change", "list")).stdout).toContain("ready");
    const found = await ready.run("--continue-ready");
    expect([found.code, found.outcomes]).toEqual([0, ["verified"]]);
  });

  test("L-40 L-41 after a stop or a kill, the next run goes on with each change, and each task lands once", async () => {
    const [folder, marks] = [temporaryFolder(), temporaryFolder()];
    const wait = `[ -e ${marks}/go ] || { echo half > $RALPHCTL_TASK.txt; touch ${folder}/$RALPHCTL_TASK; sleep 60; }`;
    const ready = await place(script([sh(wait), work(), DONE]));
    const args = ["--continue-ready", "--lanes", "3"] as const;
    const allBegun = async (): Promise<unknown> =>
      await vi.waitUntil(() => readdirSync(folder).length >= 3, { timeout: 50_000 });
    const stopped = startLive(ready.folder, ...args);
    await allBegun();
    stopped.signal("SIGINT");
    const first = await stopped.ended;
    expect([first.code, ends(first)]).toEqual([
      130,
      [PATHS, CRATES, EXAMPLES].map((change) => `${change} interrupted`),
    ]);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const killed = startLive(ready.folder, ...args);
    await allBegun();
    killed.signal("SIGKILL");
    await killed.ended;
    writeFileSync(join(marks, "go"), "");
    const found = await run(ready);
    expect([found.code, ends(found)]).toEqual([0, [PATHS, CRATES, EXAMPLES].map((change) => `${change} complete`)]);
    expect(titles(found).length).toBe(4);
    await sound(ready);
  });

  test("L-40 a stop while one lane proves and the other has nothing left ends the run", async () => {
    const marks = temporaryFolder();
    const proof = `if [ -e slow.txt ] && [ -n "$RALPHCTL_TASK" ]; then touch ${marks}/proof; sleep 5; fi`;
    const session = `if mkdir ${marks}/first; then echo x > quick.txt; else ${until(`${marks}/go`)}; echo x > slow.txt; fi`;
    const ready = await loopWorkspace({
      tasks: [],
      config: `gates:\n  - { id: test, run: '${proof}' }\n`,
      files: changes({ one: "- [ ] Quick\n- [ ] Slow\n" }),
      script: script([sh(session), DONE]),
    });
    const live = startLive(ready.folder, "--continue-ready", "--lanes", "2");
    await live.says("commit.made");
    writeFileSync(join(marks, "go"), "");
    await vi.waitUntil(() => existsSync(join(marks, "proof")), { timeout: 50_000 });
    live.signal("SIGINT");
    expect((await live.ended).code).toBe(130);
  });

  test("--no-commit: work that landed is not reopened after git restore", async () => {
    const ready = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: changes({ one: "- [ ] A1\n", two: "- [ ] B1\n" }),
      script: script([sh("echo x >> $RALPHCTL_TASK.txt"), DONE]),
    });
    const args = ["--continue-ready", "--lanes", "2", "--no-commit"] as const;
    expect((await ready.run(...args)).code).toBe(0);
    ready.git("restore", ".");
    ready.write({ [planOf("one")]: "- [ ] A1\n- [ ] A2\n", [planOf("two")]: "- [ ] B1\n- [ ] B2\n" });
    const found = await ready.run(...args);
    expect([found.code, titles(found).toSorted()]).toEqual([0, ["A2", "B2"]]);
  });

  test("L-27 P-41 a run marks work that a killed run had proven for another change", async () => {
    const ready = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: changes({ one: "- [ ] A1\n", two: "- [ ] B1\n- [ ] B2\n" }),
      script: script([sh("echo x >> $RALPHCTL_TASK.txt"), DONE]),
    });
    const killed = ["--change", "two", "--no-commit"];
    expect(await runAndDie(ready.folder, { step: "commit: ref moved", args: killed })).toBe("SIGKILL");
    const found = await ready.run("--change", "one", "--no-commit");
    expect([found.code, titles(found), ready.read(planOf("one")), ready.read(planOf("two"))]).toEqual([
      0,
      ["A1"],
      "- [x] A1\n",
      "- [x] B1\n- [ ] B2\n",
    ]);
  });

  test("T-41 entries that only another branch has are not tasks of the run", async () => {
    const marks = temporaryFolder();
    const ready = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: changes({ two: "- [ ] Later\n- [ ] Third\n" }),
      script: script([sh(`touch ${marks}/begun; ${until(`${marks}/go`)}; echo x > $RALPHCTL_TASK.txt`), DONE]),
    });
    ready.git("switch", "--quiet", "--create", "other");
    ready.write({ [planOf("two")]: "- [ ] Later\n- [ ] Third\n- [x] Done there\n- [ ] Only there\n" });
    ready.git("commit", "--quiet", "--all", "--message", "Plan more");
    ready.git("switch", "--quiet", "main");
    const live = startLive(ready.folder, "--change", "two");
    await vi.waitUntil(() => existsSync(join(marks, "begun")), { timeout: 50_000 });
    ready.git("switch", "--quiet", "other");
    writeFileSync(join(marks, "go"), "");
    expect(titles(await live.ended)).toEqual(["Later", "Third"]);
    expect(await ready.states()).toEqual({ Later: "done", Third: "done" });
  });

  test("P-50 the next run follows what a person writes into plans on which this one does not work", async () => {
    const marks = temporaryFolder();
    const ready = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: changes({ one: "- [ ] Do it\n", two: "- [x] Old\n- [x] Older\n", three: "- [x] Three\n" }),
      script: script([sh(`touch ${marks}/begun; ${until(`${marks}/go`)}; echo x > $RALPHCTL_TASK.txt`), DONE]),
    });
    const live = startLive(ready.folder, "--continue-ready", "--lanes", "2");
    await vi.waitUntil(() => existsSync(join(marks, "begun")), { timeout: 50_000 });
    ready.write({
      [planOf("two")]: "- [ ] Old\n- [x] Older\n- [x] Done by hand\n",
      [planOf("three")]: "<<<<<<< HEAD\n- [x] Three\n=======\n- [x] Three!\n>>>>>>> theirs\n",
    });
    writeFileSync(join(marks, "go"), "");
    const found = await live.ended;
    expect([found.code, eventsOf(found, "run.started").map(({ changes: taken }) => taken)]).toEqual([
      0,
      [["one"], ["three", "two"]],
    ]);
    expect(titles(found)).toEqual(["Do it", "Old"]);
    expect(ready.read(planOf("two"))).toBe("- [x] Old\n- [x] Older\n- [x] Done by hand\n");
  });

  test("P-44 a budget that is spent after one change is named beside that change", async () => {
    const ready = await loopWorkspace({
      tasks: [],
      config: GREEN,
      files: changes({ one: "- [ ] A1\n", two: "- [ ] B1\n" }),
      script: script([work(), { cost: 1 }, DONE]),
    });
    const found = await ready.ralphctl("run", "--continue-ready", "--max-cost", "1");
    expect(found.code).toBe(4);
    expect(found.stdout).toContain(`1 of 2 changes complete
  one  complete: all tasks are done
  two  limit: the cost, token or time limit was reached before this change
`);
  });
});
