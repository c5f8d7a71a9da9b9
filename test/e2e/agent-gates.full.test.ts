import { describe, expect, test } from "vitest";
import { DONE, script, sh, type Step, verdicts, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { awaitPerson, meanwhile } from "../person-meanwhile.ts";
import { typed } from "../recording-io.ts";
import { commitAll } from "../temporary-folder.ts";

const write = (path: string, text: string): Step => ({ write: { path, text } });
const packageJson = (test: string): string => JSON.stringify({ name: "x", scripts: { test } });
/** One session for each run: a script begins anew with every run. */
const inTurn = (...commands: readonly string[]): string =>
  script([
    sh(
      `n=$(cat "$HOME/.git/turn" 2>/dev/null || echo 0); echo $((n + 1)) >"$HOME/.git/turn"; case $n in ${commands
        .map((command, index) => `${index}) ${command} ;;`)
        .join(" ")} esac`,
    ),
    DONE,
  ]);
const make = (recipe: string): string => String.raw`printf 'check:\n\t${recipe}\n' >Makefile`;
const LOOK = "look: only checks that an agent wrote have passed";
/** Which of the two, depends on the gates before the work. */
const ENOUGH = expect.stringMatching(/^(?:unbroken|proven): /);

describe.concurrent("T-12 checks that an agent wrote", () => {
  test("T-12 verify nothing in later runs, until a person approves them", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\n",
      tasks: ["One"],
      script: inTurn(
        `echo '${packageJson("exit 0")}' >package.json`,
        "touch two.txt",
        // No agent needs leave to change a check of an agent, and it is an agent's still.
        `touch done.txt; echo '${packageJson("test -f done.txt")}' >package.json`,
        "touch four.txt",
      ),
    });
    const next = async (title: string) => {
      await place.task("add", title);
      const run = await place.run();
      return [run.code, ...verdicts(run).map(([kind, why]) => [kind, why])];
    };
    const person = (...args: readonly string[]) => typed(args, { cwd: place.folder });
    expect((await place.run()).code).toBe(5);
    expect(await next("Two")).toEqual([5, ["accepted", LOOK]]);
    expect(await person("verify")).toMatchObject({
      code: 78,
      stderr:
        "error: No gates (test: written by an agent, and not approved)\nhint: Look at them, then run ralphctl gates approve\n",
    });
    expect(await person("verify", "--all")).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("No gates (test: written by an agent, and not approved)"),
    });
    const alone = (await person("doctor")).stdout;
    expect(alone).toContain("No gates (test: written by an agent, and not approved)");
    const all = await person("verify", "--all", "--validation-command", "true", "--json");
    expect([all.code, (JSON.parse(all.stdout) as { notices: unknown }).notices]).toEqual([
      0,
      ["Gate test is written by an agent, and not approved"],
    ]);
    expect(await next("Three")).toEqual([5, ["accepted", LOOK]]);
    expect(await person("gates", "approve", "lint")).toMatchObject({ code: 64 });
    expect(await person("gates", "approve")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Approved test: CI=1 npm run test, written in t-\w+\n$/),
    });
    expect(await person("gates", "approve")).toMatchObject({ code: 0, stdout: "No gate waits for approval\n" });
    expect((await person("verify")).code).toBe(0);
    expect(await next("Four")).toEqual([0, ["accepted", ENOUGH]]);
  });

  test("T-12 are a person's once the person has edited them, and then protected", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\nlimits: { attempts: 1 }\n",
      tasks: ["One"],
      script: inTurn(make("true"), "touch done.txt", make("true")),
    });
    await place.run();
    place.write({ Makefile: "check:\n\ttest -f done.txt\n" });
    commitAll(place.folder, "Check for real");
    await place.task("add", "Two");
    expect(verdicts(await place.run())).toEqual([["accepted", ENOUGH]]);
    await place.task("add", "Three");
    expect(verdicts(await place.run())).toEqual([
      ["parked", expect.stringMatching(/^May it change how proof is done\? It changed Makefile /)],
    ]);
  });

  test("T-12 a check that a person adds during a run is the person's", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\n",
      tasks: ["One", "Two"],
      script: script([sh(awaitPerson("gate")), write("one.txt", "1"), DONE], [WORK, DONE]),
    });
    const [run] = await Promise.all([
      place.run(),
      meanwhile(place.folder, "gate", async () => {
        place.write({ "package.json": packageJson("true") });
        commitAll(place.folder, "Add a check");
      }),
    ]);
    expect(verdicts(run)).toEqual([
      ["accepted", "look: no check has run"],
      ["accepted", ENOUGH],
    ]);
  });
});
