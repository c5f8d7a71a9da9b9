import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "../hostile-run.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { clockBy } from "../wrong-clock.ts";

const WORKS = 'echo yes >done.txt; echo more >>work.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"';
const HARNESSES = { command: `run: ${JSON.stringify(`cat >/dev/null; ${WORKS}`)}` };

/** Which agent worked in each iteration, and what came of it. */
const turns = (run: LoopRun): string[] =>
  eventsOf(run, "iteration.started").map(({ harness }, at) => `${harness}: ${run.outcomes[at]}`);
const notices = (run: LoopRun): string[] => eventsOf(run, "run.notice").map(({ text }) => text);

const two = async (script: string, tasks = ["One"]) =>
  await loopWorkspace({ script, tasks, harness: "[scripted, command]", harnesses: HARNESSES });

test.concurrent.each([
  [
    "{ kind: limit, limit: five_hour, resetsInMs: 3600000, message: Later }",
    "limited",
    /for (1h|59m\d+s) \(Later\); command/,
  ],
  ["{ kind: api-error, status: 529, error: overloaded, message: Busy }", "outage", /for 1s \(Busy\); command/],
  ["login", "login", /for the rest of the run \(.*\); command/],
  ["{ kind: crashed, code: 1 }", "crashed", /for (1m|59s) \(.*\); command/],
])("P-43 P-20 after %s the next agent of the list takes over at once", async (end, outcome, span) => {
  const place = await two(`- - end: ${end}\n`);
  const run = await place.run();
  expect([run.code, turns(run)]).toEqual([0, [`scripted: ${outcome}`, "command: verified"]]);
  expect(notices(run).filter((text) => text.includes("takes over"))).toEqual([expect.stringMatching(span)]);
  expect(eventsOf(run, "run.waiting")).toEqual([]);
});

test.concurrent("P-43 the first agent of the list is preferred again when its limit is over", async () => {
  const limit = "- - end: { kind: limit, limit: five_hour, resetsInMs: 1, message: Later }\n";
  const place = await two(`${limit}- - write: { path: done.txt, text: x }\n  - say: <task-done>{task}</task-done>\n`);
  const run = await place.run();
  expect([run.code, turns(run)]).toEqual([0, ["scripted: limited", "scripted: verified"]]);
});

test.concurrent.each([
  // An hour later is not when its limit of half an hour is over; an hour earlier it is over all the same.
  ["forward", 3_600_000, 1_800_000, "command: verified"],
  ["back", -3_600_000, 1000, "scripted: verified"],
])(
  "P-43 a clock that jumps %s changes nothing about when an agent is preferred again",
  async (_, byMs, forMs, whose) => {
    const clock = join(temporaryFolder(), "clock");
    const works = `cat >/dev/null; sleep 1.1; touch ${clock}; ${WORKS}`;
    const place = await loopWorkspace({
      script: `- - end: { kind: limit, limit: five_hour, resetsInMs: ${forMs}, message: Later }\n- - run: echo more >>done.txt\n  - say: <task-done>{task}</task-done>\n`,
      tasks: ["One", "Two"],
      harness: "[scripted, command]",
      harnesses: { command: `run: ${JSON.stringify(works)}` },
      env: clockBy(clock, byMs),
    });
    const run = await place.run();
    expect([run.code, turns(run)[0], turns(run).at(-1)]).toEqual([0, "scripted: limited", whose]);
  },
);

test.concurrent("X-77 a login that every agent of the list is refused ends the run", async () => {
  const place = await loopWorkspace({ script: "- - end: login\n", harness: "[scripted]" });
  const run = await place.run();
  expect([run.code, turns(run)]).toEqual([77, ["scripted: login"]]);
});

test.concurrent("P-43 an unpaid bill is nothing that waiting ends", async () => {
  const place = await loopWorkspace({ script: "- - end: { kind: limit, limit: billing, message: Pay first }\n" });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([77, ["limited"]]);
  expect(run.finished).toMatchObject({
    reason: "The account has run out of credit: Pay first",
    help: ["Add credit to the account that the harness scripted uses, or choose another harness"],
  });
});

const LONG = `- - end: { kind: context-too-long, message: Too long }\n`;

test.concurrent("P-20 a session that is too long for the model is tried once more, shorter, and not counted", async () => {
  const place = await loopWorkspace({
    config: `gates: [{ id: test, run: 'seq 1 20000; test -f done.txt' }]\n`,
    script: `- - write: { path: a.txt, text: a }\n  - say: <task-done>{task}</task-done>\n${LONG}- - write: { path: done.txt, text: x }\n  - say: <task-done>{task}</task-done>\n`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([0, ["rejected", "overflow", "verified"]]);
  const failure = (n: number): number => /## Validation Failure[^]*?(?=\n## |$)/.exec(run.prompt(n))?.[0].length ?? 0;
  expect([failure(2) > 3000, failure(3) > 500, failure(3) < 3000]).toEqual([true, true, true]);
  expect(run.prompt(3)).toContain("outgrew the model's context");
});

test.concurrent("P-20 a second overflow is an attempt, and the next session is told", async () => {
  const place = await loopWorkspace({ script: `${LONG}${LONG}- - say: Nothing.\n` });
  const run = await place.run("--max-iterations", "2");
  expect([run.code, run.outcomes]).toEqual([4, ["overflow", "crashed", "idle"]]);
  expect(await place.task("list", "--json")).toMatchObject({ stdout: expect.stringContaining('"attempts":2') });
  expect(run.prompt(3)).toContain("## Harness failure in the last iteration");
});

test.concurrent("P-42 X-4 an agent that spends more than the run may cost is stopped while it works", async () => {
  const place = await loopWorkspace({
    script: `- - write: { path: half.txt, text: half }\n  - cost: 0.6\n  - cost: 0.6\n  - delayMs: 600000\n`,
  });
  const run = await place.run("--max-cost", "1");
  expect([run.code, run.outcomes, run.finished?.limit]).toEqual([4, ["stopped"], "cost"]);
  expect(eventsOf(run, "session.stopped").map(({ why }) => why)).toEqual(["It reached the budget of the run"]);
  expect(place.git("show", `refs/ralph/work/${place.ids[0]}:half.txt`)).toBe("half");
});
