import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DONE, eventsOf, runWith, script, sh, type Step, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });
/** A colour, a window title, a cursor jump, one byte that begins a sequence, a bidi override. */
const EVIL = "\u001b[31mred\u001b]0;title\u0007\u001b[2J\u009b31m\u202egnp";
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const SECRET = "s3cr3t-value-that-nobody-may-see";

describe.concurrent("W-04 text that is not ours", () => {
  test("W-04 control sequences of agents, titles and gates do not reach a terminal", async () => {
    const place = await loopWorkspace({
      tasks: [],
      config: `gates: [{ id: test, run: ${JSON.stringify("printf '\\033[31mgate\\033]0;x\\007\\302\\233\\n'; test -f done.txt")} }]\n`,
      script: script(
        [
          { think: EVIL },
          { say: `Working ${EVIL}` },
          sh("printf '\\033[2Jtool'"),
          write(`f${EVIL}`),
          { say: `${EVIL}\n\n<task-done>{task}</task-done>` },
        ],
        [WORK, DONE],
      ),
    });
    const answers = [
      await place.ralphctl("task", "add", `Title ${EVIL}`),
      await place.ralphctl("run", "--verbose"),
      await place.ralphctl("task", "list"),
      await place.ralphctl("run", "--status"),
    ];
    const texts = answers.flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect(texts.filter((text) => CONTROL.test(text))).toEqual([]);
    expect([answers[1]!.stdout.includes("Working"), answers[1]!.stdout.includes("gate"), answers[1]!.code]).toEqual([
      true,
      true,
      0,
    ]);
  });

  test("W-04 secrets of the environment are redacted in --json, in events.ndjson and for a person", async () => {
    const place = await loopWorkspace({
      config: `gates: [{ id: test, run: 'echo "gate has $MY_API_KEY"; test -f done.txt' }]\n`,
      script: script(
        [write("a"), sh('echo "tool has $MY_API_KEY"'), { say: `I found ${SECRET}.\n\n<task-done>{task}</task-done>` }],
        [WORK, DONE],
      ),
    });
    const run = await runWith(place, { env: { MY_API_KEY: SECRET } });
    const name = eventsOf(run, "run.started")[0]!.run;
    const log = readFileSync(join(place.folder, ".ralph/runs", name, "events.ndjson"), "utf8");
    expect([run.code, run.outcomes, log === run.stdout]).toEqual([0, ["rejected", "verified"], true]);
    expect([log, run.stderr].filter((text) => text.includes(SECRET))).toEqual([]);
    expect([
      log.includes("tool has [MY_API_KEY]"),
      log.includes("gate has [MY_API_KEY]"),
      log.includes("I found [MY_API_KEY]"),
    ]).toEqual([true, true, true]);
  });
});
