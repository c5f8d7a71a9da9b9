import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GUARD_MARKER } from "../../src/system/process/guard.ts";
import { processIdentity } from "../../src/system/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { marked } from "../../src/system/process/sweep.ts";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { openRaw } from "../raw-database.ts";

// A server in the background, one in a session of its own, and one whose parents are gone. Each writes its number.
const SERVERS = `
    - run: sleep 300 >/dev/null 2>&1 & echo $! >{home}/background.pid
    - run: setsid sh -c 'echo $$ >{home}/setsid.pid; exec sleep 300' >/dev/null 2>&1 &
    - run: (sh -c 'sleep 300 >/dev/null 2>&1 & echo $! >{home}/orphan.pid' &)
    - run: cd {home}; until test -s background.pid && test -s setsid.pid && test -s orphan.pid; do sleep 0.02; done
`;
const NAMES = ["background", "setsid", "orphan"];
const WORK = `    - write: { path: done.txt, text: "yes\\n" }\n    - say: <task-done>{task}</task-done>\n`;
const IGNORED = { ".gitignore": "*.pid\n*.sign\n" };

const pidsIn = (folder: string): number[] =>
  NAMES.map((name) => Number(readFileSync(join(folder, `${name}.pid`), "utf8")));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false; // gone
  }
}

test.concurrent("P-40 what a session left running is gone when it is over", async () => {
  const place = await loopWorkspace({ script: `- steps:${SERVERS}${WORK}`, files: IGNORED });
  const run = await place.run();
  expect([run.code, run.outcomes, pidsIn(place.folder).filter(isAlive), processesOf(place.folder)]).toEqual([
    0,
    ["verified"],
    [],
    [],
  ]);
  expect(run.events.find(({ type }) => type === "session.stopped")).toMatchObject({
    why: "It left 3 processes running, and ralphctl ended them",
  });
});

test.concurrent("P-15 P-40 what a gate left running is gone when it is over, and said, also with processes.keep", async () => {
  const gate = "test -f done.txt && { setsid sleep 300 & sleep 300 & }";
  const place = await loopWorkspace({
    script: `- steps:\n${WORK}`,
    config: `gates:\n  - { id: test, run: "${gate}" }\nprocesses: { keep: true }\n`,
  });
  const run = await place.run();
  const [, proof] = run.events.filter(({ type }) => type === "gate.finished");
  expect([run.code, run.outcomes, proof]).toEqual([
    0,
    ["verified"],
    expect.objectContaining({ passed: true, swept: 2 }),
  ]);
});

test.concurrent("P-40 with processes.keep it is left alone", async () => {
  const place = await loopWorkspace({
    script: `- steps:${SERVERS}${WORK}`,
    config: "gates:\n  - { id: test, run: test -f done.txt }\nprocesses: { keep: true }\n",
    files: IGNORED,
  });
  const run = await startLive(place.folder).ended;
  const alive = pidsIn(place.folder).filter(isAlive);
  for (const pid of alive) process.kill(pid, "SIGKILL");
  expect([run.code, run.outcomes, alive.length]).toEqual([0, ["verified"], 3]);
});

// It goes on talking after the agent's end, and writes meanwhile.
const TALK = "echo >begun.sign; for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; echo late >late.txt";
const WRITER = `sh -c '${TALK}' & until test -f begun.sign; do sleep 0.01; done`;

test.concurrent.each([
  ["is kept", "setsid", "processes: { keep: true }\n"],
  ["cannot be found", "setsid env -i", ""],
])(
  "P-40 what a process writes that %s, while the agent is still listened to, is the session's",
  async (_, way, keep) => {
    const agent = `test -f done.txt || { touch done.txt; ${way} ${WRITER}; }; echo "<task-done>$RALPHCTL_TASK</task-done>"`;
    const place = await loopWorkspace({
      script: "[]",
      harness: "command",
      harnesses: { command: `run: ${JSON.stringify(agent)}` },
      config: `gates:\n  - { id: test, run: test -f done.txt }\n${keep}`,
      files: IGNORED,
    });
    const run = await place.run();
    const committed = place.git("show", "--name-only", "--format=", "HEAD").split("\n");
    expect([run.outcomes, committed, place.git("status", "--porcelain")]).toEqual([
      ["verified"],
      ["done.txt", "late.txt"],
      "",
    ]);
  },
);

