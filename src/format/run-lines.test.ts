import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryEvent } from "../../test/arbitrary-event.ts";
import { hookFinished, iterationFinished, iterationStarted, login, mail } from "../../test/run-events.ts";
import { runFinished, runStarted } from "../../test/run-events.ts";
import type { EventOf, RunEvent } from "../domain/run/event.ts";
import { createRunLines, type RunLinesOptions } from "./run-lines.ts";

const clock = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ");
const at = Date.UTC(2026, 10, 16, 14, 5, 9);

function shown(events: readonly RunEvent[], options: Partial<RunLinesOptions> = {}): string {
  const lines = createRunLines({ verbose: false, quiet: false, time: false, width: 60, clock, ...options });
  return events
    .flatMap((event) => lines(event, at))
    .map((line) => `${line}\n`)
    .join("");
}

const iteration = 3;

const evening: readonly RunEvent[] = [
  runStarted,
  { type: "run.notice", level: "info", text: "The store was copied" },
  { type: "run.notice", level: "warning", text: "No branch is checked out" },
  { type: "check.started", check: "baseline" },
  {
    type: "gate.finished",
    gate: "lint",
    passed: true,
    runs: 1,
    durationMs: 840,
    end: { kind: "exit", code: 0 },
    output: "",
    file: "test.log",
  },
  { type: "check.finished", check: "baseline", red: ["test"] },
  { type: "tasks.changed", change: "added", tasks: [login, mail, login, mail] },
  iterationStarted,
  { type: "agent.session", iteration, sessionId: "s-1", model: "opus-4", version: "2.1" },
  { type: "agent.thinking", iteration, text: "Hm" },
  { type: "agent.text", iteration, text: "I will ", block: "1" },
  { type: "agent.usage", iteration, input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  { type: "agent.text", iteration, text: "look.\nThen \u001b[31mwrite\u001b[0m", block: "1" },
  {
    type: "agent.tool",
    iteration,
    id: "1",
    name: "Bash",
    input: "npm test -- --reporter=verbose --no-color src/login",
  },
  { type: "agent.tool-result", iteration, id: "1", ok: false, output: "1 failed\n" },
  { type: "agent.text", iteration, text: "From a helper", parent: "1" },
  { type: "agent.notice", iteration, text: "Compacted" },
  { type: "agent.retry", iteration, attempt: 1, of: 10, delayMs: 500, reason: "overloaded" },
  { type: "agent.ended", iteration, outcome: { kind: "done" } },
  { type: "session.changed", iteration, files: 7, paths: ["a.ts", "b.ts"] },
  { type: "claim.made", iteration, claim: "done", channel: "message" },
  { type: "protocol.broken", iteration, note: "A sigil in a fence did not count." },
  { type: "gate.started", iteration, gate: "test", kind: "workspace", command: "npm test" },
  {
    type: "gate.finished",
    iteration,
    gate: "test",
    passed: false,
    runs: 2,
    durationMs: 12_345,
    end: { kind: "exit", code: 1 },
    output: Array.from({ length: 12 }, (_, line) => `line ${line + 1}\n`).join(""),
    file: "test.log",
  },
  { type: "verdict.reached", iteration, verdict: "rejected", reasons: ["Gate test failed: exit code 1", "No change"] },
  { ...iterationFinished, outcome: "rejected", status: "pending", counted: true, reason: "Gate test failed" },
  { type: "run.waiting", for: "limit", untilMs: at + 60_000 },
  { type: "run.resumed" },
  { type: "run.waiting", for: "outage", untilMs: at + 86_400_000 },
  { type: "run.waiting", for: "pause" },
  { ...iterationStarted, iteration: 4, attempts: 0, override: "no-progress" },
  { type: "verdict.reached", iteration: 4, verdict: "accepted", reasons: ["Proven by lint and test"] },
  {
    type: "commit.made",
    iteration: 4,
    commit: "89abcdef0123456789",
    subject: "Add login",
    files: 1,
    leftOut: [{ path: ".env", why: "it may hold secrets" }],
  },
  { ...iterationFinished, iteration: 4 },
  { type: "work.kept", task: mail.id, ref: "refs/ralph/r-1/t-5e6f7a8b", commit: "abc", why: "The task failed" },
  { type: "work.kept", ref: "refs/ralph/r-1/yours", commit: "abc", why: "a backup of your uncommitted changes" },
  { type: "check.finished", check: "final", red: [] },
  runFinished,
];

describe("run lines", () => {
  test("W-06 W-07 an evening: whose the tree is, what will be started, then what happens", () => {
    expect(shown(evening))
      .toBe(`Run r-20261116-014755-3f2a works on main at 0123456789 in lane 1 (/home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d/1)
Scope workspace · branch main · build mode · claude · 4 open tasks
At most 32 iterations · 8h · $20.00
These commands will check what the agent claims:
  lint  npm run lint
  test  npm test
The store was copied
Warning: No branch is checked out

Checking the gates before work starts
  Gate lint: ok · 0.8s
Failing before work starts: test; tasks still need them to pass
Tasks added: t-1a2b3c4d "Add login", t-5e6f7a8b "Send mail", t-1a2b3c4d "Add login" and 1 more

Iteration 3 of 32 · t-1a2b3c4d "Add login" · claude (opus, recommended by the agent) · attempt 2 of 3
  I will look.
  Then write
  > Bash npm test -- --reporter=verbose --no-color src/login
      From a helper
  The agent retries its request (1 of 10) in 0.5s: overload…
  Changed 7 files: a.ts, b.ts and 5 more
  The agent claims: done (in its final message)
  Protocol violation: A sigil in a fence did not count
  Gate test: FAILED, exit code 1 · 12s · run 2 times
    | … 2 earlier lines
    | line 3
    | line 4
    | line 5
    | line 6
    | line 7
    | line 8
    | line 9
    | line 10
    | line 11
    | line 12
  Rejected:
    - Gate test failed: exit code 1
    - No change
  Outcome: rejected · 2m10s · $0.42 · 12,345 tokens
Waiting for the usage limit to end, until 14:06:09
Continuing
Waiting before the next attempt, because the model's server failed, until 2026-11-17 14:05:09
Paused; to continue: ralphctl resume

Iteration 4 of 32 · t-1a2b3c4d "Add login" · claude (opus, because of no progress) · attempt 1 of 3
  Accepted: Proven by lint and test
  Commit 89abcdef01 "Add login" · 1 file
    not committed: .env (it may hold secrets)
  Outcome: proven · 2m10s · $0.42 · 12,345 tokens
  Saved as refs/ralph/r-1/t-5e6f7a8b: The task failed
  Saved as refs/ralph/r-1/yours: a backup of your uncommitted changes
All gates pass
`);
  });

  test("quiet: only verdicts and problems, each line understandable alone", () => {
    expect(shown(evening, { quiet: true }))
      .toBe(`Run r-20261116-014755-3f2a works on main at 0123456789 in lane 1 (/home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d/1)
Warning: No branch is checked out
Failing before work starts: test; tasks still need them to pass
Iteration 3 · t-1a2b3c4d "Add login": Gate test: FAILED, exit code 1 · 12s · run 2 times
Iteration 3 · t-1a2b3c4d "Add login": Rejected:
    - Gate test failed: exit code 1
    - No change
Waiting for the usage limit to end, until 14:06:09
Waiting before the next attempt, because the model's server failed, until 2026-11-17 14:05:09
Paused; to continue: ralphctl resume
Iteration 4 · t-1a2b3c4d "Add login": Accepted: Proven by lint and test
`);
  });

  test("verbose: also thinking, tool results, and gates that start", () => {
    const usual = shown(evening).split("\n");
    const more = shown(evening, { verbose: true })
      .split("\n")
      .filter((line) => !usual.includes(line));
    expect(more).toEqual([
      "  Session s-1 · opus-4 (version 2.1)",
      "  ~ Hm",
      "    | failed:",
      "    | 1 failed",
      "  Compacted",
      "  Gate test: npm test",
    ]);
  });

  test("with the time, every line begins with it", () => {
    expect(
      shown([{ type: "run.resumed" }, { ...iterationStarted, task: undefined, mode: "plan" }], { time: true }),
    ).toBe(
      "14:05:09  Continuing\n14:05:09\n14:05:09  Iteration 3 of 32 · plan · claude (opus, recommended by the agent)\n",
    );
  });

  test("P-19 a run without a gate says that nothing can be proven", () => {
    const { scope, branch, ...rest } = { ...runStarted, branch: undefined };
    const begun: RunEvent = {
      ...rest,
      scope,
      branch,
      gates: [],
      tasks: 1,
      limits: { iterations: 1, tokens: 5_000_000 },
    };
    const text = "No gates (none found in the workspace): completed tasks stay unverified";
    expect(shown([begun, { type: "run.notice", level: "warning", text }])).toBe(
      `Run r-20261116-014755-3f2a works on HEAD at 0123456789 in lane 1 (/home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d/1)
Scope workspace · no branch · build mode · claude · 1 open task
At most 1 iteration · 5,000,000 tokens
Warning: No gates (none found in the workspace): completed tasks stay unverified
`,
    );
  });

  test("W-06 S003-03 what will run beside the loop is said at the start; quiet: only hooks that fail", () => {
    const prompt = "Look at what was done, and at how it went, and say what the next one must know of it";
    const begun: RunEvent = {
      ...runStarted,
      hooks: [
        { hook: "push", kind: "command", on: ["task-done", "run-end"], command: "git push" },
        { hook: "look", kind: "prompt", on: ["iteration-end"], command: prompt },
      ],
    };
    expect(shown([begun]).split("\n").slice(-4)).toEqual([
      "These hooks will run alongside the loop:",
      "  push (task-done, run-end)  git push",
      "  look (iteration-end)       Look at what was done, and at how it went, and say what the …",
      "",
    ]);
    expect(shown([iterationStarted, hookFinished]).split("\n").at(-2)).toBe("  Hook push: ok · 0.8s");
    const failed = { ...hookFinished, passed: false, reason: "exit code 1" };
    expect(shown([hookFinished, failed], { quiet: true })).toBe(
      "Hook push of iteration 3: FAILED, exit code 1 · 0.8s\n",
    );
    const started: RunEvent = {
      type: "hook.started",
      hook: "push",
      point: "run-end",
      kind: "command",
      command: "git push",
      parallel: false,
    };
    expect([shown([started]), shown([started], { verbose: true })]).toEqual(["", "  Hook push: git push\n"]);
  });

  test("text that arrives in parts is shown by lines, and its rest before anything else", () => {
    const part = (text: string, block: string): RunEvent => ({ type: "agent.text", iteration, text, block });
    const lines = createRunLines({ verbose: false, quiet: false, time: false, width: 80, clock });
    expect(
      [part("a", "1"), part("b\nc", "1"), part("d", "2"), part("e\n\nf", "2"), iterationFinished].map((event) =>
        lines(event, at),
      ),
    ).toEqual([[], ["  ab"], ["  c"], ["  de", ""], ["  f", "  Outcome: proven · 2m10s · $0.42 · 12,345 tokens"]]);
  });

  test.each<[string, RunEvent, string]>([
    [
      "a crash",
      ended({ kind: "crashed", code: 1, signal: null, detail: "ended with exit code 1" }),
      "The agent ended with exit code 1",
    ],
    [
      "a limit",
      ended({ kind: "limit", limit: "five_hour", message: "wait" }),
      "A usage limit was reached (five_hour): wait",
    ],
    ["silence", ended({ kind: "timed-out", watchdog: "inactivity" }), "The agent was silent for too long"],
    ["a long session", ended({ kind: "timed-out", watchdog: "wall" }), "The session took too long"],
    ["a stop", { type: "session.stopped", iteration, why: "2 processes were left" }, "Stopped: 2 processes were left"],
    [
      "a gate that left something running",
      { ...(evening[4] as EventOf<"gate.finished">), swept: 2 },
      "Gate lint: ok · 0.8s · ended 2 processes that it left running",
    ],
    [
      "a stop by a watchdog (P-14)",
      { type: "session.stopped", iteration, why: "It said nothing", limit: "limits.inactivity", limitMs: 900_000 },
      "Stopped: It said nothing (limits.inactivity: 15m)",
    ],
    [
      "S003-03 a hook that failed, of an earlier iteration",
      { ...hookFinished, iteration: 2, passed: false, reason: "exit code 1", swept: 1, output: "no\nroute\n" },
      "Hook push of iteration 2: FAILED, exit code 1 · 0.8s · ended a process that it left running\n    | no\n    | route",
    ],
    [
      "S003-03 P-44 a hook that proposes something",
      {
        ...hookFinished,
        costUsd: 0.08,
        tokens: 1200,
        isEstimated: true,
        patch: ".ralph/runs/r/3/hooks/x/change.patch",
      },
      "Hook push of iteration 3: ok · 0.8s · about $0.08 · about 1,200 tokens\n    It proposes a change: git apply .ralph/runs/r/3/hooks/x/change.patch",
    ],
    [
      "a limit that comes near",
      { type: "agent.limit-warning", iteration, kind: "seven_day", utilization: 0.871, resetsAtMs: at },
      "The usage limit seven_day is close, 87% used, resets at 2026-11-16 14:05:09",
    ],
    [
      "a task that failed",
      { ...iterationFinished, outcome: "gave-up", status: "failed", reason: "No server" },
      "Outcome: the agent gave up · the task has failed · 2m10s · $0.42 · 12,345 tokens",
    ],
    [
      "a task that goes on",
      { ...iterationFinished, outcome: "unfinished", status: "pending", costUsd: undefined, tokens: 0 },
      "Outcome: not finished · the work is kept; the next attempt continues from it · 2m10s",
    ],
    [
      "a task that took too many iterations",
      { ...iterationFinished, outcome: "unfinished", status: "failed", costUsd: undefined, tokens: 0 },
      "Outcome: not finished · the task has failed · 2m10s",
    ],
    [
      "a question",
      {
        ...iterationFinished,
        outcome: "parked",
        status: "parked",
        question: "Which one?",
        costUsd: undefined,
        tokens: 0,
      },
      "Outcome: waits for an answer · 2m10s\n    Which one?",
    ],
    [
      "a plan that lacks something",
      { ...iterationFinished, task: undefined, outcome: "rejected", status: undefined, reason: "No task", tokens: 0 },
      "Outcome: rejected · 2m10s · $0.42\n    No task",
    ],
    [
      "planning that failed, whose end has said why",
      { ...iterationFinished, task: undefined, outcome: "crashed", status: undefined, reason: "It fell", tokens: 0 },
      "Outcome: the agent crashed · 2m10s · $0.42",
    ],
    [
      "work without proof",
      { ...iterationFinished, strength: "look", isEstimated: true },
      "Outcome: done, but look at it first · 2m10s · about $0.42 · about 12,345 tokens",
    ],
  ])("says of %s what it is", (_name, event, text) => {
    expect(shown([event], { width: 200 })).toBe(`  ${text}\n`);
  });

  test("quiet: a gate of a check is not taken for one of the iteration before it", () => {
    const failed: EventOf<"gate.finished"> = {
      type: "gate.finished",
      gate: "own",
      passed: false,
      runs: 1,
      durationMs: 100,
      end: { kind: "exit", code: 1 },
      output: "",
      file: "",
    };
    const check: RunEvent = { type: "check.finished", check: "own", red: ["own"] };
    const events = [iterationStarted, { ...failed, iteration }, iterationFinished, failed, check];
    expect(shown(events, { quiet: true }))
      .toBe(`Iteration 3 · ${login.id} "Add login": Gate own: FAILED, exit code 1 · 0.1s
Gate own: FAILED, exit code 1 · 0.1s
Failing before the first session of the task: own
`);
  });

  test("L-43 with several lanes each line names its lane, texts are not cut, and no line is blank", () => {
    const [one, two] = [
      { ...iterationStarted, iteration: 1, lane: 1, attempts: 0 },
      { ...iterationStarted, iteration: 2, lane: 2, attempts: 0, task: mail },
    ];
    const events: readonly RunEvent[] = [
      { ...runStarted, lanes: 10, gates: [], hooks: [] },
      { type: "check.started", check: "baseline" },
      { type: "check.finished", check: "baseline", red: [] },
      one,
      { type: "agent.text", iteration: 1, text: "I will ", block: "1" },
      { type: "check.started", check: "own", lane: 2 },
      { type: "check.finished", check: "own", red: ["test"], lane: 2 },
      two,
      { type: "agent.tool", iteration: 2, id: "1", name: "Read", input: "mail.ts" },
      { type: "agent.text", iteration: 1, text: "look.\n\nThen", block: "1" },
      { type: "run.notice", level: "info", text: "Setting up lane 3", lane: 1 },
      { type: "agent.text", iteration: 2, text: "The ", block: "1" },
      { type: "run.notice", level: "warning", text: "The branch is gone" },
      { type: "run.asked", stop: true, pause: false },
      { type: "lanes.held", why: "alone", task: mail, lane: 3 },
      { type: "lanes.held" },
      { type: "lanes.held", why: "iterations" },
      { ...iterationFinished, iteration: 1 },
      runFinished,
    ];
    expect(shown(events, { width: 70 }).split("\n").slice(3)).toEqual([
      "  │ Checking the gates before work starts",
      "  │ All gates pass",
      ` 1│ Iteration 1 of 32 · ${login.id} "Add login" · claude (opus, recommended by the agent) · attempt 1 of 3`,
      " 2│ Checking the gates of the task before its first session",
      " 2│ Failing before the first session of the task: test",
      ` 2│ Iteration 2 of 32 · ${mail.id} "Send mail" · claude (opus, recommended by the agent) · attempt 1 of 3`,
      " 2│   > Read mail.ts",
      " 1│   I will look.",
      " 1│",
      " 1│   Then",
      " 1│ Setting up lane 3",
      "  │ Warning: The branch is gone",
      "  │ Will stop after the iterations under way, as you asked",
      ` 3│ No other lane begins a task: ${mail.id} "Send mail" works alone, because it conflicted again and again`,
      "  │ No lane begins a task: those under way may reach the limit of iterations",
      " 1│   Outcome: proven · 2m10s · $0.42 · 12,345 tokens",
      " 2│   The",
      "",
    ]);
    expect(shown(events.slice(0, 1)).split("\n")[0]).toBe(
      `  │ Run ${runStarted.run} works on main at 0123456789 in 10 lanes (/home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d)`,
    );
  });

  test("W-04 no event gets a control character to the terminal, and none makes it throw", () => {
    const flag = fc.boolean();
    fc.assert(
      fc.property(fc.array(arbitraryEvent()), flag, flag, (events, verbose, quiet) => {
        const text = shown(events, { verbose, quiet, clock: String });
        // oxlint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 300 },
    );
  });
});

function ended(outcome: Extract<RunEvent, { readonly type: "agent.ended" }>["outcome"]): RunEvent {
  return { type: "agent.ended", iteration, outcome };
}
