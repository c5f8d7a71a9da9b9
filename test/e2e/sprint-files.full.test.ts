import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isFull } from "../lane.ts";
import { parse } from "yaml";
import { loopWorkspace, type LoopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { hanging, startGuarded } from "../guarded-run.ts";
import { startLive } from "../live-run.ts";
import { seedFiles } from "../seed-workspace.ts";

const FILES = seedFiles("003-sprints");
const GATE = "gates:\n  - { id: test, run: test ! -f broken.txt }\n";
const PROGRESS = "sprints/login/PROGRESS.yaml";

const sprint = async (options: Partial<WorkspaceOptions> = {}): Promise<LoopWorkspace> =>
  await loopWorkspace({ tasks: [], config: GATE, files: FILES, script: "- - say: Hm.\n", ...options });

describe("phases", () => {
  test.concurrent("T-22 S003-02 a phase whose gate passes before it is worked on, and not asked about", async () => {
    const guarded = Object.entries(FILES).map(([path, text]) => [
      path,
      text.replaceAll("test -f published.txt", "test -f README.md"),
    ]);
    const place = await sprint({
      files: Object.fromEntries(guarded) as Record<string, string>,
      script: `
- when: { iteration: 1 }
  steps:
    - write: { path: notes.txt, text: "x\\n" }
    - say: <task-done>{task}</task-done>
- - write: { path: published.txt, text: "x\\n" }
  - say: <task-done>{task}</task-done>
`,
    });
    await place.ralphctl("sprint", "start", "sprints/release");
    const run = await place.run("--sprint", "sprints/release");
    expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
  });

  test.concurrent("S003-02 D-11 run in sequence, each with its gate, and are marked", async () => {
    const place = await sprint({
      script: `
- when: { iteration: 1 }
  steps:
    - write: { path: notes.txt, text: "x\\n" }
    - say: <task-done>{task}</task-done>
- when: { iteration: 2 }
  steps:
    - write: { path: more.txt, text: "x\\n" }
    - say: <task-done>{task}</task-done>
- - write: { path: published.txt, text: "x\\n" }
  - say: <task-done>{task}</task-done>
`,
    });
    const started = await place.ralphctl("sprint", "start", "sprints/release");
    expect(started).toEqual({
      code: 0,
      stdout: "",
      stderr:
        "Sprint release is ready: sprints/release/PROGRESS.yaml was created, and 2 phases became tasks.\nNext:\n  ralphctl run --sprint sprints/release\n",
    });
    const run = await place.run("--sprint", "sprints/release");
    expect([run.code, run.outcomes]).toEqual([0, ["verified", "rejected", "verified"]]);
    expect(place.commits()).toEqual(["Write down what the release needs.", "Publish it."]);
    expect(run.prompt(1)).toContain(
      "# Sprint: release | Iteration: 1\n\n## Goal\n\nA release\n\n## Current Position\n\n- Phase: **prepare** (1/2)\n\n## Your Task\n\nWrite down what the release needs.\nPut it into notes.txt.",
    );
    expect(run.prompt(3)).toContain("test -f published.txt");
    expect(parse(place.read("sprints/release/PROGRESS.yaml"))).toEqual({
      "sprint-id": "release",
      workflow: "sprint-default",
      goal: "A release",
      status: "completed",
      current: { phase: 2, step: null, "sub-phase": null },
      phases: [
        {
          id: "prepare",
          prompt: "Write down what the release needs.\nPut it into notes.txt.\n",
          status: "completed",
        },
        { id: "publish", prompt: "Publish it.", status: "completed" },
      ],
    });
    const { stdout } = await place.ralphctl("sprint", "status", "sprints/release", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ state: "done", shape: "phases", run: null, summary: null });
  });

  test.concurrent("S003-02 a second start changes nothing", async () => {
    const place = await sprint();
    await place.ralphctl("sprint", "start", "sprints/release");
    const before = place.read("sprints/release/PROGRESS.yaml");
    const again = await place.ralphctl("sprint", "start", "sprints/release");
    expect([again.code, again.stderr.split("\n")[0]]).toEqual([
      0,
      "Sprint release is ready: sprints/release/PROGRESS.yaml was kept, and 0 phases became tasks.",
    ]);
    expect(place.read("sprints/release/PROGRESS.yaml")).toBe(before);
    expect(Object.keys(await place.states())).toEqual(["Write down what the release needs.", "Publish it."]);
  });
});