// Leaves a file behind when one of them is alive; one that ended and that nobody has buried yet is not.
const LOOK = `cd {home}; for name in ${NAMES.join(" ")}; do test ! -s $name.pid || case "$(ps -o stat= -p "$(cat $name.pid)")" in "" | Z*) ;; *) touch alive.txt ;; esac; done`;

test.concurrent("P-41 processes of a run that was killed are ended by the next before it does anything else", async () => {
  const place = await loopWorkspace({
    script: `
- steps:
    - run: ${LOOK}${SERVERS}    - run: cd {home}; test -f hung.sign || { touch hung.sign; sleep 300; }
${WORK}`,
    files: IGNORED,
  });
  const killed = startLive(place.folder);
  await fileAppears(join(place.folder, "hung.sign"));
  const left = pidsIn(place.folder);
  // Otherwise the guard of that run does it.
  const [run = ""] = readdirSync(join(place.folder, ".ralph/runs"));
  for (const pid of marked({ name: GUARD_MARKER, value: run })) process.kill(pid, "SIGKILL");
  killed.signal("SIGKILL");
  await killed.ended;
  expect([left.filter(isAlive).length, processesOf(place.folder).length > 3]).toEqual([3, true]);
  const next = await place.run();
  expect([next.code, next.outcomes, await place.states(), place.commits()]).toEqual([
    0,
    ["verified"],
    { "Do it": "done" },
    ["Do it"],
  ]);
  // The session would have left a file if one of them had been there when it began.
  expect([left.filter(isAlive), processesOf(place.folder), place.git("ls-files", "--others", "alive.txt")]).toEqual([
    [],
    [],
    "",
  ]);
});

const HOLDS = `
- - write: { path: done.txt, text: "yes\\n" }
  - run: cd {home}; touch here.sign; until test -f go.sign; do sleep 0.02; done
  - say: <task-done>{task}</task-done>
`;

/** Takes a task away from the run that has it, as another machine would whose clock says that the lease is over. */
async function takeOver(folder: string): Promise<{ readonly settle: () => Promise<string> }> {
  const path = join(folder, ".ralph/ralph.db");
  const db = await openRaw(path);
  db.exec("PRAGMA busy_timeout = 5000; UPDATE task SET lease_until = 0 WHERE lease_until IS NOT NULL");
  db.close();
  const store = await openSqliteStore({ path });
  const claim = await store.claim({ owner: processIdentity(), leaseMs: 60_000, run: "another" });
  return {
    settle: async () => {
      const result = await store.settle(claim!.lease, { outcome: "verified", to: "done", counted: false });
      await store.close();
      return result.kind;
    },
  };
}

test.concurrent.each([
  ["claims it", HOLDS],
  ["claims nothing", HOLDS.replace(/.*say:.*\n/, "")],
])(
  "W-07 P-20 a run whose task was taken over leaves it and its work to the other, if its session %s",
  async (_, script) => {
    const place = await loopWorkspace({ script, files: IGNORED });
    const live = startLive(place.folder);
    await fileAppears(join(place.folder, "here.sign"));
    const other = await takeOver(place.folder);
    const work = `refs/ralph/work/${place.ids[0]}`;
    place.git("update-ref", work, "HEAD");
    place.write({ "go.sign": "" });
    const run = await live.ended;
    // The other run keeps its own work there.
    expect(place.git("rev-parse", work)).toBe(place.git("rev-parse", "HEAD"));
    expect(place.git("ls-tree", "--name-only", `refs/ralph/${run.name}/${place.ids[0]}`)).toContain("done.txt");
    expect([run.code, run.outcomes]).toEqual([2, ["lost"]]);
    expect([await place.states(), place.commits()]).toEqual([{ "Do it": "in_progress" }, []]);
    expect(run.events.filter(({ type }) => type === "commit.made")).toEqual([]);
    expect([await other.settle(), await place.states()]).toEqual(["settled", { "Do it": "done" }]);
  },
);

test.concurrent("W-07 P-40 a task that was taken over and finished by another is not finished again", async () => {
  const place = await loopWorkspace({ script: HOLDS, files: IGNORED });
  const live = startLive(place.folder);
  await fileAppears(join(place.folder, "here.sign"));
  const other = await takeOver(place.folder);
  await other.settle();
  place.write({ "go.sign": "" });
  const run = await live.ended;
  expect([run.outcomes, await place.states(), place.commits()]).toEqual([["lost"], { "Do it": "done" }, []]);
  const { stdout } = await place.ralphctl("task", "log", place.ids[0]!);
  expect(stdout.match(/verified/g)).toHaveLength(1);
});
