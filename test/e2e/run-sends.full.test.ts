import { awaitPerson, meanwhile } from "../person-meanwhile.ts";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { type } from "../recording-io.ts";

const CLAIM = "say: <task-done>{task}</task-done>";
const HONEST = `
- - write: { path: done.txt, text: "{task}\\n" }
  - ${CLAIM}
`;
const SPEC = { ".ralph/specs/greeting.md": "# Greeting\n\nSay hello.\n" };
const PLANNING = `
- - write: { path: IMPLEMENTATION_PLAN.md, text: "- [ ] Say hello\\n" }
  - say: <promise>COMPLETE</promise>
`;
const GREEN = "gates:\n  - { id: test, run: test -f README.md }\n";

/** What `--dry-run` shows: system prompt and prompt, as data. */
async function shown(place: LoopWorkspace, ...args: readonly string[]) {
  const answer = await type([...args, "--json"], { cwd: place.folder });
  const view = JSON.parse(answer.stdout) as { system: { text: string }; prompt: { text: string } };
  return { system: view.system.text, prompt: view.prompt.text };
}

/** What the first iteration of a run was sent. */
async function sent(place: LoopWorkspace, ...args: readonly string[]) {
  const run = await place.run(...args, "--max-iterations", "7");
  const { folder } = run.events.find((event) => event.type === "iteration.started")!;
  return { system: place.read(`${folder}/system.md`), prompt: place.read(`${folder}/prompt.md`) };
}

const files = (place: LoopWorkspace): string[] =>
  readdirSync(join(place.folder, ".ralph"), { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith("ralph.db-"))
    .sort();

/** A task that the run is going to make has no id yet. */
const withoutIds = (texts: Readonly<Record<string, string>>) =>
  Object.values(texts).map((text) => text.replaceAll(/t-[0-9a-f]{8}/g, "t-ID"));

test.concurrent.each<[string, Parameters<typeof loopWorkspace>[0], readonly string[]]>([
  ["tasks", { script: HONEST, config: GREEN, tasks: ["One", "Two"] }, []],
  ["a plan file", { script: HONEST, config: GREEN, tasks: [], files: { "IMPLEMENTATION_PLAN.md": "- [ ] One\n" } }, []],
  ["words", { script: HONEST, config: GREEN, tasks: ["One"] }, ["Add a login page"]],
  ["one task", { script: HONEST, config: GREEN, tasks: ["One"] }, ["--validation-command", "true"]],
  ["a prompt file", { script: HONEST, config: GREEN, tasks: [], files: { "PROMPT_build.md": "# Go\n" } }, []],
  ["specs", { script: PLANNING, tasks: [], files: SPEC }, ["--min-iterations", "2"]],
  ["plan mode with words", { script: PLANNING, tasks: [], files: SPEC }, ["plan", "Only the greeting"]],
  [
    "a project",
    {
      script: PLANNING,
      tasks: [],
      files: { "projects/auth/specs/a.md": "# A\n", "PROMPT_plan.md": "Plan {project}, not \\{project}.\n" },
    },
    ["plan", "--project", "auth"],
  ],
])("S000-X3 --dry-run shows to the byte what the run then sends: %s", async (_name, options, args) => {
  const place = await loopWorkspace(options);
  const before = files(place);
  const dry = await shown(place, "run", ...args, "--max-iterations", "7", "--dry-run");
  expect([files(place), place.git("status", "--porcelain")]).toEqual([before, ""]);
  expect(withoutIds(dry)).toEqual(withoutIds(await sent(place, ...args)));
});

test.concurrent("W-06 prompt build shows what the loop would send, gates included, and starts nothing", async () => {
  const place = await loopWorkspace({
    config: "",
    files: { Makefile: 'check:\n\ttouch "$$HOME/started"\n' },
    script: HONEST,
  });
  const view = await shown(place, "prompt", "build");
  const wasStarted = existsSync(join(place.folder, "started"));
  const run = await place.run();
  expect([wasStarted, existsSync(join(place.folder, "started")), view.prompt]).toEqual([false, true, run.prompt(1)]);
});

test.concurrent("P-24 a red baseline is told in the prompt, and done still needs green", async () => {
  const place = await loopWorkspace({
    script: `- - ${CLAIM}\n`,
    config: "gates:\n  - { id: test, run: echo bad; exit 3 }\n",
  });
  const run = await place.run("--max-iterations", "1");
  const checks = run.events.flatMap((event) => (event.type === "check.finished" ? [[event.check, event.red]] : []));
  expect([run.code, run.outcomes, checks]).toEqual([4, ["rejected"], [["baseline", ["test"]]]]);
  const part = /## How this will be verified\n\n[^]*?(?=\n+(?:---|## ))/.exec(run.prompt(1))?.[0];
  expect(part).toBe(`## How this will be verified

When you claim the task, Ralph runs these checks. All must pass:

- \`test\`: echo bad; exit 3

These failed before the first attempt. They must pass, too:

- Gate \`test\` failed before any work began: exit code 3`);
});

/** State and iterations, without what differs from run to run. */
const statusLines = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /State|\d ·/.test(line))
    .map((line) =>
      line
        .trim()
        .replaceAll(/ +/g, " ")
        .replace(/t-\w+/, "ID")
        .replace(/ · [\d.]+s$| \d+$/, ""),
    );