describe("what is wrong in a sprint's files", () => {
  const BAD: Readonly<Record<string, readonly [files: Record<string, string>, ...lines: string[]]>> = {
    "S003-02 a workflow that is almost there": [
      { "sprints/s/SPRINT.yaml": "goal: x\nworkflow: raplh\n" },
      'error: workflow names an unknown workflow, "raplh" (sprints/s/SPRINT.yaml, line 2, column 11)',
      "hint: Did you mean ralph?",
    ],
    "S003-02 phases without prompt or with an id twice": [
      {
        "sprints/s/SPRINT.yaml": "workflow: own\n",
        ".claude/workflows/own.yaml": "phases:\n  - id: a\n  - {id: a, prompt: x, gate: 5}\n",
      },
      "error: phases[0].prompt is missing; it must be text that is not empty (.claude/workflows/own.yaml, line 2, column 5)",
      "phases[1].gate must be a command, or `{ run, timeout }`, not 5 (.claude/workflows/own.yaml, line 3, column 30)",
      "phases[1].id repeats the id a (.claude/workflows/own.yaml, line 3, column 6)",
      "hint: Add `prompt`",
    ],
    "S003-03 a hook that the workflow does not have": [
      { "sprints/s/SPRINT.yaml": "workflow: ralph\ngoal: x\nper-iteration-hooks:\n  lerning: {enabled: true}\n" },
      "error: per-iteration-hooks.lerning is not a hook of the workflow (sprints/s/SPRINT.yaml, line 4, column 3)",
      "hint: Did you mean learning?",
    ],
    "S003-03 hooks without a workflow that has any": [
      { "sprints/s/SPRINT.yaml": "goal: x\nper-iteration-hooks: {learning: {enabled: true}}\n" },
      "error: per-iteration-hooks.learning is not a hook of the workflow (sprints/s/SPRINT.yaml, line 2, column 23)",
      "hint: Remove it: the workflow has no hooks",
    ],
  };

  test.concurrent.each(Object.entries(BAD).filter((_, at) => isFull || at % 3 === 0))(
    "%s",
    async (_what, [files, ...lines]) => {
      const place = await sprint({ files: { ...FILES, ...files } });
      const expected = { code: 65, stdout: "", stderr: `${lines.join("\n")}\n` };
      expect(await place.ralphctl("sprint", "start", "sprints/s")).toEqual(expected);
      expect(await place.ralphctl("run", "--sprint", "sprints/s")).toEqual(expected);
    },
  );

  test.concurrent("S003-02 X-64 a folder without any of them is no sprint", async () => {
    const place = await sprint({ files: { ...FILES, "sprints/s/README.md": "" } });
    expect(await place.ralphctl("sprint", "start", "sprints/s")).toEqual({
      code: 64,
      stdout: "",
      stderr:
        "error: sprints/s has neither SPRINT.yaml nor PROGRESS.yaml\n" +
        "hint: Write sprints/s/SPRINT.yaml, with the lines `workflow: ralph` and `goal: …`\n",
    });
  });

  test.concurrent("S003-02 an unknown key is a warning, and with --strict an error", async () => {
    const files = { ...FILES, "sprints/s/SPRINT.yaml": "workflow: ralph\ngoal: x\nidle-treshold: 2\n" };
    const place = await sprint({ files });
    const sentence =
      "Unknown key idle-treshold; the closest is idle-threshold (sprints/s/SPRINT.yaml, line 3, column 1)";
    expect(await place.ralphctl("sprint", "start", "sprints/s", "--strict")).toEqual({
      code: 65,
      stdout: "",
      stderr: `error: ${sentence}\nhint: Write \`idle-threshold\`\n`,
    });
    const started = await place.ralphctl("sprint", "start", "sprints/s");
    expect([started.code, started.stderr.split("\n")[0]]).toEqual([0, `warning: ${sentence}`]);
  });
});

