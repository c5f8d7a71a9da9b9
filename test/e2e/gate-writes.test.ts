import { describe, expect, test } from "vitest";
import { DONE, eventsOf, script, seen, sh, type Step, verdicts } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text: string): Step => ({ write: { path, text } });
/** A linter that fixes: it takes spaces off the ends of lines, and exits with 0. */
const FORMAT = "sed -i 's/ *$//' *.txt";
const GATES = `gates:\n  - { id: test, run: test -f done.txt }\n  - { id: format, run: "${FORMAT}" }\n`;

describe.concurrent("T-01 a gate that changes files of the tree", () => {
  test("T-01 a formatter that fixes has not passed: the session is told the diff, and the fixed work lands", async () => {
    const place = await loopWorkspace({
      config: GATES,
      files: { "a.txt": "a\n" },
      script: script([sh(`test -f done.txt && ${FORMAT} || { echo done > done.txt; echo 'b  ' > b.txt; }`), DONE]),
    });
    const run = await place.run();
    expect(verdicts(run)).toEqual([
      ["rejected", "gate format: it changes these files: b.txt"],
      ["accepted", "proven: test failed before the work"],
    ]);
    expect(run.prompt(2)).toContain("Run it, look at its changes and keep them");
    expect(run.prompt(2)).toContain("-b  \n+b\n");
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["rejected", "verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    expect([place.read("b.txt"), place.git("status", "--porcelain")]).toEqual(["b\n", ""]);
  });

  test("T-01 with verify.applyFixes the fix becomes part of the work, and all gates run on it", async () => {
    const place = await loopWorkspace({
      config: `${GATES}verify: { applyFixes: true }\n`,
      files: { "a.txt": "a\n" },
      script: script([write("done.txt", "done  \n"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toMatchObject({ code: 0, outcomes: ["verified"], states: { "Do it": "done" } });
    expect([place.read("done.txt"), place.git("status", "--porcelain")]).toEqual(["done\n", ""]);
  });

  test("T-01 files that gates change on the base as well are named, and reject nothing", async () => {
    const place = await loopWorkspace({
      config:
        "gates:\n  - { id: test, run: 'test -f done.txt; r=$?; date +%N > built.json; echo x > log-$$.xml; exit $r' }\n",
      files: { "built.json": "1\n" },
      script: script([write("done.txt", "done\n"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toMatchObject({ code: 0, outcomes: ["verified"], commits: ["Do it"] });
    const notices = eventsOf(run, "run.notice").map(({ text }) => text);
    expect(
      notices.filter((text) => text.startsWith("Gates change these files, without the work as well: built.json")),
    ).not.toEqual([]);
    expect(place.git("show", "--name-only", "--format=", "HEAD").trim()).toBe("done.txt");
  });
});
