import { expect, test } from "vitest";
import { processesOf } from "../live-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { eventsOf } from "../run-seen.ts";

/** What a run came to, for all who look. */
async function seen(place: LoopWorkspace, run: LoopRun) {
  const { stdout } = await place.ralphctl("task", "list", "--json");
  const list = JSON.parse(stdout) as { title: string; status: string; attempts: number }[];
  return {
    code: run.code,
    ending: run.finished?.ending,
    limit: run.finished?.limit,
    outcomes: run.outcomes,
    tasks: list.map(({ title, status, attempts }) => `${title}: ${status} ${attempts}`),
    commits: place.commits(),
    processes: processesOf(place.folder),
  };
}

const LIES = "- - write: { path: try.txt, text: '{iteration}' }\n  - say: <task-done>{task}</task-done>\n";
const GOES_ON = "- - append: { path: work.txt, text: 'more\\n' }\n  - say: To be continued.\n";
/** So long that the session is what reaches the limit of time, and not the way to it on a busy machine. */
const SLOW_S = 6;
const works = (limit: string): string => `
- - append: { path: work.txt, text: "more\\n" }
  - delayMs: ${limit === "time" ? 600_000 : 1}
  - usage: { input: 600, output: 400 }
  - cost: 0.5
  - say: To be continued.
- - append: { path: work.txt, text: "more\\n" }
  - usage: { input: 600, output: 400 }
  - cost: 0.5
  - delayMs: 600000
`;

const AT_LIMIT = {
  code: 4,
  ending: "limit",
  limit: "iterations",
  tasks: ["Do it: pending 0"],
  commits: [],
  processes: [],
};

test.concurrent("D-08 P-42 X-4 a limit of two iterations runs two; the next run counts anew, attempts carry over", async () => {
  const place = await loopWorkspace({ script: LIES });
  const first = await seen(place, await place.run("--max-iterations", "2"));
  expect(first).toEqual({ ...AT_LIMIT, outcomes: ["rejected", "rejected"], tasks: ["Do it: pending 2"] });
  const second = await place.run("--max-iterations", "2");
  expect(await seen(place, second)).toEqual({
    ...AT_LIMIT,
    code: 1,
    ending: "failure",
    limit: undefined,
    outcomes: ["rejected"],
    tasks: ["Do it: failed 3"],
  });
  // What was rejected in the first run is told in the second (P-41).
  expect(second.prompt(1)).toContain("## Earlier attempts");
});

test.concurrent.each([
  [["--max-cost", "1"], "cost", 2],
  [["--max-tokens", "1500"], "tokens", 2],
  [["--max-time", `${SLOW_S}s`], "time", 1],
] as const)("L-40 X-4 P-42 %j ends the run in the session that reaches it", async (flags, limit, sessions) => {
  const place = await loopWorkspace({ script: works(limit) });
  // What a session spends is known while it runs: the one that spends too much is stopped.
  const outcomes = Array.from({ length: sessions }, (_, at) => (at === sessions - 1 ? "stopped" : "unfinished"));
  expect(await seen(place, await place.run(...flags))).toEqual({ ...AT_LIMIT, limit, outcomes });
  // Each run counts anew, which takes long to see of the time.
  if (limit !== "time") expect(await seen(place, await place.run(...flags))).toEqual({ ...AT_LIMIT, limit, outcomes });
});

test.concurrent("P-20 sessions without a claim that change something do not count, up to ten for one task", async () => {
  const place = await loopWorkspace({ script: GOES_ON });
  const first = await seen(place, await place.run("--max-iterations", "6"));
  expect(first).toEqual({ ...AT_LIMIT, outcomes: Array.from({ length: 6 }, () => "unfinished") });
  const second = await seen(place, await place.run());
  expect(second).toEqual({
    ...AT_LIMIT,
    code: 1,
    ending: "failure",
    limit: undefined,
    outcomes: Array.from({ length: 4 }, () => "unfinished"),
    tasks: ["Do it: failed 0"],
  });
});

