import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startLive } from "../live-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { type, typed } from "../recording-io.ts";
import { git, temporaryFolder } from "../temporary-folder.ts";

/** Goes on when a file is there. */
const waits = (go: string): string => `- - cost: 0.25
  - usage: { input: 1000, output: 1 }
  - say: Here I wait
  - run: "n=0; until [ -f ${go} ] || [ $n -gt 600 ]; do sleep 0.1; n=$((n+1)); done"
  - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

const steady = (text: string, names: Readonly<Record<string, string>>): string =>
  Object.entries(names)
    .reduce((all, [name, value]) => all.replaceAll(value, name), text)
    .replaceAll(/\br-\d{8}-\d{6}-[0-9a-z]+/g, "RUN")
    .replaceAll(/process \d+/g, "process PID")
    .replaceAll(/\/\S+\/lanes\/\S+/g, "LANE")
    .replaceAll(/\b\d+m?\d*s ago|just now/g, "lately")
    .replaceAll(/\bfor (?:\d+m)?\d+s\b/g, "for SECONDS");

const namesOf = ({ ids }: LoopWorkspace): Record<string, string> =>
  Object.fromEntries(ids.map((id, at) => [`TASK${at + 1}`, id]));

test.concurrent("before the first run it counts what plan files and changes hold, and brings none of it in", async () => {
  const place = await loopWorkspace({
    script: "[]",
    tasks: [],
    files: {
      "IMPLEMENTATION_PLAN.md": "- [ ] One\n- [x] Two\n",
      "openspec/changes/add-mail/proposal.md": "# Mail\n",
      "openspec/changes/add-mail/tasks.md": "- [ ] 1.1 Send\n- [ ] 1.2 Receive\n",
    },
  });
  const { code, stdout } = await place.ralphctl("status");
  expect([code, stdout]).toEqual([
    0,
    `No runs yet

Tasks
  change/add-mail  2 ready
  workspace        1 ready · 1 done

Found here
  IMPLEMENTATION_PLAN.md  1 open, 1 done
                          followed: ralphctl marks in it what is proven
  openspec/changes/       changes: add-mail
                          each has its own tasks: ralphctl run --change ID, or all: ralphctl run --continue-ready

Next:
  ralphctl run  work on the ready tasks
`,
  ]);
  const { tasks } = JSON.parse((await place.ralphctl("status", "--json", "--change", "add-mail")).stdout) as {
    readonly tasks: readonly { readonly scope: string; readonly ready: number }[];
  };
  expect(tasks.map(({ scope, ready }) => [scope, ready])).toEqual([["change/add-mail", 2]]);
  expect((await place.task("list")).stdout).not.toContain("One");
});

test.concurrent("E-07 shows the context that agents get, of each scope, until it is cleared", async () => {
  const place = await loopWorkspace({ script: "[]", files: { "projects/shop/specs/a.md": "A\n" } });
  await place.ralphctl("context", "add", "Use the mailer");
  await place.ralphctl("context", "add", "Write no new one");
  await place.ralphctl("context", "add", "Prices are in cents", "--project", "shop");
  const { stdout } = await place.ralphctl("status");
  expect(stdout).toContain(
    "Context that agents get\n  project/shop: Prices are in cents\n" +
      "  Use the mailer (and 2 more lines: ralphctl context show)\n",
  );
  const json = JSON.parse((await place.ralphctl("status", "--json", "--project", "shop")).stdout) as {
    readonly context: unknown;
  };
  expect(json.context).toEqual([{ scope: "project/shop", text: "Prices are in cents\n" }]);
  await place.ralphctl("context", "clear");
  await place.ralphctl("context", "clear", "--project", "shop");
  expect((await place.ralphctl("status")).stdout).not.toContain("Context");
});

test.concurrent("before the first run: the tasks, what waits for a person, and what to type", async () => {
  const place = await loopWorkspace({ script: "[]", tasks: ["First", "Second", "Third", "Gave up"] });
  const [first, second, third, failed] = place.ids as [string, string, string, string];
  await place.task("dep", "add", second, "--needs", first);
  await place.task("park", third, "Red or green?\u001b[31m");
  await place.task("fail", failed, "--reason", "It cannot be done");
  const { code, stdout, stderr } = await place.ralphctl("status");
  expect([code, stderr, steady(stdout, namesOf(place))]).toEqual([
    0,
    "",
    `No runs yet

Tasks
  1 ready · 1 blocked · 1 waiting for a person · 1 failed

Next up
  TASK1  First

Waiting for a person
  TASK3  Third
    asks: Red or green?

Failed
  TASK4  Gave up
    It cannot be done

Next:
  ralphctl task answer TASK3 TEXT  answer the question
  ralphctl inspect TASK4           see why it failed
  ralphctl run                          work on the ready tasks
`,
  ]);
});

test.concurrent("while a run lasts: its process, iteration, task and cost; from every working tree", async () => {
  const go = join(temporaryFolder(), "go");
  const place = await loopWorkspace({ script: waits(go), tasks: ["First", "Second"] });
  const run = startLive(place.folder, "--task", place.ids[0]!, "--max-cost", "3");
  await run.says("agent.text");
  // The run says an event before it is in the log that others read.
  const looked = (): ReturnType<typeof type> => type(["status"], { cwd: place.folder });
  await vi.waitUntil(async () => (await looked()).stdout.includes("1,001 tokens"), { timeout: 50_000, interval: 50 });
  const expected = `Run RUN of the workspace
  Running     for SECONDS, as process PID
  Lane        1, LANE
  Iteration   1 of 23, for SECONDS
  Task        TASK1 First
  Agent       scripted
  Last event  lately
  Cost        $0.25 of at most $3.00 · 1,001 tokens
