import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DONE, eventsOf, script, seen, sh, type Step, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };
const say = (text: string): Step => ({ say: text });

test.concurrent("P-12 S002-01 --completion-promise: the agent is told this word, and no other is a claim", async () => {
  const place = await loopWorkspace({
    script: script([WORK, say("<promise>COMPLETE</promise>")], [say("<promise>SHIP IT</promise>")]),
  });
  const run = await place.run("--completion-promise", "SHIP IT");
  expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["unfinished", "verified"] });
  const { folder } = eventsOf(run, "iteration.started")[0]!;
  const text = run.prompt(1) + place.read(`${folder}/system.md`);
  expect([text.includes("<promise>SHIP IT</promise>"), text.includes("COMPLETE</promise>")]).toEqual([true, false]);
});

test.concurrent("D-14 X-65 --preamble-template is what the prompt is made by; one without a place for the task is refused", async () => {
  const place = await loopWorkspace({
    files: { "preamble.md": "MY OWN PREAMBLE {iteration}\n\n{task}\n" },
    script: script([WORK, DONE]),
  });
  const run = await place.run("--preamble-template", "preamble.md");
  expect(await seen(place, run)).toEqual(VERIFIED);
  expect([run.prompt(1).startsWith("MY OWN PREAMBLE 1\n\n"), run.prompt(1).includes("# Ralph Wiggum Loop")]).toEqual([
    true,
    false,
  ]);
  place.write({ "preamble.md": "No place for the task\n" });
  place.git("commit", "--quiet", "--all", "--message", "Break it");
  const broken = await place.run("More", "--preamble-template", "preamble.md");
  expect([broken.code, broken.stdout]).toEqual([65, ""]);
});

test.concurrent("P-20 --timeout is the longest silence of an agent", async () => {
  const place = await loopWorkspace({ script: script([WORK, { hang: true }], [DONE]) });
  const run = await place.run("--timeout", "3s");
  expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["timed-out", "verified"] });
});

test.concurrent("cfg-R2 --config is read before the workspace's file, and a flag before both", async () => {
  const place = await loopWorkspace({
    script: script([say("Nothing.")]),
    config: "limits: { iterations: 3 }\ngates: []\n",
  });
  const other = temporaryFolder({ "other.yaml": "limits: { iterations: 2, noProgress: 9, attempts: 9 }\n" });
  const runs = [
    await place.run("--config", `${other}/other.yaml`),
    await place.run("--config", `${other}/other.yaml`, "--max-iterations", "1"),
  ];
  expect(runs.map(({ code, outcomes }) => [code, outcomes])).toEqual([
    [4, ["idle", "idle"]],
    [4, ["idle"]],
  ]);
});

test.concurrent("--plain, --quiet and --verbose say less or more of the same run, each line with its time or alone", async () => {
  const told: string[] = [];
  for (const flag of ["--plain", "--quiet", "--verbose"]) {
    const place = await loopWorkspace({ script: script([{ think: "Hmm" }, WORK, say("My words"), DONE]) });
    const { code, stdout, stderr } = await place.ralphctl("run", flag);
    expect([code, stderr, stdout.includes("Complete and verified: ")]).toEqual([0, "", true]);
    told.push(stdout);
  }
  expect(told.map((text) => [text.includes("Hmm"), text.includes("My words"), text.includes("erified")])).toEqual([
    [false, true, true],
    [false, false, true],
    [true, true, true],
  ]);
});

test.concurrent("W-01 P-13 inside a session its channels work: list, show, ready, tree, log, add, context show, prompt", async () => {
  const commands = [
    "task list",
    "task list --json",
    "task show $RALPHCTL_TASK",
    "task ready",
    "task tree",
    "task log $RALPHCTL_TASK",
    "task log $RALPHCTL_TASK --add half-way",
    "task add More",
    "context show",
    "prompt",
  ];
  const refused = [
    "task graph",
    "task export",
    "config get",
    "verify",
    "init",
    "doctor",
    "step",
    "demo",
    "pause",
    "resume",
    "context add x",
  ];
  const call = (words: string): string =>
    `ralphctl ${words} > out.tmp 2>&1; echo "$? ${words.replaceAll("$", "")}" >> codes.txt; rm -f out.tmp`;
  const place = await loopWorkspace({
    script: script([...[...commands, ...refused].map((words) => sh(call(words))), say("I looked around.")]),
  });
  const run = await place.run("--max-iterations", "1");
  expect([run.code, run.outcomes, await place.states()]).toEqual([
    4,
    ["unfinished"],
    { "Do it": "pending", More: "pending" },
  ]);
  const plain = (words: string): string => words.replaceAll("$", "");
  expect(place.git("show", `refs/ralph/work/${place.ids[0]}:codes.txt`).split("\n")).toEqual([
    ...commands.map((words) => `0 ${plain(words)}`),
    ...refused.map((words) => `64 ${plain(words)}`),
  ]);
  expect(existsSync(join(place.folder, ".ralph/context/workspace.md"))).toBe(false);
});

test.concurrent("P-14 bytes that are no UTF-8, a long line and half a line do no harm to a run", async () => {
  const place = await loopWorkspace({
    script: script([
      WORK,
      { raw: { base64: Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xc3, 0x0a]).toString("base64") } },
      { raw: `${"x".repeat(3_000_000)}\n` },
      DONE,
      { end: "done" },
      { raw: '{"say": "half' },
    ]),
  });
  const run = await place.run();
  expect([await seen(place, run), leftOver(run.stdout)]).toEqual([VERIFIED, []]);
});

/** Lines that are no events. */
const leftOver = (stdout: string): string[] =>
  stdout.split("\n").filter((line) => line !== "" && !line.startsWith('{"v":1,'));
