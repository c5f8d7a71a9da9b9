import { expect, test } from "vitest";
import { DONE, eventsOf, runWith, script, seen, type Step, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SPEC = { ".ralph/specs/greeting.md": "# Greeting\n\nSay hello.\n" };
const PLAN: Step = { write: { path: "IMPLEMENTATION_PLAN.md", text: "- [ ] Say hello\n- [ ] Say goodbye\n" } };
const PROMISE: Step = { say: "<promise>COMPLETE</promise>" };
const GATE = "gates:\n  - { id: test, run: test -f done.txt }\n";

/** What a run cost, and at which of its iterations. */
const costs = (run: Parameters<typeof eventsOf>[0]) => [
  eventsOf(run, "iteration.finished").map(({ costUsd }) => costUsd),
  run.finished?.costUsd,
];

test.concurrent("P-44 P-04 X-4 planning counts: a ceiling that it reaches ends the run before anything is built", async () => {
  const place = await loopWorkspace({
    tasks: [],
    files: SPEC,
    script: script([PLAN, { cost: 2 }, { usage: { input: 60, output: 40 } }, PROMISE], [WORK, DONE]),
  });
  const run = await place.run("--max-cost", "2");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["verified"],
    states: { "Say hello": "pending", "Say goodbye": "pending" },
    commits: ["Plan the work"],
  });
  expect([run.finished?.limit, costs(run), run.finished?.tokens]).toEqual(["cost", [[2], 2], 100]);
});

test.concurrent("P-44 X-4 a reviewer counts: a ceiling that it reaches ends the run after its verdict", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    config: `${GATE}verify: { reviewer: scripted }\n`,
    script: JSON.stringify([
      { when: { prompt: "<verify-pass/>" }, steps: [{ cost: 0.75 }, { say: "<verify-pass/>" }] },
      { steps: [WORK, { cost: 0.25 }, DONE] },
    ]),
  });
  const run = await place.run("--max-cost", "1");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["verified"],
    states: { One: "done", Two: "pending" },
    commits: ["One"],
  });
  expect([run.finished?.limit, costs(run)]).toEqual(["cost", [[1], 1]]);
});

test.concurrent.each([
  ["the agent", ["--harness", "command"], ""],
  ["the reviewer", [], "verify: { reviewer: command }\n"],
])(
  "P-44 X-78 --max-cost is refused at the start where %s does not report what it costs",
  async (_who, flags, config) => {
    const place = await loopWorkspace({
      config: GATE + config,
      script: script([WORK, DONE]),
      harnesses: { command: "run: touch started.txt" },
    });
    const run = await place.run("--max-cost", "5", ...flags);
    expect([run.code, run.stdout, run.stderr, await place.states(), place.git("status", "--porcelain")]).toEqual([
      78,
      "",
      "error: The harness command reports no cost, so ralphctl cannot enforce limits.cost (flag --max-cost)\nhint: Remove the limit, and use --max-iterations or --max-time instead\n",
      { "Do it": "pending" },
      "",
    ]);
  },
);

const LIMITED = script(
  [{ end: { kind: "limit", limit: "five_hour", resetsInMs: 4000, message: "Come back later" } }],
  [WORK, DONE],
);

test.concurrent("P-43 X-4 in CI a run does not wait for a usage limit, unless it is told how long", async () => {
  const place = await loopWorkspace({ script: LIMITED });
  const env = { CI: "true" };
  const first = await runWith(place, { env });
  expect([await seen(place, first), first.finished?.limit, eventsOf(first, "run.waiting")]).toEqual([
    { code: 4, outcomes: ["limited"], states: { "Do it": "pending" }, commits: [] },
    "wait",
    [],
  ]);
  const second = await runWith(place, { env, args: ["--max-wait", "1m"] });
  expect([await seen(place, second), eventsOf(second, "run.waiting").length]).toEqual([
    { code: 0, outcomes: ["limited", "verified"], states: { "Do it": "done" }, commits: ["Do it"] },
    1,
  ]);
});

