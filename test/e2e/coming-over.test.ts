import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProgressDb } from "../progress-db.ts";
import { type } from "../recording-io.ts";
import { seedFiles } from "../seed-workspace.ts";
import { temporaryFolder, temporaryRepository } from "../temporary-folder.ts";

type Files = Readonly<Record<string, string>>;

/** A repository laid out as another tool leaves it, after `init`. */
interface Moved {
  readonly cwd: string;
  /** What `init` said. */
  readonly said: string;
  /** Types a line, and returns all that it printed. */
  readonly types: (line: string) => Promise<string>;
}

const ENV = {
  PATH: process.env["PATH"]!,
  RALPHCTL_HARNESS: "scripted",
  RALPHCTL_HARNESSES_SCRIPTED_SCRIPT: join(temporaryFolder({ "script.yaml": "- - say: hello\n" }), "script.yaml"),
};

async function moved(files: Files, prepare?: (cwd: string) => Promise<void>): Promise<Moved> {
  const cwd = temporaryRepository({ "README.md": "x", ...files });
  await prepare?.(cwd);
  const types = async (line: string): Promise<string> => {
    const { stdout, stderr } = await type(line.split(" "), { cwd, env: ENV });
    return stdout + stderr;
  };
  return { cwd, said: await types("init --yes"), types };
}

/** A line that is typed, and what it prints; or more than that. */
type Row = readonly [line: string, prints: string | RegExp] | ((at: Moved) => Promise<void>);

interface System {
  readonly files: Files;
  readonly prepare?: (cwd: string) => Promise<void>;
  readonly rows: Readonly<Record<string, Row>>;
}

const prints =
  (...pairs: readonly (readonly [line: string, prints: string])[]): Row =>
  async ({ types }) => {
    for (const [line, expected] of pairs) expect(await types(line)).toContain(expected);
  };

/** In a repository of its own. */
const elsewhere =
  (files: Files, line: string, expected: string): Row =>
  async () => {
    const { said, types } = await moved(files);
    expect(`${said}${await types(line)}`).toContain(expected);
  };

const backlog = (id: string, title: string, more = ""): Files => ({
  [`backlog/tasks/${id} - ${title}.md`]: `---\nid: ${id}\ntitle: ${title}\nstatus: To Do\n${more}---\n\n## Acceptance Criteria\n- [ ] #1 ${title} works\n`,
});