test.concurrent("S004-G S004-D5 what is added to the context while a loop runs is in the next iteration's prompt", async () => {
  const place = await loopWorkspace({
    script: `
- - run: ${awaitPerson("add")}
  - write: { path: one.txt, text: "1" }
  - say: Not yet.
- - run: ${awaitPerson("clear")}
  - write: { path: two.txt, text: "2" }
  - say: Not yet.
- - write: { path: done.txt, text: "yes\\n" }
  - ${CLAIM}
`,
  });
  const person = async (...args: readonly string[]) => (await type(args, { cwd: place.folder })).stdout;
  let during = "";
  const [run] = await Promise.all([
    place.run(),
    meanwhile(place.folder, "add", async () => {
      await person("context", "add", "Use port 8080");
      await person("run", "--add-context", "And not 80");
      during = await person("run", "--status");
    }),
    meanwhile(place.folder, "clear", () => person("context", "clear")),
  ]);
  const contexts = [1, 2, 3].map((iteration) => [
    run.prompt(iteration).includes("Use port 8080"),
    run.prompt(iteration).includes("And not 80"),
  ]);
  expect([run.code, run.outcomes, contexts]).toEqual([
    0,
    ["unfinished", "unfinished", "verified"],
    [
      [false, false],
      [true, true],
      [false, false],
    ],
  ]);
  const after = await person("run", "--status");
  expect([statusLines(during), statusLines(after)]).toEqual([
    ["State running as process", '1 · ID "Do it" · running'],
    [
      "State complete: all tasks are done",
      '1 · ID "Do it" · not finished',
      '2 · ID "Do it" · not finished',
      '3 · ID "Do it" · proven',
    ],
  ]);
});

test.concurrent("S000-AC1 S000-AC2 S000-R2 a run of a project: its prompt, its tasks, its tag", async () => {
  const place = await loopWorkspace({
    tasks: ["Of the workspace"],
    files: {
      "projects/auth/specs/a.md": "# A\n",
      "projects/auth/IMPLEMENTATION_PLAN.md": "- [ ] Log in\n",
      "PROMPT_build.md": "Study {project}/specs, then {project}/IMPLEMENTATION_PLAN.md.\n",
    },
    script: `
- - run: echo "$RALPHCTL_SCOPE" > done.txt
  - ${CLAIM}
`,
  });
  const run = await place.run("--project", "auth");
  const scopes = run.events.flatMap((event) => (event.type === "run.started" ? [event.scope] : []));
  expect([run.code, scopes, place.read("done.txt"), place.commits(), await place.states()]).toEqual([
    0,
    ["project/auth"],
    "project/auth\n",
    ["Log in"],
    { "Of the workspace": "pending", "Log in": "done" },
  ]);
  expect(run.prompt(1)).toContain("Study projects/auth/specs, then projects/auth/IMPLEMENTATION_PLAN.md.\n");
  expect(place.read("projects/auth/IMPLEMENTATION_PLAN.md")).toBe("- [x] Log in\n");
  const mine = await place.ralphctl("run", "--status", "--project", "auth");
  const others = await place.ralphctl("run", "--status");
  expect([mine.stdout.includes("complete: all tasks are done"), others.stdout]).toEqual([
    true,
    "No runs of workspace yet\n\nNext:\n  ralphctl run\n",
  ]);
});

test.concurrent("D-01 S000-R3 the shipped templates serve scoped and unscoped runs alike", async () => {
  const place = await loopWorkspace({
    tasks: [],
    script: PLANNING,
    files: { ...SPEC, "projects/auth/specs/a.md": "# A\n" },
  });
  const named = async (...args: readonly string[]) => {
    const { prompt } = await shown(place, "run", "plan", ...args, "--dry-run");
    return ["{", ".ralph/specs", "projects/auth/specs", "projects/auth/IMPLEMENTATION_PLAN.md"].map((text) =>
      prompt.includes(text),
    );
  };
  expect([await named(), await named("--project", "auth")]).toEqual([
    [false, true, false, false],
    [false, false, true, true],
  ]);
});

test.concurrent("S000-AC3 X-64 a placeholder without --project fails before any agent starts", async () => {
  const place = await loopWorkspace({
    files: { "PROMPT_build.md": "Study {project}/specs.\n", "projects/auth/specs/a.md": "# A\n" },
    script: `- - write: { path: started.txt, text: x }\n`,
  });
  const run = await place.run();
  expect([run.code, run.events, run.stderr, existsSync(join(place.folder, "started.txt"))]).toEqual([
    64,
    [],
    "error: Prompt contains {project} placeholder but --project flag was not provided. Either provide --project flag or remove {project} from your prompt templates.\nhint: Write `\\{project}` for the literal text\n",
    false,
  ]);
  expect(await place.states()).toEqual({ "Do it": "pending" });
});

test.concurrent("D-02 S000-E4 an empty project is refused at once, a missing one names the command that creates it", async () => {
  const place = await loopWorkspace({ script: HONEST });
  const empty = await place.run("--project", "");
  const missing = await place.run("--project", "auth");
  expect([empty.code, empty.stderr, missing.code, missing.stderr]).toEqual([
    64,
    `error: The project name "" is empty\nhint: Use letters, digits, "-", "_" and ".", for example --project auth-system\n`,
    78,
    `error: Unknown project "auth": projects/auth does not exist\nhint: Run ralphctl init --project auth\n`,
  ]);
});

test.concurrent("S000-X3 --dry-run leaves a plan alone in which a mark would be put back", async () => {
  const plan = "- [ ] Login\n  - [ ] Add a form\n";
  const place = await loopWorkspace({
    tasks: [],
    files: { "IMPLEMENTATION_PLAN.md": plan },
    script: "- - say: Hello.\n",
  });
  await place.ralphctl("task", "import", "IMPLEMENTATION_PLAN.md");
  const marked = plan.replace("[ ] Login", "[x] Login");
  place.write({ "IMPLEMENTATION_PLAN.md": marked });
  const { code } = await place.ralphctl("run", "--dry-run");
  expect([code, place.read("IMPLEMENTATION_PLAN.md")]).toEqual([0, marked]);
});