test.concurrent("P-44 X-78 --max-tokens is refused at the start where the agent reports no tokens", async () => {
  const place = await loopWorkspace({ script: "[]", harnesses: { command: "run: touch started.txt" } });
  const run = await place.run("--max-tokens", "5", "--harness", "command");
  expect([run.code, run.stderr]).toEqual([
    78,
    "error: The harness command reports no tokens, so ralphctl cannot enforce limits.tokens (flag --max-tokens)\nhint: Remove the limit, and use --max-iterations or --max-time instead\n",
  ]);
});

test.concurrent("P-44 a reviewer whose cost is unknown makes all costs a minimum, and a limit says what it does not count", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    config: `${GATE}verify: { reviewer: scripted }\n`,
    script: JSON.stringify([
      { when: { prompt: "<verify-pass/>" }, steps: [{ usage: { input: 70 } }, { say: "<verify-pass/>" }] },
      { steps: [WORK, { usage: { input: 10 } }, { cost: 1.25 }, DONE] },
    ]),
  });
  const run = await place.run("--max-cost", "1");
  expect([run.code, run.outcomes]).toEqual([4, ["verified"]]);
  expect(eventsOf(run, "iteration.finished")).toMatchObject([{ costUsd: 1.25, tokens: 80, isCostPartial: true }]);
  expect(run.finished).toMatchObject({
    costUsd: 1.25,
    isCostPartial: true,
    reason: "Reached the limit of $1: at least $1.25 spent",
  });
  const warnings = eventsOf(run, "run.notice").filter(({ text }) => text.includes("price"));
  expect(warnings.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^The price of a model is unknown, so the cost limit does not count all .*; the run is still limited to \d+ iterations$/,
    ),
  ]);
  for (const words of [["inspect"], ["status"], ["run", "--status"], ["report"]] as const) {
    const { stdout } = await place.ralphctl(...words);
    expect(stdout, words.join(" ")).toMatch(/at least \$1\.25/);
  }
});

/** A session that never ends, in the words of a CLI that reports what it took only at its end. */
const ENDLESS = {
  "claude-stream-json": [
    { type: "system", subtype: "init", session_id: "00000000-1111", model: "claude-sonnet-4-5", cwd: "/" },
    {
      type: "assistant",
      message: {
        id: "m-1",
        model: "claude-sonnet-4-5",
        content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "sleep 600" } }],
        usage: { input_tokens: 400_000, output_tokens: 1 },
      },
    },
  ],
  "codex-json": [
    { type: "thread.started", thread_id: "00000000-1111" },
    { type: "item.started", item: { id: "i", type: "command_execution", command: "sleep 600" } },
  ],
} as const;
const ROLLOUT = {
  payload: { thread_token_usage: { input_tokens: 400_000, cached_input_tokens: 0, output_tokens: 2000 } },
};

test.concurrent.each([
  ["claude-stream-json", ["--max-tokens", "250000"], "tokens"],
  ["claude-stream-json", ["--max-cost", "0.5"], "cost"],
  ["codex-json", ["--max-tokens", "250000"], "tokens"],
  ["codex-json", ["--max-cost", "0.5"], "cost"],
] as const)("P-42 P-44 X-4 an agent that prints %s is stopped in mid-session by %s", async (output, flags, limit) => {
  const home = temporaryFolder({ "sessions/rollout-00000000-1111.jsonl": `${JSON.stringify(ROLLOUT)}\n` });
  const lines = ENDLESS[output].map((line) => `echo '${JSON.stringify(line)}'`).join("; ");
  const place = await loopWorkspace({
    script: "[]",
    harness: "command",
    harnesses: {
      command: `output: ${output}, model: gpt-5.5, run: ${JSON.stringify(`cat >/dev/null; ${lines}; sleep 600`)}, env: { CODEX_HOME: ${home} }`,
    },
  });
  const run = await place.run(...flags);
  expect([run.code, run.outcomes, run.finished?.limit]).toEqual([4, ["stopped"], limit]);
  expect(run.finished?.tokens).toBeGreaterThanOrEqual(400_000);
});
