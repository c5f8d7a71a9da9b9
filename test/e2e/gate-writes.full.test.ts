import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, notices, script, seen, sh, type Step, verdicts } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text: string): Step => ({ write: { path, text } });
/** A linter that fixes: it takes spaces off the ends of lines, and exits with 0. */
const FORMAT = "sed -i 's/ *$//' *.txt";
const TEST = "{ id: test, run: test -f done.txt }";
const GATES = `gates:\n  - ${TEST}\n  - { id: format, run: "${FORMAT}" }\n`;
const FILES = { "a.txt": "a\n" };
const WORK = write("done.txt", "done  \n");
const ONCE = "limits: { attempts: 1 }\n";

describe.concurrent("T-01 gates that change files: who is refused, and who is not", () => {
  test("T-01 a build that needs what another gate built is not blamed for a third that formats", async () => {
    const place = await loopWorkspace({
      config: `gates:
  - { id: build, run: "mkdir -p dist && cp done.txt dist/ 2>/dev/null || true" }
  - { id: test, run: "test -f dist/done.txt" }
  - { id: format, run: "${FORMAT}" }\n${ONCE}`,
      files: { ...FILES, ".gitignore": "dist/\n" },
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(verdicts(run)).toEqual([["rejected", "gate format: it changes these files: done.txt"]]);
  });

  test("T-01 a new file that the gate leaves beside the work is named; ignored files and build output are not", async () => {
    const gate = "test -f done.txt && cp done.txt snap.json && mkdir -p coverage out.d && touch coverage/x out.d/y";
    const place = await loopWorkspace({
      config: `gates:\n  - { id: test, run: "${gate}" }\nverify: { applyFixes: true }\n${ONCE}`,
      files: { ...FILES, ".gitignore": "out.d/\n" },
      script: script([WORK, DONE]),
    });
    expect(verdicts(await place.run())).toEqual([["rejected", "gate test: it changes these files: snap.json"]]);
  });

  test("T-01 a fix that never settles is a rejection, even if fixes are applied", async () => {
    const gate = "test ! -f done.txt || echo x >> done.txt; test -f done.txt";
    const place = await loopWorkspace({
      config: `gates:\n  - { id: grow, run: "${gate}" }\nverify: { applyFixes: true }\n${ONCE}`,
      files: FILES,
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(verdicts(run)).toEqual([["rejected", "gate grow: it changes these files: done.txt"]]);
    expect(place.commits()).toEqual([]);
  });

  test("T-01 tests that fail and leave files behind run once", async () => {
    const place = await loopWorkspace({
      config: `gates:
  - { id: test, run: "echo ran >> {home}/.git/ran; touch trace.$$.json; ! test -f done.txt" }
  - { id: lint, run: "true" }\n${ONCE}`,
      files: FILES,
      script: script([sh("rm -f {home}/.git/ran"), WORK, DONE]),
    });
    expect(verdicts(await place.run())).toEqual([["rejected", "gate test: exit code 1"]]);
    expect(readFileSync(join(place.folder, ".git/ran"), "utf8")).toBe("ran\n");
  });

  test("T-01 a gate that fails on what it changed is red by its own words", async () => {
    const gate = "test -f done.txt && { ! grep -q x done.txt || exit 3; echo x >> done.txt; }";
    const place = await loopWorkspace({
      config: `gates:\n  - { id: odd, run: "${gate}" }\n${ONCE}`,
      files: FILES,
      script: script([WORK, DONE]),
    });
    expect(verdicts(await place.run())).toEqual([["rejected", "gate odd: exit code 3"]]);
  });

  test("T-10 T-11 fixes are judged as the work is: one that changes a protected file is refused", async () => {
    const place = await loopWorkspace({
      config: `gates:\n  - { id: gen, run: "test ! -f done.txt || sed -i s/old/new/ guarded.cfg; test -f done.txt" }
verify: { applyFixes: true, protect: [guarded.cfg] }\n${ONCE}`,
      files: { "guarded.cfg": "old\n" },
      script: script([WORK, DONE]),
    });
    const [[verdict = "", reason = ""] = []] = verdicts(await place.run());
    expect([verdict, reason.startsWith("the agent changed protected files: guarded.cfg")]).toEqual(["rejected", true]);
    expect(place.read("guarded.cfg")).toBe("old\n");
  });

  test("T-40 T-41 in the person's own tree the work is judged alike, and their tree is clean afterwards", async () => {
    const place = await loopWorkspace({
      config: `${GATES}lanes: { inPlace: true }\nverify: { in: tree }\n${ONCE}`,
      files: FILES,
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(verdicts(run)).toEqual([["rejected", "gate format: it changes these files: done.txt"]]);
    expect([existsSync(join(place.folder, "done.txt")), place.git("status", "--porcelain")]).toEqual([false, ""]);
    const kept = place.git("for-each-ref", "--format=%(refname)", "refs/ralph").trim().split("\n");
    expect(kept.filter((ref) => place.git("ls-tree", "--name-only", ref).includes("done.txt"))).not.toEqual([]);
  });

  test("T-02 gates in the lane that write a date each time are told, and reject nothing", async () => {
    const place = await loopWorkspace({
      config: "gates:\n  - { id: test, run: 'date +%N > built.json; test -f done.txt' }\nverify: { in: tree }\n",
      files: { "built.json": "1\n" },
      script: script([WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toMatchObject({ code: 0, outcomes: ["verified"] });
    expect(place.git("show", "--name-only", "--format=", "HEAD").trim()).toBe("done.txt");
  });

  test("T-01 verify and task done refuse too, and leave the person's files alone", async () => {
    const place = await loopWorkspace({ config: GATES, files: { ...FILES, "done.txt": "done\n" }, script: "[]" });
    writeFileSync(join(place.folder, "a.txt"), "a  \n");
    const verified = await place.ralphctl("verify");
    expect([verified.code, verified.stdout + verified.stderr]).toEqual([
      1,
      expect.stringContaining("it changes these files: a.txt"),
    ]);
    const done = await place.task("done", place.ids[0]!);
    expect([done.code, done.stdout + done.stderr]).toEqual([
      1,
      expect.stringContaining("it changes these files: a.txt"),
    ]);
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("a  \n");
    place.git("commit", "-aqm", "Mine");
    expect((await place.ralphctl("verify", "--all")).code).toBe(1);
    place.git("commit", "--allow-empty", "-qm", "Later");
    const later = await place.ralphctl("verify", "--all");
    expect([later.code, later.stdout + later.stderr]).toEqual([0, expect.stringContaining("a.txt")]);
  });

  test("T-41 with verify.in: tree, verify names the files that gates changed, and passes the next time", async () => {
    const place = await loopWorkspace({
      config: `${GATES}verify: { in: tree }\n`,
      files: { ...FILES, "done.txt": "done\n" },
      script: "[]",
    });
    writeFileSync(join(place.folder, "a.txt"), "a  \n");
    const first = await place.ralphctl("verify");
    expect([first.code, first.stdout + first.stderr]).toEqual([
      1,
      expect.stringContaining("it changes these files: a.txt"),
    ]);
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("a\n");
    writeFileSync(join(place.folder, "b.txt"), "b\n");
    expect((await place.ralphctl("verify")).code).toBe(0);
  });

  test("T-30 a gate that is red once and green again on the same files is called flaky in the run and in gates", async () => {
    const gate = "test -f done.txt && { test -f {home}/.git/once || { touch {home}/.git/once; exit 1; }; }";
    const place = await loopWorkspace({
      config: `gates:\n  - { id: test, run: "${gate}", retries: 1 }\n`,
      script: script([WORK, sh("rm -f {home}/.git/once"), DONE]),
    });
    const run = await place.run();
    expect(notices(run)).toContain("Gate test is flaky: it failed and passed on the same files");
    expect((await place.ralphctl("gates")).stdout).toMatch(/Flaky +failed and passed on the same files, 1 time\n/);
    expect((await place.ralphctl("report")).stdout).toContain("Flaky gates: test (1 time)");
  });
});