describe("PROGRESS.yaml", () => {
  test.concurrent("S003-04 D-11 what a person and an agent write at the same time is all kept", async () => {
    const place = await sprint({
      script: `
- when: { iteration: 1 }
  steps:
    - write: { path: done.txt, text: "x\\n" }
    - run: |
        printf '%s\\n' '  # by hand' '  - {id: step-5, prompt: "By hand", status: pending, mood: good}' >> ${PROGRESS}
    - run: ralphctl task add --sprint sprints/login "By command"
    - say: <task-done>{task}</task-done>
- - run: echo x >> done.txt
  - say: <task-done>{task}</task-done>
`,
    });
    const run = await place.run("--sprint", "sprints/login", "--max-iterations", "3");
    expect([run.code, run.outcomes]).toEqual([4, ["verified", "verified", "verified"]]);
    const text = place.read(PROGRESS).replace(/added-at: "2026-1[^"]*"/, 'added-at: "NOW"');
    expect(text).toBe(`${FILES[PROGRESS]!.replace("status: pending", "status: completed")}  # by hand
  - {id: step-5, prompt: "By hand", status: completed, mood: good}
  - id: step-2
    prompt: "By command"
    status: completed
    added-at: "NOW"
    added-in-iteration: 1
`);
  });

  test.concurrent("S003-04 P-53 one that an agent broke stays as it is, and the last good one is offered", async () => {
    const place = await sprint({
      script: `
- when: { iteration: 1 }
  steps:
    - run: "printf 'goal: [\\\\n' > ${PROGRESS}"
- - say: Hm.
`,
    });
    const run = await place.run("--sprint", "sprints/login", "--max-iterations", "2");
    expect(run.code).toBe(4);
    const offer = "the last readable version is .ralph/backup/sprints/sprints/login/PROGRESS.yaml";
    expect(run.prompt(2)).toContain(offer);
    expect(place.read(PROGRESS)).toBe("goal: [\n");
    expect(place.read(".ralph/backup/sprints/sprints/login/PROGRESS.yaml")).toBe(FILES[PROGRESS]);
    const next = await place.ralphctl("run", "--sprint", "sprints/login");
    expect([next.code, next.stderr.includes(offer), next.stderr.includes(`${PROGRESS}, line `)]).toEqual([
      65,
      true,
      true,
    ]);
    expect(place.read(PROGRESS)).toBe("goal: [\n");
  });

  describe("one that is gone is put back, and no step is dropped for it", () => {
    const two = `${FILES[PROGRESS]!}  - {id: step-1, prompt: Second}\n`;
    const script = (then: string): string =>
      `- - run: echo x >> done.txt; ${then}\n  - say: <task-done>{task}</task-done>\n`;
    const after = two.replace("status: pending", "status: completed");
    const states = { "Goal: Users can log in.": "pending", "Task description": "done", Second: "pending" };

    test.concurrent("S003-04 P-52 by the agent: it is told so", async () => {
      const place = await sprint({ files: { ...FILES, [PROGRESS]: two }, script: script(`rm ${PROGRESS}`) });
      const run = await place.run("--sprint", "sprints/login", "--max-iterations", "1");
      expect([run.code, run.outcomes, place.read(PROGRESS)]).toEqual([4, ["verified"], after]);
      expect(run.events.flatMap((event) => (event.type === "protocol.broken" ? [event.note] : []))).toContain(
        `The session removed ${PROGRESS}, and ralphctl restored it`,
      );
      expect(await place.states()).toEqual(states);
    });

    test.concurrent.each([
      ["with its comments, from the copy of it", PROGRESS, after],
      ["from the tasks, if the copy is gone, too", `${PROGRESS} .ralph/backup`, undefined],
    ])("S003-04 P-41 between two runs: %s", async (_, gone, text) => {
      const place = await sprint({ files: { ...FILES, [PROGRESS]: two }, script: script("true") });
      await place.run("--sprint", "sprints/login", "--max-iterations", "1");
      for (const path of gone.split(" ")) rmSync(join(place.folder, path), { recursive: true });
      await place.ralphctl("sprint", "start", "sprints/login");
      expect(await place.states()).toEqual(states);
      const now = place.read(PROGRESS);
      if (text !== undefined) expect(now).toBe(text);
      const { "dynamic-steps": steps } = parse(now) as { "dynamic-steps": { id: string; status?: string }[] };
      expect(steps.map(({ id, status = "pending" }) => [id, status])).toEqual([
        ["step-0", "completed"],
        ["step-1", "pending"],
      ]);
    });
  });

  test.concurrent("D-11 P-52 a step that an agent marks is no proof", async () => {
    const place = await sprint({
      config: "gates:\n  - { id: test, run: test -f never.txt }\n",
      script: `- - run: sed -i 's/status. pending/status\\x3a completed/' ${PROGRESS}\n  - say: All done.\n`,
    });
    const run = await place.run("--sprint", "sprints/login", "--max-iterations", "1");
    expect([run.code, run.outcomes]).toEqual([4, ["rejected"]]);
    expect(place.read(PROGRESS)).toBe(FILES[PROGRESS]);
  });
});