const limited = (ms: number): string => `
- - write: { path: half.txt, text: "half\\n" }
  - end: { kind: limit, limit: five_hour, resetsInMs: ${ms}, message: Come back later }
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

const COMPLETE = {
  ...AT_LIMIT,
  code: 0,
  ending: "complete",
  limit: undefined,
  tasks: ["Do it: done 0"],
  commits: ["Do it"],
};

test.concurrent("P-43 P-20 D-08 a usage limit is waited for, counts for nothing, and the same task goes on", async () => {
  const place = await loopWorkspace({ script: limited(4000) });
  const run = await place.run("--max-iterations", "1");
  expect(await seen(place, run)).toEqual({ ...COMPLETE, outcomes: ["limited", "verified"] });
  const waits = run.events.filter(({ type }) => type === "run.waiting" || type === "run.resumed");
  expect(waits).toMatchObject([{ type: "run.waiting", for: "limit" }, { type: "run.resumed" }]);
  const [waiting, resumed] = waits as unknown as { at: string; untilMs: number }[];
  expect(Date.parse(resumed!.at)).toBeGreaterThanOrEqual(waiting!.untilMs);
});

test.concurrent("P-42 P-43 X-4 a usage limit that ends later than the run may last ends the run at once", async () => {
  const place = await loopWorkspace({ script: limited(3_600_000) });
  const run = await place.run("--max-time", "30m");
  expect(await seen(place, run)).toEqual({ ...AT_LIMIT, limit: "time", outcomes: ["limited"] });
  expect(run.finished?.reason).toBe("The usage limit resets later than the run may last: Come back later");
});

test.concurrent("P-43 X-4 a usage limit that ends later than the run may wait ends the run", async () => {
  const place = await loopWorkspace({ script: limited(3_600_000) });
  const run = await place.run("--max-wait", "1m");
  expect(await seen(place, run)).toEqual({ ...AT_LIMIT, limit: "wait", outcomes: ["limited"] });
});

const OUTAGE = "- - end: { kind: api-error, status: 529, error: overloaded, message: Too many }\n";

test.concurrent("P-20 an outage is waited out, counts for nothing, and the run goes on", async () => {
  const place = await loopWorkspace({
    script: `${OUTAGE}- - write: { path: done.txt, text: "yes\\n" }\n  - say: <task-done>{task}</task-done>\n`,
  });
  const run = await place.run("--max-iterations", "1");
  expect(await seen(place, run)).toEqual({ ...COMPLETE, outcomes: ["outage", "verified"] });
  expect(run.events.find(({ type }) => type === "run.waiting")).toMatchObject({ for: "outage" });
});

test.concurrent("X-1 as many outages in a row as --error-threshold says end the run; the task is untouched", async () => {
  const place = await loopWorkspace({ script: OUTAGE });
  const run = await place.run("--error-threshold", "2");
  expect(await seen(place, run)).toEqual({
    ...AT_LIMIT,
    code: 1,
    ending: "failure",
    limit: undefined,
    outcomes: ["outage", "outage"],
  });
});

test.concurrent("X-77 P-20 a refused login ends the run at once; the task is untouched", async () => {
  const place = await loopWorkspace({ script: "- - end: login\n" });
  expect(await seen(place, await place.run())).toEqual({
    ...AT_LIMIT,
    code: 77,
    ending: "login",
    limit: undefined,
    outcomes: ["login"],
  });
});

test.concurrent.each([
  ["turn-limit", ["idle"], "Do it: pending 1"],
  ["refused", ["idle"], "Do it: pending 1"],
  ["aborted", ["crashed"], "Do it: pending 1"],
])("P-20 a session that ends with %s counts as an attempt, and the next is told", async (end, outcomes, task) => {
  const place = await loopWorkspace({ script: `- - end: ${end}\n- - say: Nothing.\n` });
  expect(await seen(place, await place.run("--max-iterations", "1"))).toEqual({ ...AT_LIMIT, outcomes, tasks: [task] });
  const next = await place.run("--max-iterations", "1");
  expect(next.prompt(1)).toContain("## Harness failure in the last iteration");
});

test.concurrent("P-20 P-44 a session that stops itself at the rest of the run's budget is stopped, not counted", async () => {
  const place = await loopWorkspace({ script: "- - cost: 1\n  - end: { kind: turn-limit, isBudget: true }\n" });
  const run = await place.run("--max-cost", "1");
  expect(await seen(place, run)).toEqual({
    ...AT_LIMIT,
    limit: "cost",
    outcomes: ["stopped"],
    tasks: ["Do it: pending 0"],
  });
  expect(eventsOf(run, "session.stopped").map(({ why }) => why)).toEqual(["It reached the budget of the run"]);
});

test.concurrent("P-20 work of a session that reached its turn limit is gone on with, uncounted", async () => {
  const place = await loopWorkspace({
    script: `
- - write: { path: half.txt, text: "half\\n" }
  - end: turn-limit
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  expect(await seen(place, await place.run())).toEqual({ ...COMPLETE, outcomes: ["unfinished", "verified"] });
  expect(place.git("show", "--format=", "--name-only", "HEAD").split("\n")).toEqual(["done.txt", "half.txt"]);
});
