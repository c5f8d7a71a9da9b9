import { notices } from "../hostile-run.ts";
import { describe, expect, test } from "vitest";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { eventsOf } from "../run-seen.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CLAIM = "say: <task-done>{task}</task-done>";
const SPEC = { ".ralph/specs/greeting.md": "# Greeting\n" };

/** Rejected twice, then honest. */
const SLOW = `
- - append: { path: work.txt, text: "1" }
  - ${CLAIM}
- - append: { path: work.txt, text: "2" }
  - ${CLAIM}
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`;

const MODELS = "model: middle, smart: big, fast: small, models: [big, middle, small, opus]";

/** The scripted agent with models by role. */
const config = (strategy: string): string => `
models: { strategy: ${strategy} }
gates:
  - { id: test, run: test -f done.txt }
`;

async function workspace(script: string, strategy: string, more: Partial<Parameters<typeof loopWorkspace>[0]> = {}) {
  return await loopWorkspace({ script, config: config(strategy), harnesses: { scripted: MODELS }, ...more });
}

const models = ({ events }: LoopRun) =>
  events.flatMap((event) =>
    event.type === "iteration.started"
      ? [[event.model, ...(event.override === undefined ? [] : [event.override])]]
      : [],
  );

test.concurrent.each([
  ["fixed", [["middle"], ["middle"], ["middle"]]],
  ["cost-optimized", [["small"], ["big"], ["big"]]],
  ["escalate", [["small"], ["middle"], ["big"]]],
])("model-R1 the strategy %s through the attempts at a task", async (strategy, expected) => {
  const run = await (await workspace(SLOW, strategy)).run();
  expect([run.code, run.outcomes, models(run)]).toEqual([0, ["rejected", "rejected", "verified"], expected]);
});

test.concurrent("model-R1 plan-then-execute: the strong model plans, the fast one builds", async () => {
  const script = `
- - write: { path: IMPLEMENTATION_PLAN.md, text: "- [ ] One\\n" }
  - say: <promise>COMPLETE</promise>
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`;
  const run = await (await workspace(script, "plan-then-execute", { tasks: [], files: SPEC })).run();
  expect([run.code, models(run)]).toEqual([0, [["big"], ["small"]]]);
});

test.concurrent("model-R1 --model is this model in every iteration, whatever the strategy", async () => {
  const run = await (await workspace(SLOW, "escalate")).run("--model", "mine");
  expect([run.code, models(run)]).toEqual([0, [["mine"], ["mine"], ["mine"]]]);
});

describe.concurrent("X-78 a model that the agent does not have ends the run at once, and no attempt is counted", () => {
  const script = "- - end: { kind: model, message: No such model }\n";
  const help = (where: string) => [`Correct the model in ${where}, or remove it to use the default of scripted`];
  const inFile = "harnesses.scripted.model, file .ralph/config.yaml line 3";

  test.each([
    ["the configuration", [], inFile, "middle"],
    ["the command line", ["--model", "mine"], "--model", "mine"],
    [
      "the command line, by role",
      ["--smart-model", "mine", "--model-strategy", "plan-then-execute"],
      "--fast-model",
      "s",
    ],
  ])("it was set in %s", async (_, flags, where, model) => {
    const place = await workspace(script, "fixed", { tasks: ["One", "Two"] });
    const run = await place.run(...flags, ...(where === "--fast-model" ? ["--fast-model", "s"] : []));
    expect([run.code, run.outcomes, run.finished?.ending, run.finished?.reason, run.finished?.help]).toEqual([
      78,
      ["model"],
      "config",
      `The harness scripted cannot use the model "${model}" (${where}): No such model`,
      help(where),
    ]);
    const { stdout } = await place.ralphctl("task", "list", "--json");
    expect((JSON.parse(stdout) as { attempts: number }[]).map(({ attempts }) => attempts)).toEqual([0, 0]);
  });

  test("it was set in the task, or nowhere", async () => {
    const place = await loopWorkspace({ script, tasks: [] });
    await place.task("add", "Do it", "--model", "special");
    const id = (JSON.parse((await place.ralphctl("task", "list", "--json")).stdout) as { id: string }[])[0]!.id;
    expect((await place.run()).finished?.reason).toBe(
      `The harness scripted cannot use the model "special" (the task ${id}): No such model`,
    );
    const other = await (await loopWorkspace({ script })).run();
    expect([other.code, other.finished?.reason, other.finished?.help]).toEqual([
      78,
      "The harness scripted cannot use its default model: No such model",
      ["Set harnesses.scripted.model, or give --model NAME"],
    ]);
  });

  test("of two agents only that one is out", async () => {
    const place = await loopWorkspace({
      script,
      harness: "[scripted, command]",
      harnesses: { scripted: "model: m", command: `run: 'echo yes >> done.txt; echo "<promise>COMPLETE</promise>"'` },
      tasks: ["One", "Two"],
    });
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["model", "verified", "verified"]]);
    expect(notices(run).filter((text) => text.includes("takes over"))).toEqual([
      `scripted is paused for the rest of the run (model "m", ${inFile}: No such model); command takes over`,
    ]);
  });
});

