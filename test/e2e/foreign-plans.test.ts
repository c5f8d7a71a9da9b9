import { describe, expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";

const WORKS = `
- - run: echo "$RALPHCTL_TASK" >>done.txt
  - say: "<task-done>{task}</task-done>"
`;

/** Plan files of other tools, the list that follows them, and how each is marked. */
const PLANS = {
  "prd.json": {
    plan: "[prd.json]",
    text: '{ "branchName": "ralph/x",\n  "userStories": [ { "id": "US-1", "title": "Greet", "passes": false,   "notes": "" } ] }\n',
    done: ['"passes": false', '"passes": true'],
  },
  "scripts/ralph/prd.json": {
    plan: "[scripts/ralph/prd.json]",
    text: '[{"title": "Greet", "steps": ["Say hello"], "passes": false}]',
    done: ['"passes": false', '"passes": true'],
  },
  "fix_plan.md": {
    plan: "[fix_plan.md]",
    text: "# Fix plan\n\n## High Priority\n- [ ] Greet\n\n## Notes\n- Keep it short\n",
    done: ["[ ] Greet", "[x] Greet"],
  },
  ".ralph/fix_plan.md": {
    plan: "[.ralph/fix_plan.md]",
    text: "## High Priority\r\n- [ ] Greet\r\n",
    done: ["[ ] Greet", "[x] Greet"],
  },
  "plan.md": { plan: "[plan.md]", text: "# Plan\n\n1. [ ] Greet\n", done: ["[ ] Greet", "[x] Greet"] },
  "backlog/tasks/task-1 - Greet.md": {
    plan: '["backlog/tasks/*.md"]',
    text: "---\nid: task-1\ntitle: Greet\nstatus: To Do\n---\n\n## Description\n\nSay hello.\n",
    done: ["status: To Do", "status: Done"],
  },
} as const;

describe("plan files of other tools", () => {
  test.each(Object.entries(PLANS))(
    "P-50 %s is followed in its own marks, every other byte stays",
    async (file, { plan, text, done: [before, after] }) => {
      const place = await loopWorkspace({
        tasks: [],
        files: { [file]: text },
        config: `plan: ${plan}\ngates:\n  - { id: test, run: test -f done.txt }\n`,
        script: WORKS,
      });
      const { code, outcomes } = await place.run();
      expect([code, outcomes, await place.states()]).toMatchObject([0, ["verified"], { Greet: "done" }]);
      expect(place.read(file)).toBe(text.replace(before, after));
      expect(place.git("status", "--porcelain")).toBe("");
    },
  );

  test("P-51 tasks of Backlog.md wait for those that their files name, and a task for its parts", async () => {
    const task = (id: string, title: string, more = ""): Record<string, string> => ({
      [`backlog/tasks/${id} - ${title}.md`]: `---\nid: ${id}\ntitle: ${title}\nstatus: To Do\n${more}---\n`,
    });
    const place = await loopWorkspace({
      tasks: [],
      files: {
        ...task("task-1", "Epic"),
        ...task("task-1.1", "Second", "dependencies: [TASK-2, task-99]\nparent_task_id: task-1\n"),
        ...task("task-2", "First"),
        "backlog/tasks/readme.md": "# Tasks\n",
      },
      config: 'plan: ["backlog/tasks/*.md"]\ngates:\n  - { id: test, run: test -f done.txt }\n',
      script: WORKS,
    });
    const { code } = await place.run();
    const list = JSON.parse((await place.task("list", "--json")).stdout) as { id: string; title: string }[];
    const titleOf = new Map(list.map(({ id, title }) => [id, title]));
    expect([
      code,
      place
        .read("done.txt")
        .trim()
        .split("\n")
        .map((id) => titleOf.get(id)),
    ]).toEqual([0, ["First", "Second", "Epic"]]);
  });

  test("P-51 a renamed file of Backlog.md keeps its task; an archived one drops it until it is back", async () => {
    const file = (name: string, title: string) => ({
      [`backlog/tasks/${name}.md`]: `---\nid: ${name.split(" ")[0]}\ntitle: ${title}\nstatus: To Do\n---\n`,
    });
    const place = await loopWorkspace({
      tasks: [],
      files: { ...file("task-1 - Old", "Greet"), ...file("task-2 - Wave", "Wave"), ...file("task-3 - Stay", "Stay") },
      config:
        'plan: ["backlog/tasks/*.md"]\nlimits: { attempts: 9 }\ngates:\n  - { id: test, run: test -f never.txt }\n',
      script: "- - say: Not yet.\n",
    });
    const tasks = async (): Promise<Record<string, string>> => {
      await place.run("--max-iterations", "1");
      const { stdout } = await place.task("list", "--json");
      const list = JSON.parse(stdout) as { id: string; title: string; status: string }[];
      return Object.fromEntries(list.map(({ id, title, status }) => [id, `${title} ${status}`]));
    };
    const [one = "", two = "", three = ""] = Object.keys(await tasks());
    place.git("mv", "backlog/tasks/task-1 - Old.md", "backlog/tasks/task-1 - New.md");
    place.git("mv", "backlog/tasks/task-2 - Wave.md", "wave.md");
    place.git("commit", "--quiet", "--message", "Rename and archive");
    expect(await tasks()).toEqual({ [one]: "Greet pending", [two]: "Wave dropped", [three]: "Stay pending" });
    place.git("mv", "wave.md", "backlog/tasks/task-2 - Wave.md");
    place.git("commit", "--quiet", "--message", "Bring it back");
    expect(await tasks()).toEqual({ [one]: "Greet pending", [two]: "Wave pending", [three]: "Stay pending" });
  });

  const BACKLOG = (limit: number): string =>
    `plan: ["backlog/tasks/*.md"]\nlimits: { newTasks: ${limit} }\ngates:\n  - { id: test, run: test -f done.txt }\n`;
  const backlog = (number: number): string =>
    `---\\nid: task-${number}\\ntitle: New ${number}\\nstatus: To Do\\n---\\n`;

  test("W-01 files that a session adds to the backlog count as its new tasks, and further ones ask a person", async () => {
    const adds = [7, 8, 9].map((number) => `printf -- '${backlog(number)}' > 'backlog/tasks/task-${number} - N.md'`);
    const place = await loopWorkspace({
      tasks: [],
      files: { "backlog/tasks/task-1 - Greet.md": "---\nid: task-1\ntitle: Greet\nstatus: To Do\n---\n" },
      config: BACKLOG(1),
      script: `- - run: ${JSON.stringify([...adds, "echo x >>done.txt"].join("\n"))}\n  - say: "<task-done>{task}</task-done>"\n`,
    });
    expect((await place.run()).code).toBe(0);
    await place.run("--max-iterations", "1");
    expect(await place.states()).toEqual({ Greet: "done", "New 7": "done", "New 8": "parked", "New 9": "parked" });
    expect((await place.questions())["New 9"]).toBe("Added by a session beyond the limit of 1 new task. Keep it?");
  });

  test("P-51 a branch that never had a file of the backlog drops no task; one that removed it does", async () => {
    const file = (number: number): string => `---\nid: task-${number}\ntitle: Task ${number}\nstatus: To Do\n---\n`;
    const place = await loopWorkspace({
      tasks: [],
      files: { "backlog/tasks/task-1 - A.md": file(1) },
      config: BACKLOG(9),
      script: "- - say: Not yet.\n",
    });
    place.git("branch", "old");
    place.write({ "backlog/tasks/task-2 - B.md": file(2) });
    place.git("add", "backlog");
    place.git("commit", "--quiet", "--message", "Add a task");
    await place.run("--max-iterations", "1");
    place.git("switch", "--quiet", "old");
    await place.run("--max-iterations", "1");
    expect(await place.states()).toEqual({ "Task 1": "pending", "Task 2": "pending" });
    place.git("rm", "--quiet", "backlog/tasks/task-1 - A.md");
    await place.run("--max-iterations", "1");
    expect(await place.states()).toEqual({ "Task 1": "dropped", "Task 2": "pending" });
  });

  test("P-50 a feature of spec-kit is a change: its tasks.md is followed, its documents are read", async () => {
    const tasks =
      "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Create it\n- [ ] T002 [P] [US1] Greet in src/greet.ts (depends on T001)\n";
    const place = await loopWorkspace({
      tasks: [],
      files: {
        ".specify/memory/constitution.md": "# Rules\n",
        "specs/001-greeting/spec.md": "Greet people.\n",
        "specs/001-greeting/plan.md": "In TypeScript.\n",
        "specs/001-greeting/tasks.md": tasks,
        "specs/notes/readme.md": "no feature\n",
      },
      script: WORKS,
    });
    expect((await place.ralphctl("change", "list")).stdout).toBe(
      "001-greeting  ready  0 of 2 settled  specs/001-greeting\n",
    );
    const run = await place.run("-c", "001");
    expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
    expect(place.read("specs/001-greeting/tasks.md")).toBe(tasks.replaceAll("[ ]", "[x]"));
    expect(run.prompt(1)).toContain("## Change Proposal (001-greeting)\n\nGreet people.");
    expect(run.prompt(1)).toContain("specs/001-greeting/plan.md");
    expect(run.prompt(1)).toContain("Read all files in: specs/001-greeting\n");
  });

  test("a list of plan files is the workspace's: a change keeps its own", async () => {
    const place = await loopWorkspace({
      tasks: [],
      files: {
        "fix_plan.md": "- [ ] Fix it\n",
        "openspec/changes/add-x/proposal.md": "X.\n",
        "openspec/changes/add-x/tasks.md": "- [ ] 1.1 Add X\n",
      },
      config: "plan: [fix_plan.md]\ngates:\n  - { id: test, run: test -f done.txt }\n",
      script: WORKS,
    });
    expect((await place.run("--change", "add-x")).code).toBe(0);
    expect([place.read("fix_plan.md"), place.read("openspec/changes/add-x/tasks.md")]).toEqual([
      "- [ ] Fix it\n",
      "- [x] 1.1 Add X\n",
    ]);
  });
});
