import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DONE, eventsOf, runWith, script, sh, type Step, WORK } from "../hostile-run.ts";
import { PROGRAM } from "../built-program.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";

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

  test("W-04 nor do they by any command about tasks, verify, the summary or the status, whatever a task, a reason or a question says", async () => {
    const place = await loopWorkspace({
      tasks: [],
      config: `gates: [{ id: test, run: ${JSON.stringify("printf '\\033[31mgate\\302\\233\\n'; exit 1")} }]\nlimits: { attempts: 1 }\n`,
      files: { "IMPLEMENTATION_PLAN.md": `- [ ] Planned ${EVIL}\n` },
      script: JSON.stringify([
        { when: { title: "Ask*" }, steps: [sh(`ralphctl task park $RALPHCTL_TASK "Why ${EVIL}?"`), { say: EVIL }] },
        { when: { title: "Fail*" }, steps: [{ say: `Because ${EVIL}.\n\n<task-failed>{task}</task-failed>` }] },
        { steps: [write(`f${EVIL}`), DONE] },
      ]),
    });
    const add = async (...args: string[]): Promise<string> =>
      (await place.ralphctl("task", "add", ...args)).stdout.trim();
    const ask = await add(`Ask ${EVIL}`, "--description", EVIL, "--tag", "x", "--acceptance", `It is ${EVIL}`);
    const fail = await add(`Fail ${EVIL}`, "--needs", ask);
    const other = await add(`Fail too ${EVIL}`);
    const answers = [
      await place.ralphctl("run"),
      await place.ralphctl("run", "--status"),
      await place.ralphctl("verify", other),
      await place.ralphctl("verify", "--validation-command", `printf '\\033[2J'; : ${EVIL}`),
      await place.ralphctl("task", "done", other),
      ...(await Promise.all(
        [
          ["list"],
          ["ready"],
          ["tree"],
          ["graph"],
          ["show", ask],
          ["show", other],
          ["log", other],
          ["dep", "list", fail],
          ["answer", ask, EVIL],
          ["edit", ask, "--title", `New ${EVIL}`],
          ["drop", fail],
          ["reset", other],
          ["park", other, EVIL],
          ["rm", EVIL],
          ["show", EVIL],
        ].map(async (words) => await place.ralphctl("task", ...words)),
      )),
      await place.ralphctl("context", "add", EVIL),
      await place.ralphctl("doctor"),
      await place.ralphctl("run", "--harness", EVIL),
      await place.ralphctl("run", "--task", EVIL),
      await place.ralphctl("run", "--project", EVIL),
      await place.ralphctl("run", "--file", EVIL),
    ];
    const texts = answers.flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect(texts.filter((text) => CONTROL.test(text))).toEqual([]);
    // All of it was shown, only without what steers a terminal.
    const [run, status] = answers;
    expect([run!.code, run!.stdout.includes("Why "), run!.stdout.includes("Because "), status!.code]).toEqual([
      2,
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

test.runIf(hasTerminals)(
  "W-04 data that is looked at in a terminal cannot steer it; in a pipe it is as it is",
  async () => {
    const place = await loopWorkspace({ tasks: [`Title ${EVIL}`], script: script([WORK, DONE]) });
    await place.ralphctl("context", "add", EVIL);
    const commands = [
      ["context", "show"],
      ["prompt", "build"],
      ["prompt", "--json"],
      ["task", "export"],
      ["task", "list", "--json"],
    ];
    for (const words of commands) {
      const shown = startAtTerminal([process.execPath, PROGRAM, ...words], place.folder);
      expect(await shown.ended).toBe(0);
      // A terminal itself adds carriage returns.
      const output = shown.output().replaceAll("\r\n", "\n");
      expect([words, CONTROL.test(output), output.includes("red")]).toEqual([words, false, true]);
    }
    expect((await place.ralphctl("context", "show")).stdout).toBe(`${EVIL}\n`);
  },
);
