import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HookFinished } from "../../src/domain/run/event.ts";
import { DONE, eventsOf, seen, sh, WORK } from "../hostile-run.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";
const hooks = (...all: readonly Record<string, unknown>[]): string => `${GATE}hooks: ${JSON.stringify(all)}\n`;
const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

/** Sessions that are chosen by a word of the prompt, and the one that does the task. */
const script = (asked: Readonly<Record<string, readonly Record<string, unknown>[]>>): string =>
  JSON.stringify([
    ...Object.entries(asked).map(([prompt, steps]) => ({ when: { prompt }, steps })),
    [WORK, { usage: { input: 100, output: 10 } }, { cost: 0.5 }, DONE],
  ]);

const only = (run: LoopRun): HookFinished => {
  const all = eventsOf(run, "hook.finished");
  expect(all).toHaveLength(1);
  return all[0]!;
};

describe.concurrent("prompts", () => {
  test("L-10 with lanes.exclusiveGates, sessions of hooks run beside no gate", async () => {
    const folder = temporaryFolder();
    const session = sh(
      `touch ${folder}/s$RALPHCTL_TASK; sleep 0.5; echo x > $RALPHCTL_TASK.txt; rm ${folder}/s$RALPHCTL_TASK`,
    );
    const quiet = `[ -z "$(ls ${folder})" ]`;
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three"],
      script: JSON.stringify([[session, DONE]]),
      config: `gates: [{ id: test, run: '${quiet} && sleep 0.7 && ${quiet}' }]
lanes: { exclusiveGates: true }
hooks: [{ id: look, on: iteration-start, prompt: Look, parallel: true }]
`,
    });
    const run = await place.run("--lanes", "2");
    expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified", "verified"]]);
    expect(eventsOf(run, "hook.finished").map(({ passed }) => passed)).toEqual([true, true, true]);
  });

  test("S003-03 P-44 a prompt runs at the settled commit; its patch and its text are kept, its cost counts", async () => {
    const place = await loopWorkspace({
      script: script({
        "Look back": [
          // What is there, and what git says of it, goes into the patch.
          { run: "{ ls; git log -1 --format=%s; git status --porcelain; } > seen.txt" },
          // None of this reaches the person's repository.
          { run: "git branch left; git config left.behind yes; git update-ref refs/ralph/left HEAD" },
          { append: { path: "README.md", text: "Learnt.\n" } },
          { usage: { input: 7, output: 3 } },
          { cost: 0.25 },
          { say: "I propose a line. <task-done>{task}</task-done>" },
        ],
      }),
      config: hooks({ id: "look", prompt: "Look back at it." }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    const folder = `.ralph/runs/${run.name}/1/hooks/look`;
    const { durationMs, ...finished } = only(run);
    expect(finished).toEqual({
      v: 1,
      at: expect.any(String) as string,
      run: run.name,
      type: "hook.finished",
      iteration: 1,
      hook: "look",
      point: "iteration-end",
      passed: true,
      costUsd: 0.25,
      tokens: 10,
      isEstimated: false,
      output: "I propose a line. <task-done></task-done>",
      folder,
      patch: `${folder}/change.patch`,
    });
    expect(durationMs).toBeGreaterThan(0);
    expect([run.finished?.costUsd, run.finished?.tokens]).toEqual([0.75, 120]);
    expect(place.git("status", "--porcelain")).toBe("");
    expect(place.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/ralph/left")).toBe("refs/heads/main");
    expect(place.git("config", "--local", "--list")).not.toContain("left.behind");
    place.git("apply", finished.patch!);
    expect([place.read("README.md"), place.read("seen.txt")]).toEqual([
      "# Test\nLearnt.\n",
      "PROMPT_build.md\nPROMPT_plan.md\nREADME.md\ndone.txt\nseen.txt\nDo it\n?? seen.txt\n",
    ]);
  });

  test("S003-03 the session is told what happened and where it is written down, and cannot claim anything", async () => {
    const place = await loopWorkspace({
      script: script({
        "Look back": [{ run: 'ralphctl task done "$(cat "$HOME/.ralph/id.tmp")"; echo "code $?"' }],
      }),
      tasks: ["Do it", "Other"],
      config: hooks({ id: "look", on: "iteration-start", prompt: "Look back at it." }),
    });
    place.write({ ".ralph/id.tmp": place.ids[1]! });
    const run = await place.run("--max-iterations", "1");
    expect(await place.states()).toEqual({ "Do it": "done", Other: "pending" });
    const folder = `.ralph/runs/${run.name}/1/hooks/look`;
    expect(readdirSync(join(place.folder, folder)).sort()).toEqual([
      "message.md",
      "prompt.md",
      "result.json",
      "system.md",
      "transcript.ndjson",
    ]);
    expect(place.read(`${folder}/prompt.md`)).toBe(
      [
        "Look back at it.\n\n---\n\n## What Happened\n",
        `- Iteration 1 started: ${place.ids[0]} "Do it"`,
        `- Task: ${place.ids[0]}, Do it`,
        `- Records: ${join(place.folder, ".ralph/runs", run.name, "1")}`,
        "",
      ].join("\n"),
    );
    expect(place.read(`${folder}/transcript.ndjson`)).toContain("code 64");
  });

  test("S003-03 a session that crashes, hangs or finds no money left is a failed hook, and the verdict stands", async () => {
    const place = await loopWorkspace({
      script: script({
        "Crash now": [{ exit: 7 }],
        "Hang now": [{ hang: true }],
        "Spend it": [{ cost: 5 }, { hang: true }],
      }),
      config: `${hooks(
        { id: "crash", prompt: "Crash now" },
        { id: "hang", prompt: "Hang now", timeout: 1 },
        { id: "spend", prompt: "Spend it" },
        { id: "poor", prompt: "Crash now" },
      )}limits: { cost: 2 }\n`,
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(eventsOf(run, "hook.finished").map(({ hook, passed, reason }) => [hook, passed, reason])).toEqual([
      ["crash", false, "The agent ended with exit code 7 and no result"],
      ["hang", false, "timed out after 1 s"],
      ["spend", false, "it reached the budget of the run"],
      ["poor", false, "the budget of the run is spent"],
    ]);
    expect(run.finished?.costUsd).toBe(5.5);
  });

  test("S003-03 two parallel prompts work at the same time, each in its own checkout, beside the next session", async () => {
    const meet = (own: string, other: string): string =>
      `touch "$HOME/.ralph/${own}.tmp"; for i in $(seq 1000); do test -f "$HOME/.ralph/${other}.tmp" && exit 0; sleep 0.05; done; exit 1`;
    const place = await loopWorkspace({
      script: script({
        "As A": [{ run: meet("a", "b") }, { write: { path: "a.txt", text: "a\n" } }],
        "As B": [{ run: meet("b", "a") }, { write: { path: "b.txt", text: "b\n" } }],
      }),
      config: hooks(
        { id: "a", prompt: "As A", parallel: true, on: "task-done" },
        { id: "b", prompt: "As B", parallel: true, on: "task-done" },
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    const patches = eventsOf(run, "hook.finished").map(({ hook, patch = "" }) => [
      hook,
      place.read(patch).split("\n")[0],
    ]);
    expect(patches.sort()).toEqual([
      ["a", "diff --git a/a.txt b/a.txt"],
      ["b", "diff --git a/b.txt b/b.txt"],
    ]);
    expect(place.git("status", "--porcelain")).toBe("");
  });
});

describe.concurrent("workflows", () => {
  const LOOK = "name: Look\nphases:\n  - { id: one, prompt: Phase one }\n  - { id: two, prompt: Phase two }\n";
  const phases = {
    "Phase one": [{ write: { path: "notes.md", text: "1\n" } }, { say: "First." }],
    "Phase two": [{ append: { path: "notes.md", text: "2\n" } }, { say: "Second." }],
  };

  test("S003-03 the phases of a workflow are sessions in one checkout, and leave one patch and one text", async () => {
    const place = await loopWorkspace({
      script: script(phases),
      files: { ".ralph/workflows/look.yaml": LOOK },
      config: hooks({ id: "look", workflow: "look" }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    const { output, patch = "", folder } = only(run);
    expect([output, place.read(`${folder}/message.md`)]).toEqual(["First.\n\nSecond.", "First.\n\nSecond.\n"]);
    expect(place.read(patch)).toContain("+1\n+2\n");
    expect(readdirSync(join(place.folder, folder)).sort()).toEqual([
      "change.patch",
      "message.md",
      "one",
      "result.json",
      "two",
    ]);
  });

  test("S003-03 a workflow of a plugin is found where the configuration says", async () => {
    const place = await loopWorkspace({
      script: script(phases),
      files: { "vendor/signs/learning-extraction.yaml": "mode: ralph\ngoal-prompt: Phase one\n" },
      config: `${hooks({ id: "learning", workflow: "m42-signs:learning-extraction" })}plugins: { m42-signs: vendor/signs }\n`,
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(only(run)).toMatchObject({ passed: true, output: "First." });
  });
});

describe.concurrent("refused before anything starts", () => {
  const CASES: readonly (readonly [name: string, config: string, code: number, message: string])[] = [
    [
      "a workflow that is nowhere",
      "hooks:\n  - id: a\n    workflow: nowhere\n",
      78,
      'hooks[0].workflow names a workflow that does not exist: "nowhere" (file .ralph/config.yaml line 7)\n' +
        "hint: Create .claude/workflows/nowhere.yaml or .ralph/workflows/nowhere.yaml, or disable the hook: enabled: false",
    ],
    [
      "a plugin that nobody configured",
      "hooks: [{ id: a, workflow: m42-signs:learning-extraction }]\n",
      78,
      'hooks[0].workflow names a workflow that does not exist: "m42-signs:learning-extraction" (file .ralph/config.yaml line 5)\n' +
        "hint: Say where its workflows are: plugins: { m42-signs: FOLDER }",
    ],
    [
      "a workflow without prompts",
      "hooks: [{ id: a, workflow: broken }]\n",
      65,
      "phases[1].prompt is missing; it must be text that is not empty (.ralph/workflows/broken.yaml, line 4, column 5)\n" +
        "hint: Add `prompt`",
    ],
    [
      "a webhook whose variable is not set",
      "hooks: [{ use: webhook, url: $NO_SUCH_HOOK }]\n",
      78,
      "hooks[0].url names the variable NO_SUCH_HOOK, which is not set (file .ralph/config.yaml line 5)\n" +
        "hint: Set NO_SUCH_HOOK, or disable the hook: enabled: false",
    ],
    [
      "a webhook without an address",
      "hooks: [{ use: webhook, url: hooks.example.com/x }]\n",
      78,
      "hooks[0].url must be a URL that begins with https:// or http:// (file .ralph/config.yaml line 5)\n" +
        "hint: Correct it; ralphctl does not show the value, because webhook URLs are secrets",
    ],
  ];

  test.each(CASES)("S003-03 X-78 %s", async (_, config, code, message) => {
    const place = await loopWorkspace({
      script: script({}),
      files: { ".ralph/workflows/broken.yaml": "phases:\n  - { id: one, prompt: One }\n\n  - { id: two }\n" },
      config: `${GATE}${config}`,
    });
    const expected = { code, stdout: "", stderr: `error: ${message}\n` };
    expect([await place.ralphctl("run"), await place.ralphctl("run", "--dry-run")]).toEqual([expected, expected]);
  });

  test("S003-03 nothing that a hook names need exist while it is switched off", async () => {
    const place = await loopWorkspace({
      script: script({}),
      config: hooks({ id: "learning", workflow: "m42-signs:learning-extraction", parallel: true, enabled: false }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(eventsOf(run, "hook.finished")).toEqual([]);
  });
});
