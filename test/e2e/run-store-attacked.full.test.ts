import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shellWord } from "../../src/domain/shell-word.ts";
import { DONE, eventsOf, notes, notices, script, scriptFor, seen, sh, type Step, WORK } from "../hostile-run.ts";
import { type LoopRun, loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";

const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

const write = (path: string): Step => ({ write: { path, text: "" } });

/** How many events are on disk. */
const eventLines = (place: LoopWorkspace, run: LoopRun): number =>
  place
    .read(`.ralph/runs/${eventsOf(run, "run.started")[0]!.run}/events.ndjson`)
    .trimEnd()
    .split("\n").length;

/** Removes what keeps others from writing into the database. */
const UNLOCKED = "DROP TRIGGER task_update;";

/** Writes into the database as an agent would that knows SQL; goes on if that is refused. */
function sql(statement: string): Step {
  const driver = join(process.cwd(), "node_modules/@photostructure/sqlite");
  const program =
    "const [, driver, text] = process.argv; new (require(driver).DatabaseSync)(process.env.HOME + '/.ralph/ralph.db').exec(text)";
  return sh(`${[process.execPath, "-e", program, driver, statement].map(shellWord).join(" ")} 2> sql.err || true`);
}

describe.concurrent("W-03 state survives the agent", () => {
  test("W-03 the database is deleted and written back from the open handle", async () => {
    const place = await loopWorkspace({ script: script([sh("rm -f $HOME/.ralph/ralph.db*"), WORK, DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(notices(run).slice(1)).toEqual([
      "The task database was deleted during the session; ralphctl restored it from the open file",
    ]);
  });

  test("W-03 W-02 the database is overwritten with noise: the copy is put back, done is still done, and T-15 names lost verdicts", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script(
        [WORK, DONE],
        [
          sh("cd $HOME; head -c 100000 /dev/urandom > .ralph/x.tmp && cat .ralph/x.tmp > .ralph/ralph.db"),
          write("b"),
          DONE,
        ],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 5,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(notices(run).slice(1)).toEqual([
      "The task database was damaged during the session; ralphctl restored it from its backup",
    ]);
  });

  test("W-03 L-07 `.ralph/` of the lane is deleted: the claim is rejected for the configuration, and git can restore it", async () => {
    const place = await loopWorkspace({
      script: script([sh("rm -rf .ralph"), WORK, DONE], [sh("git checkout .ralph"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["rejected", "verified"] });
    expect(eventLines(place, run)).toBe(run.events.length);
  });

  test("W-03 `git clean -fdx` takes nothing away", async () => {
    const place = await loopWorkspace({ script: script([sh("git clean -fdxq"), WORK, DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(eventLines(place, run)).toBe(run.events.length);
  });

  test("W-03 P-33 all of `.ralph/` is committed by force: a failed task takes none of it away", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1 }\n",
      script: script([write("a"), sh("git add -Af . && git commit -qm 'All of it'"), DONE], [WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["rejected", "verified"],
      states: { One: "failed", Two: "done" },
      commits: ["Two"],
    });
    expect(run.prompt(1)).toContain("One");
    expect([place.git("show", "--name-only", "--format=", "HEAD"), place.git("status", "--porcelain")]).toEqual([
      "done.txt",
      "",
    ]);
  });

  test("W-03 P-32 without `.ralph/.gitignore`, and with everything committed by force, what ralphctl keeps is in no commit of ours", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script(
        [{ delete: ".ralph/.gitignore" }, WORK, DONE],
        [write("b"), sh("git add -Af . && git commit -qm 'All of it'"), DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "All of it"],
    });
    const files = ["HEAD~1", "HEAD"].map((commit) => place.git("show", "--name-only", "--format=", commit).split("\n"));
    expect(files).toEqual([[".ralph/.gitignore", "done.txt"], ["b"]]);
  });

  test("W-03 at the start of a run a copy is made in the git directory, with all tasks of that moment", async () => {
    const place = await loopWorkspace({ tasks: ["One", "Two", "Three"], script: script([sh("exit 0")]) });
    await place.run("--max-iterations", "1");
    place.git("clean", "-fdxq");
    expect(existsSync(join(place.folder, ".ralph/ralph.db"))).toBe(false);
    const list = await place.ralphctl("task", "list");
    expect(list.stderr).toMatch(
      /^warning: The tasks were gone and have been restored from .*\/\.git\/ralph\/copy\.db, as they were at /,
    );
    expect(await place.states()).toEqual({ One: "pending", Two: "pending", Three: "pending" });
  });

  test.each([
    ["eleven", ["More", "One"]],
    ["nine", ["One"]],
  ])(
    "W-03 a copy that is %s minutes old when an iteration ends: a run renews it after ten",
    async (minutes, titles) => {
      const age = minutes === "nine" ? 9 : 11;
      const place = await loopWorkspace({
        tasks: ["One"],
        script: script([
          sh("ralphctl task add More"),
          sh(
            `${shellWord(process.execPath)} -e "const t = Date.now() / 1000 - ${age * 60}; require('fs').utimesSync(process.env.HOME + '/.git/ralph/copy.db', t, t)"`,
          ),
        ]),
      });
      await place.run("--max-iterations", "1");
      expect(Object.keys(await place.states()).sort()).toEqual(["More", "One"]);
      place.git("clean", "-fdxq");
      await place.ralphctl("task", "list");
      expect(Object.keys(await place.states()).sort()).toEqual(titles);
    },
  );
});

describe.concurrent("W-02 what does not come through a channel is undone", () => {
  test("W-02 an agent that writes SQL is refused, and nothing has changed", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script(
        [sql("UPDATE task SET status = 'done', own = 'done'"), WORK, DONE],
        [sh("rm sql.err"), write("two.txt"), DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(place.git("show", "HEAD~1:sql.err")).toContain("no such function: only_ralphctl_may_write");
    expect(notes(run)).toEqual([]);
  });

  test("W-02 states, gates and limits that SQL changed in spite of it are put back, recorded and told", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script(
        [
          sql(`${UNLOCKED} UPDATE task SET status = 'done', own = 'done', attempt_limit = 99`),
          sh("rm sql.err"),
          { say: "All is done." },
        ],
        [sql("UPDATE task SET own = 'failed'"), WORK, DONE],
        [sh("rm sql.err"), write("two.txt"), DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["idle", "verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(notes(run)).toEqual(
      place.ids.map((id) => `${id} was changed without ralphctl (state, attempt limit); the change was undone`),
    );
    expect(run.prompt(2)).toContain("without ralphctl (state, attempt limit); the change was undone");
    // And the next session is refused again.
    expect(place.git("show", "HEAD~1:sql.err")).toContain("no such function: only_ralphctl_may_write");
  });
});

describe.concurrent("W-01 X-64 commands from inside a session", () => {
  test("W-01 X-64 all that is not a channel is refused, and nothing has changed", async () => {
    const commands = [
      "run",
      "run plan",
      "task edit $RALPHCTL_TASK --title Other",
      "task reset $RALPHCTL_TASK",
      "task rm $RALPHCTL_TASK",
      "task drop $RALPHCTL_TASK",
      "task answer $RALPHCTL_TASK yes",
      "config get",
      "init",
      "stop",
      "pause",
      "doctor",
      "demo",
      "context add more",
    ];
    const lines = commands.map((command) => `ralphctl ${command} >/dev/null 2>&1; echo "$? '${command}'" >> codes.txt`);
    const place = await loopWorkspace({ script: script([sh(lines.join("\n")), WORK, DONE]) });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(place.read("codes.txt").trimEnd().split("\n")).toEqual(
      commands.map((command) => `64 '${command.replace("$RALPHCTL_TASK", place.ids[0]!)}'`),
    );
    expect(eventsOf(run, "run.started").length).toBe(1);
  });

  test("W-01 P-13 another task than the assigned one cannot be claimed by a command", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: scriptFor({
        One: [
          sh(
            "ralphctl task done $(ralphctl task list --json | tr ',{' '\\n\\n' | grep -o 't-[a-z0-9]*' | grep -v $RALPHCTL_TASK | head -1) > out.txt 2>&1; echo $? >> out.txt",
          ),
          WORK,
          DONE,
        ],
        Two: [sh("ralphctl task done $RALPHCTL_TASK That is it"), { write: { path: "two.txt", text: "" } }],
      }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(place.read("out.txt")).toMatch(/64\n$/);
    expect(eventsOf(run, "claim.made").map(({ claim, channel }) => [claim, channel])).toEqual([
      ["done", "message"],
      ["done", "command"],
    ]);
  });
});