test.concurrent("D-12 P-41 the goal of a sprint that is done stays done; a new step opens it again", async () => {
  const place = await sprint({
    script: `
- when: { prompt: "Execute this step" }
  steps:
    - run: echo x >> done.txt
    - say: <task-done>{task}</task-done>
- - say: "RALPH_COMPLETE: They log in"
`,
  });
  expect((await place.run("--sprint", "sprints/login")).outcomes).toEqual(["verified", "verified"]);
  const again = await place.run("--sprint", "sprints/login");
  expect([again.code, again.outcomes]).toEqual([0, []]);
  await place.task("add", "One more", "--sprint", "sprints/login");
  const more = await place.run("--sprint", "sprints/login");
  expect([more.code, more.outcomes]).toEqual([0, ["verified", "verified"]]);
});

test("S003-04 P-41 killed while the goal is verified: PROGRESS.yaml says what it said before", async () => {
  const { files, hangs } = hanging();
  const before = FILES[PROGRESS]!.replace("status: pending", "status: completed");
  const place = await sprint({
    files: { ...FILES, ...files, [PROGRESS]: before },
    config: "gates: [{ id: test, run: test ! -e $HOME/.ralph/go.tmp || sh hang.sh }]\n",
    script: '- - run: touch $HOME/.ralph/go.tmp\n  - say: "RALPH_COMPLETE: They log in"\n',
  });
  const killed = startGuarded(place.folder, ["run", "--sprint", "sprints/login"]);
  await hangs();
  expect(place.read(PROGRESS)).toBe(before);
  await killed.kill("alone");
  await killed.isSilent();
  const run = await place.run("--sprint", "sprints/login", "--min-iterations", "2", "--max-iterations", "1");
  expect([run.code, run.outcomes, place.read(PROGRESS)]).toEqual([4, ["deferred"], before]);
});

test.concurrent("P-40 W-01 sprint stop is about its own run, and no agent may start or stop a sprint", async () => {
  const place = await sprint({
    script: "- - run: ralphctl sprint start sprints/login; echo $? > $HOME/code.txt\n  - say: Hm.\n",
  });
  expect(await place.ralphctl("sprint", "stop", "sprints/login")).toEqual({
    code: 3,
    stdout: "",
    stderr: "No active run of this sprint in this working tree.\n",
  });
  await place.run("--sprint", "sprints/login", "--max-iterations", "1");
  expect(place.read("code.txt")).toBe("64\n");
});

test("P-40 S003-04 sprint status shows the run of a sprint, sprint stop ends it, and nothing is counted", async () => {
  const place = await sprint({ script: "- - say: I think\n  - delayMs: 600000\n" });
  const live = startLive(place.folder, "--sprint", "sprints/login");
  await live.says("agent.text");
  const { stdout } = await place.ralphctl("sprint", "status", "sprints/login", "--json");
  const status = JSON.parse(stdout) as { readonly state: string; readonly run: string };
  expect((await place.ralphctl("sprint", "stop", "sprints/release")).code).toBe(3);
  const stopped = await place.ralphctl("sprint", "stop", "sprints/login");
  const run = await live.ended;
  expect([status.state, status.run, stopped.code, run.code, run.outcomes]).toEqual([
    "running",
    run.name,
    0,
    130,
    ["stopped"],
  ]);
  expect(await place.states()).toEqual({ "Goal: Users can log in.": "pending", "Task description": "pending" });
  expect(place.read(PROGRESS)).toBe(FILES[PROGRESS]);
});