`;
  const here = await looked();
  expect([here.code, steady(here.stdout, namesOf(place))]).toEqual([
    0,
    `${expected}
Tasks
  1 in progress · 1 ready

Next up
  TASK2  Second

Next:
  ralphctl watch         watch the run
  ralphctl stop --after  stop after this iteration
`,
  ]);
  const other = join(temporaryFolder(), "other");
  git(place.folder, "worktree", "add", "--quiet", "-b", "other", other);
  const there = steady((await type(["status"], { cwd: other })).stdout, namesOf(place));
  expect(there.split("\n\n")[0]).toBe(expected.trimEnd().replace("the workspace", `the workspace in ${place.folder}`));
  expect(there).toContain("\nNext:\n  ralphctl watch RUN  watch the run\n  ralphctl run");
  const json = JSON.parse((await typed(["status", "--json"], { cwd: other })).stdout) as Record<string, unknown>;
  expect(json).toMatchObject({
    version: 1,
    scope: null,
    running: [
      {
        scope: "workspace",
        pid: run.pid,
        folder: place.folder,
        limits: { costUsd: 3 },
        iteration: { iteration: 1, task: { id: place.ids[0], title: "First" }, harness: "scripted", model: null },
        waiting: null,
        costUsd: 0.25,
        tokens: 1001,
      },
    ],
    last: null,
    tasks: [{ scope: "workspace", in_progress: 1, ready: 1, blocked: 0, done: 0 }],
    next: [{ id: place.ids[1] }],
    held: [{ id: place.ids[0], isHolderAlive: true }],
    costUsd: 0.25,
    runs: 1,
  });
  writeFileSync(go, "");
  const { name, code } = await run.ended;
  const after = await type(["status"], { cwd: place.folder });
  expect([code, steady(after.stdout, { ...namesOf(place), RUN: name })]).toEqual([
    0,
    `No active run
  Last run  RUN of the workspace
  Ended     lately, complete: the work of this run is done

Tasks
  1 ready · 1 done

Next up
  TASK2  Second

Cost of the one run: $0.25 · 1,001 tokens

Next:
  ralphctl run  work on the ready tasks
`,
  ]);
});

test.concurrent("P-40 P-43 a run that waits says for what and until when; one that was killed, that it is gone", async () => {
  const place = await loopWorkspace({
    script: "- - end: { kind: limit, limit: five_hour, resetsInMs: 9000000, message: Later }\n",
    config: "gates:\n  - { id: test, run: test -f done.txt }\nlimits: { wait: 24h }\n",
  });
  const run = startLive(place.folder, "--max-wait", "24h");
  await run.says("run.waiting");
  const waiting = (await type(["status"], { cwd: place.folder })).stdout;
  expect(waiting).toMatch(/\n {2}Waiting for {2}a usage limit to end, until [\d :-]+ \(in 2h(?:29|30)m\)\n/);
  expect(waiting).toContain("\nNext:\n  ralphctl resume        try again now\n");
  run.signal("SIGKILL");
  const { name } = await run.ended;
  const after = steady((await type(["status"], { cwd: place.folder })).stdout, { ...namesOf(place), RUN: name });
  expect(after.split("\n\n")[0]).toBe(`No active run
  Last run  RUN of the workspace
  Ended     lately, crashed or was killed`);
});

describe("scopes", () => {
  test.concurrent("S000-AC1 each has a line of its own; one that is asked for is alone", async () => {
    const place = await loopWorkspace({
      script: "[]",
      tasks: ["Of the workspace"],
      files: { "projects/auth/specs/a.md": "# A\n" },
    });
    await place.task("add", "Of auth", "--project", "auth");
    const status = async (...words: readonly string[]): Promise<string> =>
      (await type(["status", ...words], { cwd: place.folder })).stdout;
    expect(await status()).toContain("\nTasks\n  project/auth  1 ready\n  workspace     1 ready\n");
    const own = await status("--project", "auth");
    expect(own).toContain("No runs of the project auth yet\n\nTasks\n  1 ready\n");
    expect(own).toContain("\nNext:\n  ralphctl run --project auth  work on the ready tasks\n");
    expect(own).not.toContain("Of the workspace");
  });

  test.concurrent("where there is no workspace, that is said; where there are no tasks, how to make some", async () => {
    const nowhere = await typed(["status"], { cwd: temporaryFolder() });
    expect([nowhere.code, nowhere.stderr]).toEqual([78, expect.stringContaining("hint: Run ralphctl init\n")]);
    const place = await loopWorkspace({ script: "[]", tasks: [] });
    expect((await type(["status"], { cwd: place.folder })).stdout).toBe(`No runs yet

Tasks
  none yet

Next:
  ralphctl task add TITLE  describe the work
  ralphctl run plan        let an agent plan tasks from the specs
`);
  });
});
