import { expect, test } from "vitest";
import { parse } from "yaml";
import { loopWorkspace, type LoopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { seedFiles } from "../seed-workspace.ts";

const FILES = seedFiles("003-sprints");
const GATE = "gates:\n  - { id: test, run: test ! -f broken.txt }\n";

const sprint = async (options: Partial<WorkspaceOptions> & Pick<WorkspaceOptions, "script">): Promise<LoopWorkspace> =>
  await loopWorkspace({ tasks: [], config: GATE, files: FILES, ...options });

interface Progress {
  readonly "dynamic-steps": readonly { readonly id: string; readonly prompt: string; readonly status: string }[];
}

const stepsIn = (place: LoopWorkspace, folder = "sprints/login"): string[] =>
  (parse(place.read(`${folder}/PROGRESS.yaml`)) as Progress)["dynamic-steps"].map(
    ({ id, prompt, status }) => `${id} ${status}: ${prompt}`,
  );

/** A new goal without any step. */
const fresh = (more = ""): Record<string, string> => ({
  ...FILES,
  "sprints/fresh/SPRINT.yaml": `workflow: ralph\ngoal: A greeting is there\n${more}`,
});

const WORK = `
- when: { prompt: "Execute this step" }
  steps:
    - run: echo "$RALPHCTL_TASK" >> done.txt
    - say: Done. <task-done>{task}</task-done>
`;

test.concurrent("S003-04 S003-05 S003-06 S003-07 D-11 D-12 D-13 a goal: planned, executed, claimed", async () => {
  const place = await sprint({
    files: fresh(),
    script: `${WORK}
- when: { iteration: 1 }
  steps:
    - run: ralphctl task add --sprint sprints/fresh "Write it"
    - run: |
        printf '%s\\n' '  - {id: step-7, prompt: "Paint it", status: pending}' >> steps.txt
        sed -i 's/^dynamic-steps: .*/dynamic-steps:/' sprints/fresh/PROGRESS.yaml
        cat steps.txt >> sprints/fresh/PROGRESS.yaml; rm steps.txt
    - say: Two steps.
- when: { prompt: "Analyse the goal" }
  steps:
    - say: |
        All of it is there.

        RALPH_COMPLETE: It greets
`,
  });
  const run = await place.run("--sprint", "sprints/fresh");
  expect([run.code, run.outcomes]).toEqual([0, ["planned", "verified", "verified", "verified"]]);
  expect(stepsIn(place, "sprints/fresh")).toEqual(["step-7 completed: Paint it", "step-1 completed: Write it"]);
  expect(await place.states()).toEqual({ "Goal: A greeting is there": "done", "Paint it": "done", "Write it": "done" });
  expect(place.commits()).toEqual(["Plan the sprint", "Write it", "Paint it", "Goal: A greeting is there"]);
});

test.concurrent("D-10 D-11 a sprint may be where Claude Code keeps sprints", async () => {
  const folder = ".claude/sprints/2026-01-18_greet";
  const place = await sprint({
    files: { ...FILES, [`${folder}/SPRINT.yaml`]: "workflow: ralph\ngoal: A greeting is there\n" },
    script: `${WORK}
- when: { iteration: 1 }
  steps:
    - run: ralphctl task add --sprint ${folder} "Write it"
    - say: One step.
- - say: "RALPH_COMPLETE: It greets"
`,
  });
  const run = await place.run("--sprint", folder);
  expect([run.code, run.outcomes]).toEqual([0, ["planned", "verified", "verified"]]);
  expect(stepsIn(place, folder)).toEqual(["step-0 completed: Write it"]);
  expect(place.git("status", "--porcelain")).toBe("");
});

test.concurrent("S003-02 S003-04 D-11 a workflow for each item of a collection, in order, and kept in PROGRESS.yaml", async () => {
  const folder = ".claude/sprints/login";
  const place = await sprint({
    files: {
      ".claude/workflows/standard.yaml": `schema-version: "2.0"
name: Standard
phases:
  - { id: prepare, prompt: "Prepare {{sprint.name}}." }
  - { id: development, for-each: step, workflow: feature }
  - { id: qa, prompt: Check all of it. }
`,
      ".claude/workflows/feature.yaml": `name: Feature
phases:
  - { id: plan, prompt: "Plan it: {{item.prompt}}" }
  - { id: build, prompt: "Build it: {{step.prompt}}", gate: { script: test -f built.txt, timeout: 30, on-fail: { prompt: Build again. } } }
`,
      [`${folder}/SPRINT.yaml`]: `workflow: standard
name: Login
config: { max-iterations: 12 }
collections:
  step:
    - prompt: Add a form
    - { id: colour, prompt: Paint it }
`,
    },
    script: `
- when: { iteration: 3 }
  steps:
    - run: echo "$RALPHCTL_TASK" >> done.txt
    - say: <task-done>{task}</task-done>
- - run: echo "$RALPHCTL_TASK" | tee -a done.txt >> built.txt
  - say: <task-done>{task}</task-done>
`,
  });
  const first = await place.run("--sprint", folder, "--max-iterations", "2");
  const half = parse(place.read(`${folder}/PROGRESS.yaml`)) as Record<string, unknown>;
  expect([first.code, half["status"], half["current"]]).toEqual([
    4,
    "in-progress",
    { phase: 1, step: 0, "sub-phase": 1 },
  ]);
  const run = await place.run("--sprint", folder);
  expect([run.code, run.outcomes, run.prompt(1).includes("Current Iteration: 1 / 12")]).toEqual([
    0,
    ["verified", "verified", "verified", "verified"],
    true,
  ]);
  expect(place.commits()).toEqual([
    "Prepare Login.",
    "Plan it: Add a form",
    "Build it: Add a form",
    "Plan it: Paint it",
    "Build it: Paint it",
    "Check all of it.",
  ]);
  expect(run.prompt(1)).toContain("test -f built.txt");
  expect(run.prompt(1)).toContain("### Parent Context\n**Parent:** Add a form\n");
  const after = parse(place.read(`${folder}/PROGRESS.yaml`)) as Record<string, unknown>;
  expect([after["status"], after["current"], place.git("status", "--porcelain")]).toEqual([
    "completed",
    { phase: 3, step: null, "sub-phase": null },
    "",
  ]);
});

test.concurrent("P-42 D-12 a goal has iterations for all steps that are planned, unless a limit is given", async () => {
  const script = `${WORK}
- when: { iteration: 1 }
  steps:
    - run: for n in 1 2 3; do ralphctl task add --sprint sprints/fresh "Step $n"; done
    - say: Three steps.
- - say: "RALPH_COMPLETE: It greets"
`;
  const limits = async (...args: readonly string[]) => {
    const place = await sprint({ files: fresh(), script });
    const run = await place.run("--sprint", "sprints/fresh", ...args);
    return [1, 2].map((iteration) => /Current Iteration: .*/.exec(run.prompt(iteration))?.[0]);
  };
  // Three for each step and for the goal, and twenty.
  expect(await limits()).toEqual(["Current Iteration: 1 / 23 (min: 1)", "Current Iteration: 2 / 33 (min: 1)"]);
  expect(await limits("--max-iterations", "2")).toEqual([
    "Current Iteration: 1 / 2 (min: 1)",
    "Current Iteration: 2 / 2 (min: 1)",
  ]);
});

test.concurrent("S003-06 D-12 said with the last step, the goal is claimed too, and its summary is kept", async () => {
  const place = await sprint({
    script: `
- - write: { path: done.txt, text: "x\\n" }
  - say: |
      <task-done>{task}</task-done>

      RALPH_COMPLETE: Users log in with a password
`,
  });
  const run = await place.run("--sprint", "sprints/login", "--max-iterations", "1");
  expect([run.code, run.outcomes, run.finished?.verified]).toEqual([0, ["verified"], 2]);
  const status = await place.ralphctl("sprint", "status", "sprints/login");
  expect(status).toEqual({
    code: 0,
    stdout: `Sprint login in sprints/login

  State    done
  Goal     Users can log in.
  Summary  Users log in with a password
  Steps    1 of 1 settled

  step-0  done         Task description
`,
    stderr: "",
  });
  // Comments and keys that are not ours stay.
  const before = FILES["sprints/login/PROGRESS.yaml"]!;
  const said = 'sprint-id: login\nstatus: completed\nsummary: "Users log in with a password"\n';
  const after = before.replace("status: pending", "status: completed").replace("sprint-id: login\n", said);
  expect(place.read("sprints/login/PROGRESS.yaml")).toBe(after);
  expect([place.commits(), place.git("status", "--porcelain")]).toEqual([
    ["Task description", "Goal: Users can log in."],
    "",
  ]);
});

test.concurrent("P-44 D-12 who reviews a goal that was claimed with the last step is paid for, too", async () => {
  const place = await sprint({
    config: `${GATE}verify: { reviewer: scripted }\n`,
    script: `
- when: { prompt: <verify-pass/> }
  steps:
    - cost: 0.5
    - say: <verify-pass/>
- steps:
    - write: { path: done.txt, text: "x\\n" }
    - cost: 0.25
    - say: |
        <task-done>{task}</task-done>

        RALPH_COMPLETE: Users log in with a password
`,
  });
  const run = await place.run("--sprint", "sprints/login", "--max-iterations", "1");
  expect([run.code, run.finished?.verified, run.finished?.costUsd]).toEqual([0, 2, 1.25]);
});

test.concurrent("S003-04 S003-06 D-12 PROGRESS.yaml says completed only while the goal is proven to be", async () => {
  const file = "sprints/login/PROGRESS.yaml";
  const own = FILES[file]!.replace("sprint-id: login\n", "sprint-id: login\nstatus: started # by hand\n");
  const place = await sprint({
    files: { ...FILES, [file]: own },
    script: JSON.stringify([
      [{ run: `sed -i 's/started/completed/' ${file}` }, { say: "All of it is completed." }],
      [{ write: { path: "done.txt", text: "x\n" } }, { say: "<task-done>{task}</task-done>\n\nRALPH_COMPLETE: Yes" }],
    ]),
  });
  // What an agent writes there is no proof.
  const lied = await place.run("--sprint", "sprints/login", "--max-iterations", "1");
  expect([lied.code, lied.outcomes, place.read(file)]).toEqual([4, ["idle"], own]);
  const run = await place.run("--sprint", "sprints/login", "--max-iterations", "2");
  const stepDone = own.replace("status: pending", "status: completed");
  expect([run.code, run.outcomes, place.read(file)]).toEqual([
    0,
    ["idle", "verified"],
    stepDone.replace("started # by hand\n", 'completed # by hand\nsummary: "Yes"\n'),
  ]);
  // Where there is more to do it says again what it said before.
  await place.task("add", "One more", "--sprint", "sprints/login");
  await place.ralphctl("sprint", "start", "sprints/login");
  const [before, after] = [place.read(file).slice(0, stepDone.length), place.read(file).slice(stepDone.length)];
  expect([before, after.includes("One more")]).toEqual([stepDone, true]);
});

test.concurrent("S003-04 P-33 a claim of the goal that is rejected leaves PROGRESS.yaml as it was", async () => {
  const file = "sprints/login/PROGRESS.yaml";
  const place = await sprint({
    config: "gates:\n  - { id: test, run: test -f never.txt }\n",
    files: { ...FILES, [file]: FILES[file]!.replace("status: pending", "status: completed") },
    script: '- - say: "RALPH_COMPLETE: They log in"\n',
  });
  const before = place.read(file);
  const run = await place.run("--sprint", "sprints/login", "--max-iterations", "1");
  expect([run.code, run.outcomes, place.read(file), place.git("status", "--porcelain")]).toEqual([
    4,
    ["rejected"],
    before,
    "",
  ]);
});

test.concurrent("S003-06 D-12 P-10 a claim that the gates do not believe is sent back, and counts", async () => {
  const place = await sprint({
    files: fresh(),
    config: "gates:\n  - { id: test, run: test -f greeting.txt }\n",
    script: `
- when: { iteration: 3 }
  steps:
    - run: ralphctl task add --sprint sprints/fresh "Write the greeting"
- when: { iteration: 4 }
  steps:
    - write: { path: greeting.txt, text: "Hello\\n" }
    - say: <task-done>{task}</task-done>
- - say: "RALPH_COMPLETE: It greets"
`,
  });
  const run = await place.run("--sprint", "sprints/fresh", "--max-attempts", "3");
  expect([run.code, run.outcomes]).toEqual([0, ["rejected", "rejected", "planned", "verified", "verified"]]);
  expect(run.prompt(2)).toContain("## Goal\n\nA greeting is there");
  expect(run.prompt(2)).toContain("test -f greeting.txt");
});

test.concurrent("P-22 D-12 a claim before min-iterations is deferred, and the agent is told so", async () => {
  const script = '- - write: { path: greeting.txt, text: "Hello\\n" }\n  - say: "RALPH_COMPLETE: It greets"\n';
  const place = await sprint({ files: fresh("min-iterations: 3\n"), script });
  const run = await place.run("--sprint", "sprints/fresh");
  expect([run.code, run.outcomes]).toEqual([0, ["deferred", "deferred", "verified"]]);
  expect(run.prompt(2)).toContain("was deferred: the run goes on until iteration 3");
  expect(run.prompt(2)).toContain("(min: 3)");
  // What is said for this run goes before the sprint's own word.
  const again = await sprint({ files: fresh("min-iterations: 3\n"), script });
  expect((await again.run("--sprint", "sprints/fresh", "--min-iterations", "1")).outcomes).toEqual(["verified"]);
});

test.concurrent("T-15 D-12 a goal that is claimed without a verified step and without a change is rejected", async () => {
  const place = await sprint({ files: fresh(), script: '- - say: "RALPH_COMPLETE: It was all there"\n' });
  const run = await place.run("--sprint", "sprints/fresh", "--max-attempts", "2");
  expect([run.code, run.outcomes, run.prompt(2)]).toEqual([
    1,
    ["rejected", "rejected"],
    expect.stringContaining("no step of the sprint is done and nothing has changed"),
  ]);
});

test.concurrent("S003-05 D-12 who finds nothing looks back, and is stuck after two reflections", async () => {
  const place = await sprint({ files: fresh("idle-threshold: 2\n"), script: "- - say: Hm.\n" });
  const run = await place.run("--sprint", "sprints/fresh");
  expect([run.code, run.finished?.ending, run.outcomes]).toEqual([
    1,
    "failure",
    ["planned", "planned", "planned", "planned"],
  ]);
  expect(run.finished?.reason).toBe("4 iterations in a row found no step to add and did not achieve the goal");
  const modes = [1, 2, 3, 4].map((iteration) =>
    run.prompt(iteration).includes("Look back: is") ? "reflecting" : "planning",
  );
  expect(modes).toEqual(["planning", "planning", "reflecting", "reflecting"]);
});

test.concurrent("S003-05 D-12 a step that is added in between begins the count anew", async () => {
  const place = await sprint({
    files: fresh("idle-threshold: 1\n"),
    script: `${WORK}
- when: { iteration: 2 }
  steps:
    - run: ralphctl task add --sprint sprints/fresh "Write it"
- - say: Hm.
`,
  });
  const run = await place.run("--sprint", "sprints/fresh");
  expect([run.code, run.outcomes]).toEqual([1, ["planned", "planned", "verified", "planned", "planned", "planned"]]);
  expect([1, 2, 4, 5].map((iteration) => run.prompt(iteration).includes("Look back: is"))).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test.concurrent("D-12 steps that are left are no achieved goal, whatever was said", async () => {
  const place = await sprint({
    files: fresh(),
    script: `
- when: { iteration: 1 }
  steps:
    - run: ralphctl task add --sprint sprints/fresh "Write it"
    - say: "RALPH_COMPLETE: Nearly"
- when: { title: "Write it" }
  steps:
    - write: { path: half.txt, text: "x\\n" }
    - run: ralphctl task add --sprint sprints/fresh "Paint it"
    - say: <task-failed>{task}</task-failed>
- when: { title: "Paint it" }
  steps:
    - write: { path: paint.txt, text: "x\\n" }
    - say: <task-done>{task}</task-done>
- - say: "RALPH_COMPLETE: It greets"
`,
  });
  const run = await place.run("--sprint", "sprints/fresh", "--max-attempts", "1");
  expect([run.code, run.finished?.ending, run.outcomes]).toEqual([2, "blocked", ["planned", "gave-up", "verified"]]);
  expect(run.prompt(2)).toContain("some steps are not done");
  expect(await place.states()).toEqual({
    "Goal: A greeting is there": "pending",
    "Write it": "failed",
    "Paint it": "done",
  });
  // Failed steps stay pending there, with our word beside.
  expect(place.read("sprints/fresh/PROGRESS.yaml")).toContain("status: pending\n    ralph-status: failed\n");
});

test.concurrent("P-04 P-33 what planning changes beside the plan is put aside", async () => {
  const place = await sprint({
    files: fresh(),
    script: `${WORK}
- when: { iteration: 1 }
  steps:
    - write: { path: early.txt, text: "x\\n" }
    - run: ralphctl task add --sprint sprints/fresh "Write it"
- - say: "RALPH_COMPLETE: It greets"
`,
  });
  const run = await place.run("--sprint", "sprints/fresh");
  expect([run.code, run.outcomes]).toEqual([0, ["planned", "verified", "verified"]]);
  expect(place.git("ls-files", "early.txt")).toBe("");
  expect(place.git("show", `refs/ralph/${run.name}/plan:early.txt`)).toBe("x");
  expect(run.prompt(2)).toContain("Shelved as refs/ralph/");
});

test.concurrent("P-04 the next session hears what was shelved, also when it is about the goal again", async () => {
  const place = await sprint({
    files: fresh(),
    script: `${WORK}
- when: { iteration: 1 }
  steps:
    - write: { path: early.txt, text: "x\\n" }
- when: { iteration: 2 }
  steps:
    - run: ralphctl task add --sprint sprints/fresh "Write it"
- - say: "RALPH_COMPLETE: It greets"
`,
  });
  const run = await place.run("--sprint", "sprints/fresh");
  expect([run.code, run.outcomes]).toEqual([0, ["planned", "planned", "verified", "verified"]]);
  expect([2, 3].map((iteration) => run.prompt(iteration).includes("Shelved as refs/ralph/"))).toEqual([true, false]);
});

test.concurrent("P-17 W-02 L-03 an agent that makes its goal smaller changes nothing by it, and is told", async () => {
  const place = await sprint({
    files: fresh(),
    script: `
- when: { iteration: 1 }
  steps:
    - run: ralphctl task add --sprint sprints/fresh "Write it"
- steps:
    - run: |
        echo x >> done.txt
        sed -i 's/^goal:.*/goal: Nothing/' sprints/fresh/SPRINT.yaml
    - say: Done. <task-done>{task}</task-done>
`,
  });
  const run = await place.run("--sprint", "sprints/fresh", "--max-iterations", "2");
  const notes = run.events.flatMap((event) => (event.type === "protocol.broken" ? [event.note] : []));
  const isTouched = place.git("log", "--format=%h", "--", "sprints/fresh/SPRINT.yaml").includes("\n");
  expect([run.outcomes, notes, isTouched, place.git("status", "--porcelain")]).toEqual([
    ["planned", "verified"],
    ["Specs and prompt files are read-only, so these changes were dropped: sprints/fresh/SPRINT.yaml"],
    false,
    "",
  ]);
});

test.concurrent("S003-03 S004-G what the learning hook of the shipped workflow writes is in the next prompt", async () => {
  const place = await sprint({
    files: {
      "sprints/fresh/SPRINT.yaml":
        "workflow: ralph\ngoal: A greeting is there\nper-iteration-hooks: { learning: { enabled: true } }\n",
    },
    script: `
- when: { prompt: "Write into AGENTS.md what the next session must know" }
  steps:
    - append: { path: AGENTS.md, text: "Run it with --fast.\\n" }
    - say: One line.
${WORK}
- when: { iteration: 1 }
  steps:
    - run: ralphctl task add --sprint sprints/fresh "Write it"
    - say: One step.
- - say: "RALPH_COMPLETE: It greets"
`,
  });
  const run = await place.run("--sprint", "sprints/fresh");
  expect([run.code, run.outcomes]).toEqual([0, ["planned", "verified", "verified"]]);
  const context = "## Additional Context (added by user mid-loop)\n\nRun it with --fast.\n\n---";
  expect([1, 2, 3].map((iteration) => run.prompt(iteration).includes(context))).toEqual([false, true, true]);
});