test.concurrent("P-04 D-12 X-64 a sprint has no plan mode: nothing is started, and nothing is written", async () => {
  const place = await sprint({ files: { ...FILES, ".ralph/specs/login.md": "# Login\n" } });
  const lines = [["run"], ["run", "--dry-run"]];
  const asked = async (folder: string) =>
    await Promise.all(lines.map((line) => place.ralphctl(...line, "plan", "--sprint", folder)));
  const refusal = (sentence: string, hint: string) => ({
    code: 64,
    stdout: "",
    stderr: `error: ${sentence}\nhint: ${hint}\n`,
  });
  const goal = refusal(
    "A sprint plans whenever no step is pending, so it has no plan mode",
    "Run ralphctl run --sprint sprints/login, with --max-iterations 1 for a single iteration",
  );
  const phases = refusal(
    "The plan of this sprint is the phases of its workflow, so it has no plan mode",
    "Run ralphctl run --sprint sprints/release",
  );
  expect([await asked("sprints/login"), await asked("sprints/release")]).toEqual([
    [goal, goal],
    [phases, phases],
  ]);
  expect([await place.states(), place.git("status", "--porcelain")]).toEqual([{}, ""]);
});

test.concurrent("S003-03 X-78 a hook of the sprint that names what does not exist is refused at the start", async () => {
  const files = {
    ...FILES,
    "sprints/login/SPRINT.yaml": "workflow: ralph\ngoal: x\nper-iteration-hooks:\n  learning: {enabled: true}\n",
  };
  const place = await sprint({ files });
  const refused = {
    code: 78,
    stdout: "",
    stderr:
      'error: per-iteration-hooks[0].workflow names a workflow that does not exist: "m42-signs:learning-extraction" (file .claude/workflows/ralph.yaml line 14)\n' +
      "hint: Say where its workflows are: plugins: { m42-signs: FOLDER }\n",
  };
  const lines = ["sprint start sprints/login", "run --sprint sprints/login", "run --dry-run --sprint sprints/login"];
  expect(await Promise.all(lines.map((line) => place.ralphctl(...line.split(" "))))).toEqual([
    refused,
    refused,
    refused,
  ]);
});

test.concurrent("S003-03 SPRINT.yaml switches a hook of its workflow on", async () => {
  const files = {
    ...FILES,
    ".claude/workflows/own.yaml":
      "mode: ralph\nper-iteration-hooks:\n  - {id: count, run: echo x >> $HOME/.ralph/count.txt, enabled: false}\n  - {id: other, run: echo x >> $HOME/.ralph/other.txt, enabled: false}\n",
    "sprints/s/SPRINT.yaml":
      "workflow: own\ngoal: x\nidle-threshold: 1\nper-iteration-hooks:\n  count: {enabled: true}\n",
  };
  const place = await sprint({ files });
  const run = await place.run("--sprint", "sprints/s");
  expect([run.code, run.outcomes.length, place.read(".ralph/count.txt")]).toEqual([1, 3, "x\nx\nx\n"]);
  expect(() => place.read(".ralph/other.txt")).toThrow("ENOENT");
});

test.concurrent("L-03 S003-04 PROGRESS.yaml lands, whichever command created it, unless the person edited it since", async () => {
  const script = `
- when: { prompt: "Execute this step" }
  steps:
    - run: echo "$RALPHCTL_TASK" >> done.txt
    - say: Done. <task-done>{task}</task-done>
- - run: ralphctl task add --sprint sprints/fresh "Write it"
  - say: One step.
`;
  const landed = async (before: (place: LoopWorkspace) => Promise<unknown>): Promise<string> => {
    const place = await sprint({
      files: { ...FILES, "sprints/fresh/SPRINT.yaml": "workflow: ralph\ngoal: A greeting is there\n" },
      script,
    });
    await before(place);
    expect((await place.run("--sprint", "sprints/fresh", "--max-iterations", "2")).outcomes).toEqual([
      "planned",
      "verified",
    ]);
    return place.git("ls-tree", "-r", "--name-only", "HEAD", "sprints/fresh/PROGRESS.yaml");
  };
  const start = async (place: LoopWorkspace): Promise<unknown> =>
    await place.ralphctl("sprint", "start", "sprints/fresh");
  const file = "sprints/fresh/PROGRESS.yaml";
  expect(await Promise.all([landed(async () => undefined), landed(start)])).toEqual([file, file]);
  const edited = await landed(async (place) => {
    await start(place);
    place.write({ [file]: `${place.read(file)}# mine\n` });
  });
  expect(edited).toBe("");
});
