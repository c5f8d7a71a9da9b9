import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { PROGRAM } from "../built-program.ts";
import { byLane } from "../lane.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";

// Every command that takes a scope flag, with each of these flags: what is not in the table below fails the first test.

const SCOPES = {
  "--project": ["auth", "project/auth"],
  "--change": ["add-x", "change/add-x"],
  "--sprint": ["sprints/s", "sprint/sprints/s"],
  "--module": ["014", "workspace"],
} as const;

type Flag = keyof typeof SCOPES;

/** `init --project` makes one instead of asking for it. */
const flagsOf = (name: string): Flag[] => {
  const own =
    commands.find((command) => command.name === name)?.options?.map(({ flags }) => /--[\w-]+/.exec(flags)![0]) ?? [];
  return (Object.keys(SCOPES) as Flag[]).filter((flag) => own.includes(flag));
};

/** What is typed before and after the flag, and what of its output shows that the scope was meant. */
interface Line {
  readonly words: readonly string[];
  readonly shows: (scope: string) => string;
  /** How it ends; absent: with 0. */
  readonly code?: number;
}

const title = (scope: string): string => `Of ${scope}`;

const LINES: Readonly<Record<string, Line>> = {
  run: { words: ["run", "--dry-run"], shows: title },
  prompt: { words: ["prompt", "{prompt}"], shows: title },
  status: { words: ["status"], shows: title },
  inspect: { words: ["inspect", "--json"], shows: () => "[]" },
  logs: { words: ["logs"], shows: () => "No runs", code: 3 },
  report: { words: ["report"], shows: () => "No runs", code: 3 },
  verify: { words: ["verify", "--json"], shows: () => '"verdict": "verified"' },
  trust: { words: ["trust", "--yes", "--json"], shows: () => "gates.test.run" },
  "context add": {
    words: ["context", "add", "Mind it"],
    shows: (scope) => `The next iteration of ${scope} will see it`,
  },
  "context show": { words: ["context", "show", "--json"], shows: (scope) => `"scope":"${scope}"` },
  "context clear": { words: ["context", "clear"], shows: (scope) => `Cleared the context of ${scope}` },
  "task add": { words: ["task", "add", "More", "--json"], shows: (scope) => `"scope":"${scope}"` },
  "task list": { words: ["task", "list"], shows: title },
  "task ready": { words: ["task", "ready"], shows: title },
  "task tree": { words: ["task", "tree"], shows: title },
  "task graph": { words: ["task", "graph"], shows: title },
  // A task that is there stays where it is: each scope imports its own.
  "task import": { words: ["task", "import", "{flag}.md", "--format", "tasks.md"], shows: (scope) => `For ${scope}` },
  "task export": { words: ["task", "export"], shows: title },
};

const FILES = {
  "projects/auth/specs/a.md": "# A\n",
  "openspec/changes/add-x/proposal.md": "X.\n",
  "openspec/modules/014_docs/module.md": "Docs.\n",
  "--project.md": "- [ ] 1.1 For project/auth\n",
  "--change.md": "- [ ] 1.1 For change/add-x\n",
  "--sprint.md": "- [ ] 1.1 For sprint/sprints/s\n",
  // Its steps are in its file; all others are added by command.
  "sprints/s/PROGRESS.yaml":
    "goal: S\ndynamic-steps:\n  - {id: step-0, prompt: Of sprint/sprints/s, status: pending}\n",
};

let place: LoopWorkspace;

beforeAll(async () => {
  place = await loopWorkspace({
    tasks: ["Of workspace"],
    config: "gates:\n  - { id: test, run: test -f README.md }\n",
    files: FILES,
    script: '- - write: { path: done.txt, text: "{scope}\\n" }\n  - say: <task-done>{task}</task-done>\n',
  });
  await place.task("add", "Of project/auth", "--project", "auth");
  await place.task("add", "Of change/add-x", "--change", "add-x");
  await place.ralphctl("sprint", "start", "sprints/s");
});

test("every command that takes a scope flag is tried", () => {
  const taking = commands.filter(({ name }) => name !== "init" && flagsOf(name).length > 0).map(({ name }) => name);
  expect(taking.sort()).toEqual([...Object.keys(LINES), "step"].sort());
});

/** All pairs; in the fast lane each command once, each flag with every fourth of them. */
const cases = Object.keys(LINES).flatMap((name, index) => {
  const flags = flagsOf(name);
  const chosen = byLane([flags[index % flags.length]!], flags);
  return chosen.map((flag) => [name, flag] as const);
});
const FLAGS = Object.keys(SCOPES) as Flag[];

// In order: what one adds, another would list.
test.each(cases)("S000-AC1 S002-07 W-06 ralphctl %s takes %s", async (name, flag) => {
  const [value, scope] = SCOPES[flag];
  const { words, shows, code: expected = 0 } = LINES[name]!;
  const prompt = flag === "--sprint" ? "executing" : "build";
  const typed = words.map((word) => word.replace("{flag}", `./${flag}`).replace("{prompt}", prompt));
  const { code, stdout, stderr } = await place.ralphctl(...typed, flag, value);
  expect([code, `${stdout}${stderr}`]).toEqual([expected, expect.stringContaining(shows(scope))]);
  if (flag === "--module") return;
  const others = ["workspace", "project/auth", "change/add-x", "sprint/sprints/s"].filter((other) => other !== scope);
  expect(others.filter((other) => stdout.includes(title(other)))).toEqual([]);
});

describe("the loop itself", () => {
  test.each(byLane(FLAGS.slice(0, 2), FLAGS))(
    "S000-R2 run and --status take %s, and the session knows its scope",
    async (flag) => {
      const own = await loopWorkspace({
        tasks: ["Of workspace"],
        config: "gates:\n  - { id: test, run: test -f README.md }\n",
        files: FILES,
        script:
          '- - run: printf %s "$RALPHCTL_SCOPE" > scope.txt\n  - say: "<task-done>{task}</task-done>\\n\\nRALPH_COMPLETE: All of it"\n',
      });
      const [value, scope] = SCOPES[flag];
      if (scope !== "workspace" && flag !== "--sprint") await own.task("add", title(scope), flag, value);
      const run = await own.run(flag, value);
      const status = JSON.parse((await own.ralphctl("run", "--status", "--json", flag, value)).stdout) as {
        readonly scope: string;
        readonly run: string;
      };
      expect([run.code, own.read("scope.txt"), status.scope, status.run]).toEqual([0, scope, scope, run.name]);
    },
  );

  test.runIf(hasTerminals).each(byLane(FLAGS.slice(2, 3), FLAGS))("S000-AC1 step takes %s", async (flag) => {
    const own = await loopWorkspace({
      tasks: ["Of workspace"],
      config: "gates:\n  - { id: test, run: test -f README.md }\n",
      files: FILES,
      script: '- - run: printf %s "$RALPHCTL_SCOPE" > scope.txt\n  - run: ralphctl task done "$RALPHCTL_TASK"\n',
    });
    const [value, scope] = SCOPES[flag];
    if (scope !== "workspace" && flag !== "--sprint") await own.task("add", title(scope), flag, value);
    const step = startAtTerminal([process.execPath, PROGRAM, "step", flag, value], own.folder);
    expect([await step.ended, own.read("scope.txt"), own.commits()]).toEqual([0, scope, [title(scope)]]);
    const { stdout } = await own.ralphctl("inspect", flag, value, "--json");
    expect((JSON.parse(stdout) as { readonly folder: string }[]).map(({ folder }) => folder)).toEqual([
      expect.stringContaining(join(own.folder, ".ralph/runs/")),
    ]);
  });
});
