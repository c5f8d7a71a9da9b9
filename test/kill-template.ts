import { photograph } from "./kill-report.ts";
import { loopWorkspace } from "./loop-workspace.ts";

const SCRIPT = `
- when: { title: Write alpha }
  steps:
    - write: { path: alpha.txt, text: "alpha\\n" }
    - run: echo alpha >README.md
    - say: <task-done>{task}</task-done>
- when: { title: Write beta }
  steps:
    - write: { path: beta.txt, text: "beta\\n" }
    - run: git add beta.txt && git commit --quiet --message "Agent's own"
    - say: <task-done>{task}</task-done>
- when: { title: Write gamma }
  steps:
    - run: if test -f gamma.txt; then echo gamma >gamma.txt; else echo bad >gamma.txt; fi
    - say: <task-done>{task}</task-done>
- when: { title: Write delta }
  steps:
    - write: { path: delta.txt, text: "delta\\n" }
    - say: <task-done>{task}</task-done>
- when: { title: Write epsilon }
  steps:
    - write: { path: epsilon.txt, text: "epsilon\\n" }
    - say: <task-done>{task}</task-done>
`;
const CONFIG = `gates:\n  - { id: test, run: "sleep 0.05; ! grep -qs bad gamma.txt" }\n`;

/** All that can be seen of a workspace when its work is complete. */
export interface Seen {
  readonly code: number;
  readonly states: Readonly<Record<string, string>>;
  readonly commits: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly differences: string;
  readonly refs: readonly string[];
  readonly locks: readonly string[];
  /** What the slow query says against what is kept. */
  readonly problems: readonly unknown[];
  readonly processes: readonly number[];
  /** What it said when it did not end well. */
  readonly trouble?: string;
}

export interface Template {
  readonly folder: string;
  readonly start: string;
  /** What every run must come to, however often it was killed. */
  readonly whole: Seen;
  /** Several agents work at once. */
  readonly hasLanes?: boolean;
}

/** What becomes of each task: one agent does not commit, one does, one is rejected at first. */
const WORK = {
  alpha: { commits: ["Write alpha"], files: { "README.md": "alpha\n", "alpha.txt": "alpha\n" } },
  beta: { commits: ["Agent's own"], files: { "beta.txt": "beta\n" } },
  gamma: { commits: ["Write gamma"], files: { "gamma.txt": "gamma\n" } },
  epsilon: { commits: ["Write epsilon"], files: { "epsilon.txt": "epsilon\n" } },
  delta: { commits: ["Write delta"], files: { "delta.txt": "delta\n" } },
};

type Name = keyof typeof WORK;

/** A workspace whose plan file has these tasks. */
export const killTemplate = async (...names: readonly Name[]): Promise<Template> => await template(names);

/** The same with so many agents at once: the order of the commits is theirs. */
export const laneTemplate = async (lanes: number, ...names: readonly Name[]): Promise<Template> =>
  await template(names, { lanes });

/** The same with sessions that do not go on while a file exists. */
export const heldTemplate = async (hold: string, ...names: readonly Name[]): Promise<Template> =>
  await template(names, { script: SCRIPT.replaceAll("steps:\n", `steps:\n    - run: ${whileThere(hold)}\n`) });

const whileThere = (path: string): string => `while test -e '${path}'; do sleep 0.05; done`;

async function template(names: readonly Name[], { lanes = 1, script = SCRIPT } = {}): Promise<Template> {
  const plan = planOf(names);
  const place = await loopWorkspace({
    script,
    tasks: [],
    config: lanes === 1 ? CONFIG : `${CONFIG}lanes: { count: ${lanes} }\n`,
    files: { "IMPLEMENTATION_PLAN.md": plan },
  });
  const whole = wholeWork(...names);
  const start = place.git("rev-parse", "HEAD");
  if (lanes === 1) return { folder: place.folder, start, whole };
  return { folder: place.folder, start, whole: { ...whole, commits: whole.commits.toSorted() }, hasLanes: true };
}

const planOf = (names: readonly Name[]): string => `# Plan\n\n${names.map((name) => `- [ ] Write ${name}\n`).join("")}`;

/** What can be seen when these tasks are done. */
export const wholeWork = (...names: readonly Name[]): Seen => expected(planOf(names), names);

/** An agent's own commits, or work that did not land. */
const WITH_KEPT = ["refs/heads/main", "refs/ralph/followed/main", "refs/ralph/RUN/TASK", "refs/ralph/target/main"];

const expected = (plan: string, names: readonly Name[]): Seen => ({
  code: 0,
  states: { Plan: "done", ...Object.fromEntries(names.map((name) => [`Write ${name}`, "done"])) },
  commits: names.flatMap((name) => WORK[name].commits),
  files: Object.assign(
    { "IMPLEMENTATION_PLAN.md": plan.replaceAll("[ ]", "[x]") },
    ...names.map((name) => WORK[name].files),
  ),
  differences: "",
  refs: names.includes("beta") ? WITH_KEPT : ["refs/heads/main", "refs/ralph/followed/main", "refs/ralph/target/main"],
  locks: [],
  problems: [],
  processes: [],
});

const UNMARKED = "# Plan\n\n- [ ] Write delta\n";

/** A task that fails for good: its agent commits, and leaves something uncommitted, and its claim is red. */
export async function failingTemplate(): Promise<Template> {
  const place = await loopWorkspace({
    script: `
- - run: echo delta >README.md && git commit --quiet --all --message "Agent's own"; echo more >more.txt
  - say: <task-done>{task}</task-done>
`,
    tasks: [],
    config: `gates:\n  - { id: test, run: "! test -f more.txt" }\nlimits: { attempts: 1 }\n`,
    files: { "IMPLEMENTATION_PLAN.md": UNMARKED },
  });
  return {
    folder: place.folder,
    start: place.git("rev-parse", "HEAD"),
    whole: {
      ...expected(UNMARKED, []),
      code: 1,
      states: { Plan: "failed", "Write delta": "failed" },
      files: {},
      // Where the work is kept, whichever run has kept it.
      refs: WITH_KEPT,
      trouble: "All tasks are settled, and some failed",
    },
  };
}

const SPECIFIED = { ".ralph/specs/alpha.md": "# Alpha\n" };

/** Specs and no task yet: the plan is written first, with another spec, and the planner has begun to work. */
export async function planningTemplate(): Promise<Template> {
  const plan = "# Plan\n\n- [ ] Write alpha\n";
  const place = await loopWorkspace({
    script: `
- when: { title: Write alpha }
  steps:
    - write: { path: alpha.txt, text: "alpha\\n" }
    - run: echo alpha >README.md
    - say: <task-done>{task}</task-done>
- - run: echo planner >README.md
  - write: { path: stray.txt, text: "stray\\n" }
  - write: { path: .ralph/specs/beta.md, text: "# Beta\\n" }
  - write: { path: IMPLEMENTATION_PLAN.md, text: ${JSON.stringify(plan)} }
  - say: <promise>COMPLETE</promise>
`,
    tasks: [],
    config: CONFIG,
    files: SPECIFIED,
  });
  return {
    folder: place.folder,
    start: place.git("rev-parse", "HEAD"),
    whole: {
      ...expected(plan, ["alpha"]),
      commits: ["Plan the work", "Write alpha"],
      files: { ".ralph/specs/beta.md": "# Beta\n", ...expected(plan, ["alpha"]).files },
      refs: WITH_KEPT,
    },
  };
}

/** A workspace of its own, made in no time. */
export const copyOf = ({ folder }: Template): string => photograph(folder);
