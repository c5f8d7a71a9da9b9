import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { atEnd } from "../at-end.ts";
import { ralphctl, start } from "../built-program.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { claimsOf, seen } from "../run-seen.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SPRINT = "goal: Log in\nmax_iterations: 3\n";

/** A session that works in a copy of the tree, which has no tasks, and comes back with the work and the notes. */
function inCopy(copy: string, commands: string): string {
  const script = `
cp -R . ${copy}/tree && rm -rf ${copy}/tree/.ralph/ralph.db*
home=$PWD
cd ${copy}/tree/sprints
${commands}
cp ${copy}/*.txt "$home"; echo yes > "$home/done.txt"`;
  return JSON.stringify([[{ run: script }, { say: "Goodbye." }]]);
}

const workspace = async (copy: string, commands: string): Promise<LoopWorkspace> =>
  await loopWorkspace({
    isBuilt: true,
    files: { "sprints/login/SPRINT.yaml": SPRINT },
    script: inCopy(copy, commands),
  });

test.concurrent("L-07 a session in a copy of the tree adds, reads and claims tasks of the run", async () => {
  const copy = temporaryFolder();
  const place = await workspace(
    copy,
    `
ralphctl task add "From afar" >${copy}/added.txt
printf 'a\\nb\\n' | while read word; do ralphctl task add "Word $word"; done
printf -- '- Listed\\n' >own.md; ralphctl task add - <own.md
ralphctl task list --json >${copy}/list.txt
ralphctl task show $RALPHCTL_TASK >${copy}/show.txt
echo 'promise: AFAR' >own.yaml; ralphctl prompt --config own.yaml >${copy}/prompt.txt
ralphctl task list --sprint login >${copy}/sprint.txt 2>&1; echo $? >>${copy}/sprint.txt
ralphctl run >${copy}/run.txt 2>&1; echo $? >>${copy}/run.txt
ralphctl task done $RALPHCTL_TASK --summary "Done afar" 2>${copy}/claim.txt`,
  );
  const run = await place.run("--max-iterations", "1");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["verified"],
    states: { "Do it": "done", "From afar": "pending", "Word a": "pending", "Word b": "pending", Listed: "pending" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual(["1 done command"]);
  const listed = JSON.parse(place.read("list.txt")) as { readonly id: string; readonly title: string }[];
  expect(listed.map(({ title }) => title)).toEqual(["Do it", "From afar", "Word a", "Word b", "Listed"]);
  expect(place.read("added.txt")).toBe(`${listed[1]!.id}\n`);
  expect(place.read("show.txt")).toContain(`${place.ids[0]}`);
  expect(place.read("prompt.txt")).toContain("AFAR");
  // The sprint is in the person's workspace, with no tasks yet.
  expect(place.read("sprint.txt")).toBe("No matching tasks. List all: ralphctl task list\n0\n");
  expect(place.read("run.txt")).toMatch(/^error: ralphctl run cannot run inside a session\n.*\n64\n$/);
  expect(place.read("claim.txt")).toBe(
    `Recorded that ${place.ids[0]} is done; ralphctl will check it when this session ends\n`,
  );
  expect(existsSync(join(copy, "tree/.ralph/ralph.db"))).toBe(false);
});

test.concurrent.each(["whole", "filtered"])(
  "L-07 MCP in a copy of the tree reaches the run; the client passes %s variables on",
  async (how) => {
    const copy = temporaryFolder();
    const calls = JSON.stringify([
      ["task_add", { title: "Found" }],
      ["task_list", {}],
      ["task_done", { id: "$RALPHCTL_TASK" }],
    ]).replace("$RALPHCTL_TASK", "'$RALPHCTL_TASK'");
    const place = await workspace(
      copy,
      `node ${resolve("test/mcp-agent.mjs")} '${calls}' ${how} >${copy}/said.txt 2>&1`,
    );
    const run = await place.run("--max-iterations", "1");
    expect(await seen(place, run)).toEqual({
      code: 4,
      outcomes: ["verified"],
      states: { "Do it": "done", Found: "pending" },
      commits: ["Do it"],
    });
    expect(claimsOf(run)).toEqual(["1 done command"]);
    expect(place.read("said.txt")).toMatch(
      /^answered: \{"id":.*"title":"Found".*\nanswered: \{"tasks":\[.*"title":"Do it".*\nanswered: Recorded that /,
    );
    expect(existsSync(join(copy, "tree/.ralph/ralph.db"))).toBe(false);
  },
);

test.concurrent("L-07 a run of the library answers its sessions, too", async () => {
  const copy = temporaryFolder();
  const place = await workspace(copy, `ralphctl task add "From afar" >${copy}/added.txt`);
  const options = JSON.stringify({ cwd: place.folder, config: { limits: { iterations: 1 } } });
  const program = `import { run } from "ralphctl"; console.log((await run(${options}).finished).ending)`;
  const answer = await start(process.execPath, ["--input-type=module", "--eval", program], { cwd: process.cwd() });
  expect(answer).toEqual({ code: 0, stdout: "limit\n", stderr: "" });
  expect(await place.states()).toEqual({ "Do it": "pending", "From afar": "pending" });
  expect(existsSync(join(copy, "tree/.ralph/ralph.db"))).toBe(false);
});

test.concurrent("L-07 the door is removed with its run, and by the next run after a kill", async ({
  onTestFinished,
}) => {
  // The folders of tests have names that are too long for a socket.
  const TMPDIR = mkdtempSync("/tmp/d-");
  onTestFinished(() => rmSync(TMPDIR, { recursive: true, force: true }));
  const doors = (): string[] => readdirSync(TMPDIR).filter((name) => name.startsWith("ralphctl-door-"));
  const place = await loopWorkspace({
    env: { TMPDIR },
    script: JSON.stringify([
      [
        { run: `test -f ${TMPDIR}/cut || { touch ${TMPDIR}/cut; kill -9 $(ps -o ppid= -p $PPID); sleep 300; }` },
        { run: `ls ${TMPDIR} | grep -c ralphctl-door > count.txt` },
        { write: { path: "done.txt", text: "yes\n" } },
        { say: "<task-done>{task}</task-done>" },
      ],
    ]),
  });
  expect((await place.run()).finished).toBeUndefined();
  expect(doors()).toHaveLength(1);
  expect(await place.run()).toMatchObject({ code: 0, outcomes: ["verified"] });
  expect([place.read("count.txt"), doors()]).toEqual(["1\n", []]);
});

test.concurrent("L-07 without a run at the other end a command says so, and opens no store", async () => {
  const place = await loopWorkspace({ script: "- []", tasks: [] });
  const session = (RALPHCTL_DOOR: string) => ({ RALPHCTL_ATTEMPT: "r-1.1.1", RALPHCTL_TASK: "t-1", RALPHCTL_DOOR });
  const call = async (door: string, ...args: readonly string[]) =>
    await ralphctl(args, { cwd: place.folder, env: session(door) });
  const ended = {
    code: 69,
    stdout: "",
    stderr:
      "error: The run that this session belongs to has ended\nhint: End this session: the next ralphctl run starts another\n",
  };
  const gone = join(temporaryFolder(), "s");
  for (const args of [["task", "add", "x"], ["task", "list"], ["mcp"], ["run"], ["status"]]) {
    expect(await call(gone, ...args)).toEqual(ended);
  }
  expect(existsSync(join(place.folder, ".ralph/ralph.db"))).toBe(false);
  for (const args of [["--version"], ["--help"], ["help", "task"]]) {
    expect(await call(gone, ...args)).toMatchObject({ code: 0, stderr: "" });
  }

  // A run that is killed while it answers.
  const dying = createServer((socket) => socket.once("data", () => socket.destroy()));
  const path = join(temporaryFolder(), "s");
  await new Promise<void>((listening) => void dying.listen(path, listening));
  atEnd(() => void dying.close());
  expect(await call(path, "task", "list")).toEqual(ended);
});