test.concurrent("P-20 an agent that cannot begin ends the run with its own words, before it fails every task", async () => {
  const broken = `run: 'echo "no configuration" >&2; exit 3', output: pi-json`;
  const place = await loopWorkspace({
    script: "[]",
    harness: "command",
    harnesses: { command: broken },
    tasks: ["A", "B", "C"],
  });
  const run = await place.run();
  expect([run.code, run.outcomes, await place.states()]).toEqual([
    1,
    ["crashed", "crashed"],
    { A: "pending", B: "pending", C: "pending" },
  ]);
  expect(run.finished?.reason).toBe(
    "The harness command failed 2 times in the same way, before its model answered: ended with exit code 3 and no result: no configuration",
  );
});

test.concurrent("P-20 an agent that somebody killed twice, as the system does without memory, goes on", async () => {
  const folder = temporaryFolder();
  const dies = `n=$(cat ${folder}/n 2>/dev/null || echo 0); echo $((n + 1)) >${folder}/n; [ $n -gt 1 ] || kill -9 $$`;
  const works = `echo x >$RALPHCTL_TASK.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"`;
  const place = await loopWorkspace({
    script: "[]",
    harness: "command",
    harnesses: { command: `run: ${JSON.stringify(`cat >/dev/null; ${dies}; ${works}`)}` },
    tasks: ["A", "B"],
    config: "gates: [{ id: test, run: 'true' }]\n",
  });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([0, ["crashed", "crashed", "verified", "verified"]]);
});

test.concurrent("model-R1 P-42 --model is final: no hint, no model of a task and no idleness changes it", async () => {
  const say = `say: "<next-model>opus</next-model>\\n<task-done>{task}</task-done>"`;
  const place = await workspace(`- - ${say}\n`, "fixed", {
    config: config("escalate").replace("models:", "limits: { attempts: 9 }\nmodels:"),
    tasks: [],
  });
  await place.task("add", "Do it", "--model", "special");
  const run = await place.run("--model", "small", "--smart-model", "big");
  expect([run.outcomes, models(run), run.finished?.reason]).toEqual([
    ["rejected", "rejected", "rejected"],
    [["small"], ["small"], ["small"]],
    "3 iterations in a row ended with the same files and results, and nothing else is ready",
  ]);
});

test.concurrent("model-R1 a task's own model comes before the strategy, and the agent's hint before both, once", async () => {
  const script = `
- - append: { path: work.txt, text: "1" }
  - say: "<next-model>opus</next-model>\\n<task-done>{task}</task-done>"
- - append: { path: work.txt, text: "2" }
  - say: "<next-model>nonsense</next-model>\\n<task-done>{task}</task-done>"
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`;
  const place = await workspace(script, "escalate", { tasks: [] });
  await place.task("add", "Do it", "--model", "special");
  const run = await place.run();
  expect([run.code, models(run), notices(run)]).toEqual([
    0,
    [
      ["special", "task"],
      ["opus", "hint"],
      ["special", "task"],
    ],
    [
      "The specs directory .ralph/specs is empty",
      'The agent recommended the model "nonsense", which is not configured for scripted',
    ],
  ]);
});

test.concurrent("P-42 X-1 no progress: another model, then the task is parked, and nothing else is ready: stuck", async () => {
  const place = await workspace(`- - ${CLAIM}\n`, "fixed", {
    config: config("fixed").replace("models:", "limits: { attempts: 9 }\nmodels:"),
  });
  const run = await place.run();
  expect([run.code, run.outcomes, models(run), await place.states(), run.finished?.reason]).toEqual([
    1,
    ["rejected", "rejected", "rejected"],
    [["middle"], ["middle"], ["big", "no-progress"]],
    { "Do it": "parked" },
    "3 iterations in a row ended with the same files and results, and nothing else is ready",
  ]);
});

test.concurrent("P-20 a tool that the agent's settings do not allow is a reason, for the person and the next session", async () => {
  const denied = "Permission to use Bash with command git push has been denied.";
  const place = await loopWorkspace({
    script: `
- - tool: { name: Bash, input: git push }
  - toolResult: { ok: false, output: "${denied}" }
  - ${CLAIM}
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`,
    isRealAgent: true,
  });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([0, ["rejected", "verified"]]);
  const reasons = eventsOf(run, "iteration.finished").map(({ reason }) => reason?.endsWith(`; ${denied}`));
  expect([reasons[0], run.prompt(2).includes(denied), run.prompt(2).includes("Work without it")]).toEqual([
    true,
    true,
    true,
  ]);
});
