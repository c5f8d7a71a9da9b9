import { expect, test } from "vitest";
import { fakeClaude } from "../fake-claude.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { claimsOf, eventsOf, notesOf, seen } from "../run-seen.ts";

const SIGIL = "<task-done>{task}</task-done>";
const WORK = { tool: "Write", does: "echo yes > done.txt", output: "File created successfully" };
const CONFIG = `
gates:
  - { id: test, run: test -f done.txt }
limits: { attempts: 50, noProgress: 50, iterationsPerTask: 50 }
`;

test.concurrent("P-01 X-0 Claude Code is driven by the loop: prompt, session, tokens, cost, claim", async () => {
  const claude = fakeClaude([{ thinking: "A file is missing." }, WORK, { text: `All finished. ${SIGIL}` }]);
  const place = await loopWorkspace({ script: "[]", config: CONFIG, env: { PATH: claude.path } });
  const run = await place.run("--harness", "claude", "--model", "sonnet");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual(["1 done message"]);
  const { args, stdin } = claude.started(1);
  expect(stdin).toBe(run.prompt(1));
  const valueOf = (flag: string): string | undefined => args[args.indexOf(flag) + 1];
  expect([valueOf("--model"), valueOf("--output-format")]).toEqual(["sonnet", "stream-json"]);
  expect(valueOf("--append-system-prompt")).toBe(place.read(`.ralph/runs/${run.name}/1/system.md`));
  const [finished] = eventsOf(run, "iteration.finished");
  expect(finished?.sessionId).toBe(valueOf("--session-id"));
  expect([finished?.tokens, finished?.costUsd]).toEqual([4630, 0.015014999999999999]);
  expect(run.finished).toMatchObject({ ending: "complete", costUsd: 0.015014999999999999, tokens: 4630 });
  const { stdout } = await place.ralphctl("inspect", "1");
  expect(stdout).toContain(`\n  Reopen   claude --resume ${finished?.sessionId}\n`);
  expect(stdout).toContain(`\n  Session  ${finished?.sessionId}\n`);
});

/** Sessions whose sigil is no claim; each name is where it stands. */
const NO_CLAIMS = {
  "a tool result": [{ tool: "Bash", output: SIGIL }, { text: "I have read it." }],
  thinking: [{ thinking: SIGIL }, { text: "I have thought about it." }],
  "the words of an agent of its own": [{ subagent: SIGIL }, { text: "It is at work." }],
  "two messages": [{ text: "<task-done>" }, { text: "{task}</task-done>" }],
  "deltas that never became a message": [{ deltas: ["<task-", "done>{task}</task", "-done>"] }],
  "words before the last tool": [{ text: SIGIL }, { tool: "Bash" }, { text: "Too early." }],
  "a session without a result": [{ text: SIGIL }, { exit: 0 }],
  "a session that exits with 1": [{ text: SIGIL }, { exit: 1 }],
} as const;

test.concurrent("P-10 P-11 P-14 what is not Claude's own final message is no claim", async () => {
  const claude = fakeClaude(...Object.values(NO_CLAIMS), [
    WORK,
    { deltas: ["I fixed the 429 rate limit. <task-", "done>{task}</task-done>"] },
    { text: `I fixed the 429 rate limit. ${SIGIL}` },
  ]);
  const place = await loopWorkspace({ script: "[]", config: CONFIG, env: { PATH: claude.path } });
  const run = await place.run("--harness", "claude");
  const count = Object.keys(NO_CLAIMS).length;
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: [...Array.from({ length: count - 2 }, () => "idle"), "crashed", "crashed", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  // P-43: words about a limit in a success are no limit.
  expect(eventsOf(run, "run.waiting")).toEqual([]);
  expect(claimsOf(run)).toEqual([`${count + 1} done message`]);
  expect(notesOf(run)).toEqual([[4, expect.stringContaining(`${place.ids[0]}</task-done>\`: a sigil must `)]]);
});

test.concurrent("D-09 X-1 after FAILURE the report names the session, in which one can go on", async () => {
  const claude = fakeClaude([WORK, { text: "The key is gone.\n\n<promise>FAILURE</promise>" }]);
  const place = await loopWorkspace({ script: "[]", config: CONFIG, env: { PATH: claude.path } });
  const answer = await place.ralphctl("run", "--harness", "claude");
  const { args } = claude.started(1);
  const session = args[args.indexOf("--session-id") + 1];
  const work = place.git("show", `refs/ralph/work/${place.ids[0]}:done.txt`);
  expect([answer.code, await place.states(), place.commits(), work]).toEqual([1, { "Do it": "pending" }, [], "yes"]);
  expect(answer.stdout + answer.stderr).toContain(
    `the agent promised FAILURE (iteration 1, session ${session}): no further iteration could help`,
  );
});

test.concurrent("model-R1 a recommended model is what Claude Code is started with, once", async () => {
  const claude = fakeClaude(
    [{ text: "Too hard for me.\n\n<next-model>opus</next-model>" }],
    [{ text: "<next-model>gpt-99</next-model>" }],
    [WORK, { text: SIGIL }],
  );
  const place = await loopWorkspace({ script: "[]", config: CONFIG, env: { PATH: claude.path } });
  const run = await place.run("--harness", "claude");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["idle", "idle", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  const models = [1, 2, 3].map((iteration) => {
    const { args } = claude.started(iteration);
    return args.includes("--model") ? args[args.indexOf("--model") + 1] : undefined;
  });
  expect(models).toEqual([undefined, "opus", undefined]);
  expect(eventsOf(run, "iteration.started").map(({ override }) => override)).toEqual([undefined, "hint", undefined]);
  expect(eventsOf(run, "run.notice").map(({ text }) => text)).toContain(
    'The agent recommended the model "gpt-99", which is not configured for claude',
  );
});

test.concurrent("P-44 X-77 a Claude that goes on asking though its login is refused is stopped, and the run says so", async () => {
  const line = { type: "system", subtype: "api_retry", error_status: 401, error: "authentication_failed" };
  const claude = fakeClaude([{ line }, { line }, { waitsMs: 600_000 }]);
  const place = await loopWorkspace({ script: "[]", config: CONFIG, env: { PATH: claude.path } });
  const run = await place.run("--harness", "claude");
  expect(await seen(place, run)).toEqual({
    code: 77,
    outcomes: ["login"],
    states: { "Do it": "pending" },
    commits: [],
  });
  expect(eventsOf(run, "session.stopped")).toEqual([
    { type: "session.stopped", iteration: 1, why: "It kept asking although it was refused" },
  ]);
  expect(run.finished).toMatchObject({
    reason: "The login was refused: 401 authentication_failed",
    help: ["Run claude and /login there, or set ANTHROPIC_API_KEY"],
  });
});