const SYSTEMS: Readonly<Record<string, System>> = {
  "A shell loop with a prompt": {
    files: {
      "PROMPT.md": "Study the specs, then do one thing.\n",
      "specs/greeting.md": "# Greeting\n",
      "IMPLEMENTATION_PLAN.md": "- [ ] Greet\n",
      "fix_plan.md": "- [ ] Fix the greeting\n",
    },
    rows: {
      "`PROMPT.md`, the same text every time": prints(
        ["status", "prompts: { build: PROMPT.md }"],
        ["run --file PROMPT.md --dry-run", "Study the specs, then do one thing."],
      ),
      "`specs/`": ["config get specs.dirs", "- specs\n"],
      "`IMPLEMENTATION_PLAN.md` with check boxes": ["status", /IMPLEMENTATION_PLAN\.md +1 open, 0 done\n +followed/],
      "`fix_plan.md` with check boxes": ["status", /fix_plan\.md +1 open, 0 done\n +followed/],
      "a plan of bullets without boxes": elsewhere(
        { "fix_plan.md": "- Greet\n" },
        "run --file fix_plan.md --dry-run",
        "- Greet",
      ),
    },
  },
  "snarktank/ralph": {
    files: {
      "scripts/ralph/prd.json":
        '{ "branchName": "ralph/x", "userStories": [{ "id": "US-001", "title": "Greet", "acceptanceCriteria": ["It says hello"], "priority": 1, "passes": false }] }\n',
    },
    rows: {
      "`prd.json`, or `scripts/ralph/prd.json`": ["status", /scripts\/ralph\/prd\.json +1 open, 0 done\n +followed/],
      "`acceptanceCriteria`": ["run --dry-run", "It says hello"],
      "`./ralph.sh 20`": ["run --max-iterations 20 --dry-run", "/ 20 (min: 1)"],
      "`./ralph.sh --tool claude`": ["run --tool claude --dry-run", "--tool claude is --harness claude here"],
    },
  },
  "ralph-claude-code": {
    files: {
      ".ralph/fix_plan.md": "## High Priority\n- [ ] Greet\n",
      ".ralph/PROMPT.md": "You are Ralph.\n",
      ".ralph/specs/a.md": "# A\n",
      ".ralphrc":
        'PROJECT_NAME="x"\nexport CLAUDE_TIMEOUT_MINUTES="20" # minutes\nCB_NO_PROGRESS_THRESHOLD=${N:-4}\nCB_SAME_ERROR_THRESHOLD=6\nALLOWED_TOOLS="$(rm -rf x)"\n',
    },
    rows: {
      "`.ralph/fix_plan.md`": ["status", /\.ralph\/fix_plan\.md +1 open, 0 done\n +followed/],
      "`.ralph/PROMPT.md`": ["status", "prompts: { build: .ralph/PROMPT.md }"],
      "`.ralph/specs/`": ["config get specs.dirs", "- .ralph/specs\n"],
      "`.ralphrc` `CLAUDE_TIMEOUT_MINUTES`": ["config get limits.attempt", "20m"],
      "`.ralphrc` `CB_NO_PROGRESS_THRESHOLD`, `CB_SAME_ERROR_THRESHOLD`": prints(
        ["config get limits.noProgress", "4"],
        ["config get limits.errors", "6"],
      ),
      "everything else in `.ralphrc`": async ({ said }) => expect(said).toMatch(/no meaning here: ALLOWED_TOOLS\s/),
    },
  },
  "ralphctl for OpenCode": {
    files: {
      "PROMPT_plan.md": "Plan {project}/specs.\n",
      "PROMPT_build.md": "Build {project}/specs.\n",
      "projects/auth/IMPLEMENTATION_PLAN.md": "- [ ] Log in\n",
    },
    rows: {
      "`PROMPT_plan.md`, `PROMPT_build.md` with `{project}`": prints(
        ["prompt plan --project auth", "Plan projects/auth/specs."],
        ["prompt build --project auth", "Build projects/auth/specs."],
      ),
      "`projects/NAME/`": ["run -p auth --dry-run", "Log in"],
      "`--agent claude-code`": [
        "run -p auth --agent claude-code --dry-run",
        "--agent claude-code is --harness claude here",
      ],
      "`--permission-posture allow-all`": [
        "run -p auth --permission-posture allow-all --dry-run",
        "is not needed here",
      ],
      "`--permission-posture ask`": ["run --permission-posture ask", "ralphctl step"],
      "`inspect --output FILE`": async ({ cwd, types }) => {
        await types("inspect --project auth --output inspect.json");
        expect(JSON.parse(readFileSync(join(cwd, "inspect.json"), "utf8"))).toEqual([]);
      },
    },
  },
  "The Rust ralph": {
    files: {
      ".ralph.toml": '[specs]\ndirs = ["docs/specs"]\n[execution]\nmax_retries = 2\nverify = true\nlearn = true\n',
      "docs/specs/a.md": "A",
    },
    prepare: async (cwd) =>
      await writeProgressDb(
        cwd,
        [
          ["t-aaaaaa", "Epic", "pending"],
          ["t-bbbbbb", "First", "in_progress", "t-aaaaaa"],
          ["t-cccccc", "Second", "blocked", "t-aaaaaa"],
        ],
        [["t-bbbbbb", "t-cccccc"]],
      ),
    rows: {
      "`.ralph/progress.db`": ["task ready", /^t-bbbbbb .*First\n$/],
      "`.ralph.toml` `[specs] dirs`": ["config get specs.dirs", "- docs/specs\n"],
      "`.ralph.toml` `[execution] max_retries`": ["config get limits.attempts", "3"],
      "`[execution] verify`, `learn` and other keys": async ({ said }) =>
        expect(said.replaceAll(/\s+/g, " ")).toContain("no meaning here: execution.verify, execution.learn"),
      "`ralph run t-abc123`": ["run --task t-bbbbbb --dry-run", "**ID:** t-bbbbbb"],
      "`--once`, `--limit N`": prints(
        ["run --once --dry-run", "--once is --max-iterations 1 here"],
        ["run --limit 7 --dry-run", "/ 7 (min: 1)"],
      ),
      "`--max-retries N`": ["run --max-retries 3 --dry-run", "--max-retries 3 is --max-attempts 4 here"],
      "`--no-verify`": ["run --no-verify", "never takes a claim for proof"],
      "`<verify-pass/>` of a second agent": ["config get verify.reviewer", "default"],
    },
  },
  "ito and spool": {
    files: {
      ".ito/changes/001-01_greet/proposal.md": "Greet people.\n",
      ".ito/changes/001-01_greet/tasks.md": "- [ ] 1.1 Greet\n",
      ".ito/modules/001_ui/module.md": "About the UI.\n",
      ".ito/config.json": '{"ralph": {"validationCommands": ["./check.sh"]}}',
      ".ito/.state/ralph/001-01_greet/context.md": "Use port 8080\n",
      ".spool/changes/002-01_part/tasks.md": "- [ ] 1.1 Part\n",
    },
    rows: {
      "`.ito/changes/ID/`, `.spool/changes/ID/`": prints(
        ["run -c 001-01 --dry-run", "Greet people."],
        ["change list", ".spool/changes/002-01_part"],
      ),
      "`.ito/modules/ID/`": ["prompt -c 001-01 -m 001", "About the UI."],
      "`ralph.validationCommands` in `.ito/config.json`": ["gates", /\.\/check\.sh[\s\S]*\.ito\/config\.json/],
      "`.ito/.state/ralph/ID/context.md`": ["prompt --change 001-01", "Use port 8080"],
      "`--add-context`, `--clear-context`, `--status`": prints(
        ["run -c 001-01 --add-context Hurry", "Added."],
        ["run -c 001-01 --clear-context", "Cleared the context"],
        ["run -c 001-01 --status", "change 001-01_greet"],
      ),
      "`--continue-module`": ["run --continue-module -m 001 --dry-run", "--continue-module is --continue-ready here"],
      "`--exit-on-error`": ["run -c 001-01 --exit-on-error --dry-run", "--exit-on-error is --error-threshold 1 here"],
      "`--allow-all`, `--yolo`": prints(
        ["run -c 001-01 --allow-all --dry-run", "--allow-all is not needed here"],
        ["run -c 001-01 --yolo --dry-run", "--yolo is not needed here"],
      ),
      "`--skip-validation`": ["run --skip-validation", "never takes a claim for proof"],
    },
  },
  "m42-sprint": {
    files: seedFiles("003-sprints"),
    rows: {
      "`SPRINT.yaml` and `PROGRESS.yaml`": ["status", "ralphctl run --sprint sprints/login"],
      "`.claude/workflows/NAME.yaml`": ["config get workflows", ".claude/workflows"],
      "`scripts/build-ralph-prompt.sh DIR MODE N`": async ({ types }) => {
        expect(existsSync("scripts/build-ralph-prompt.sh")).toBe(true);
        expect(await types("prompt planning --sprint sprints/login")).toContain("Users can log in.");
      },
    },
  },
  OpenSpec: {
    files: {
      "openspec/changes/add-greeting/proposal.md": "Greet people.\n",
      "openspec/changes/add-greeting/design.md": "One function.\n",
      "openspec/changes/add-greeting/tasks.md": "## 1. Greeting\n- [ ] 1.1 Greet\n",
    },
    rows: {
      "`openspec/changes/ID/tasks.md`": ["change list", "add-greeting  ready  0 of 1 settled"],
      "`proposal.md`, `design.md`, `specs/`": prints(
        ["prompt --change add-greeting", "Greet people."],
        ["run --change add-greeting --dry-run", "openspec/changes/add-greeting/design.md"],
      ),
      "all changes": ["run --continue-ready --dry-run", "Change Proposal (add-greeting)"],
    },
  },
  "spec-kit": {
    files: {
      ".specify/memory/constitution.md": "# Rules\n",
      "specs/001-greeting/spec.md": "Greet people.\n",
      "specs/001-greeting/plan.md": "In TypeScript.\n",
      "specs/001-greeting/tasks.md": "## Phase 1\n- [ ] T001 Create it\n- [ ] T002 [US1] Greet (depends on T001)\n",
    },
    rows: {
      "`specs/001-name/tasks.md`": ["run --change 001 --dry-run", "Create it"],
      "`spec.md`": ["prompt --change 001", "Greet people."],
      "`plan.md`, `data-model.md`, `contracts/`": prints(
        ["run --change 001 --dry-run", "specs/001-greeting/plan.md"],
        ["run --change 001 --dry-run", "Read all files in: specs/001-greeting"],
      ),
      "`(depends on T012)` in a task": async ({ types }) => {
        await types("task import specs/001-greeting/tasks.md -c 001");
        expect(await types("task list --status blocked")).toContain("Greet");
      },
    },
  },
  "Backlog.md": {
    files: { ...backlog("task-1", "Second", "dependencies: [task-2]\n"), ...backlog("task-2", "First") },
    rows: {
      "`backlog/tasks/*.md`": ["status", /backlog\/tasks\/\*\.md +2 open, 0 done\n +followed/],
      "`dependencies`, `parent_task_id`": ["run --dry-run", "**Title:** First"],
      "acceptance criteria": ["run --dry-run", "First works"],
    },
  },
  "Task Master": {
    files: {
      ".taskmaster/tasks/tasks.json": JSON.stringify({
        master: {
          tasks: [
            { id: 1, title: "Look", status: "review" },
            { id: 2, title: "Greet", status: "pending", subtasks: [{ id: 1, title: "Say it", status: "pending" }] },
          ],
        },
        ui: { tasks: [{ id: 1, title: "Paint", status: "pending" }] },
      }),
    },
    rows: {
      "`.taskmaster/tasks/tasks.json`": ["task ready", /^tm-2\.1 .*Say it\n$/],
      "`review`, `deferred`": ["task list --status parked", "tm-1"],
      "other tags": async ({ said }) => expect(said).toContain("Left out are the tags ui of Task Master"),
    },
  },
  beads: {
    files: {
      ".beads/issues.jsonl": [
        { id: "bd-1", title: "Greet", status: "open", priority: 1, labels: ["ui"] },
        {
          id: "bd-2",
          title: "Wave",
          status: "open",
          priority: 2,
          dependencies: [{ depends_on_id: "bd-1", type: "blocks" }],
        },
        { id: "bd-3", title: "Old", status: "closed", priority: 2 },
      ]
        .map((issue) => `${JSON.stringify(issue)}\n`)
        .join(""),
    },
    rows: {
      "`.beads/issues.jsonl`": ["task list --tag ui", "bd-1"],
      "`bd ready`": ["task ready", /^bd-1 .*Greet\n$/],
      "closed issues": async ({ said }) => expect(said).toContain("1 that are done or given up were left there"),
    },
  },
  "A plan of Claude Code": {
    files: {
      "plan.md": "# Plan\n\n- [ ] Greet\n",
      ".claude/plans/wave.md": "# Wave\n\n- [ ] Wave\n- [x] Smile\n",
      ".claude/plans/bow.md": "# Bow\n\nBow to people.\n",
    },
    rows: {
      "`plan.md` with check boxes": ["status", /plan\.md +1 open, 0 done\n +followed/],
      "a plan in prose": elsewhere(
        { "plan.md": "# Plan\n\nGreet people.\n" },
        "run --file plan.md --dry-run",
        "Greet people.",
      ),
      "`.claude/plans/*.md` with check boxes": ["status", /\.claude\/plans\/wave\.md +1 open, 1 done\n +followed/],
      "`.claude/plans/*.md` in prose": prints(
        ["status", "plans in prose: bow.md"],
        ["run --file .claude/plans/bow.md --dry-run", "Bow to people."],
      ),
    },
  },
};

