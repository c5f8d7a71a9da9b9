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
  expect(place.commits()).toEqual(["Plan the sprint", "Write it", "Paint it"]);
});