/** The first cells of the tables, by heading. */
function rowsOfGuide(): Record<string, string[]> {
  const tables: Record<string, string[]> = {};
  let heading = "";
  for (const line of readFileSync("docs/guides/coming-from-another-ralph.md", "utf8").split("\n")) {
    if (line.startsWith("## ")) heading = line.slice(3);
    const cell = /^\| (.*?) \| /.exec(line)?.[1];
    if (cell !== undefined && cell !== "there") (tables[heading] ??= []).push(cell);
  }
  return tables;
}

test("every row of the guide about coming from another Ralph has its test, and no test is without a row", () => {
  const tested = Object.entries(SYSTEMS).map(([name, { rows }]) => [name, Object.keys(rows)]);
  expect(rowsOfGuide()).toEqual(Object.fromEntries(tested));
});

describe.each(Object.entries(SYSTEMS))("coming from %s", (_, { files, prepare, rows }) => {
  let place: Promise<Moved> | undefined;

  test.each(Object.entries(rows))("%s", async (_there, row) => {
    const at = await (place ??= moved(files, prepare));
    if (typeof row === "function") return await row(at);
    const [line, expected] = row;
    const printed = await at.types(line);
    if (typeof expected === "string") expect(printed).toContain(expected);
    else expect(printed).toMatch(expected);
  });
});
