import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { Attempt, LogEntry } from "../../src/store/store.ts";
import { marked } from "../../src/system/process/sweep.ts";
import { PROGRAM } from "../built-program.ts";
import { buildWorker, startProcess } from "../control-process.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SCRIPT = "- - say: Nothing.\n";

/** What the store knows of a task beside its state. */
async function recorded(place: LoopWorkspace, id: string): Promise<{ attempts: Attempt[]; log: LogEntry[] }> {
  await using store = await openSqliteStore({ path: join(place.folder, ".ralph/ralph.db") });
  return { attempts: await store.attempts(id), log: await store.log(id) };
}

const plain = (text: string): string =>
  text.replaceAll(/\d+\.\ds/g, "0.0s").replaceAll(/\S*\/lanes\/[\w.-]+\/room/g, "ROOM");

test.concurrent("P-13 T-01 X-0 a person's task is done when the gates agree: recorded as theirs, marked, not committed", async () => {
  const plan = { "IMPLEMENTATION_PLAN.md": "- [ ] Do it\n- [ ] Something else\n" };
  const place = await loopWorkspace({ script: SCRIPT, tasks: [], files: plan });
  await place.ralphctl("task", "import", "IMPLEMENTATION_PLAN.md");
  const list = JSON.parse((await place.ralphctl("task", "list", "--json")).stdout) as { id: string; title: string }[];
  const { id } = list.find(({ title }) => title === "Do it")!;
  place.write({ "done.txt": "by hand\n" });
  const { code, stdout, stderr } = await place.ralphctl("task", "done", id, "--summary", "By hand");
  expect([code, stdout, plain(stderr)]).toEqual([
    0,
    "",
    expect.stringContaining(
      `These commands will run in ROOM:\n  test  test -f done.txt\nGate test: ok · 0.0s\n${id} is done\n`,
    ),
  ]);
  // T-01: the person hears which files the proof is about, and nobody commits them.
  expect(stderr).toContain("The gates check your uncommitted changes too, which stay uncommitted: done.txt\n");
  expect(place.git("status", "--porcelain", "done.txt")).toBe("?? done.txt");
  const { attempts, log } = await recorded(place, id);
  expect(attempts).toMatchObject([
    {
      outcome: "verified",
      counted: false,
      verdict: {
        commit: place.git("rev-parse", "HEAD"),
        evidence: { strength: "unbroken", gates: [{ gate: "test", command: "test -f done.txt", passed: true }] },
      },
    },
  ]);
  expect(log.map(({ by, kind }) => `${by} ${kind}`)).toEqual(["person verified"]);
  expect(await place.states()).toEqual({ "Do it": "done", "Something else": "pending" });
  expect(place.commits()).toEqual([]);
  expect(place.read("IMPLEMENTATION_PLAN.md")).toBe("- [x] Do it\n- [ ] Something else\n");
});

test.concurrent("P-13 W-05 what a person's task is proven by is kept with its output, and not through a link that leads out", async () => {
  const place = await loopWorkspace({
    script: SCRIPT,
    tasks: ["One", "Two"],
    config: "gates: [{ id: test, run: echo ok }]\n",
  });
  const [one = "", two = ""] = place.ids;
  expect((await place.ralphctl("task", "done", one)).stderr).not.toContain("uncommitted");
  const { attempts } = await recorded(place, one);
  const [gate] = (attempts[0]!.verdict!.evidence as { gates: { runs: { outputFile: string }[] }[] }).gates;
  expect(gate!.runs.map(({ outputFile }) => [outputFile.startsWith(".ralph/runs/r-"), place.read(outputFile)])).toEqual(
    [[true, "ok\n"]],
  );
  const outside = temporaryFolder();
  rmSync(join(place.folder, ".ralph/runs"), { recursive: true });
  symlinkSync(outside, join(place.folder, ".ralph/runs"));
  const { code, stderr } = await place.ralphctl("task", "done", two);
  expect([code, stderr, readdirSync(outside), await place.states()]).toEqual([
    65,
    expect.stringContaining("points outside the workspace"),
    [],
    { One: "done", Two: "pending" },
  ]);
});

test.concurrent("P-13 X-1 a red gate leaves a person's task as it was, and says why", async () => {
  const place = await loopWorkspace({ script: SCRIPT });
  const [id = ""] = place.ids;
  const { code, stderr } = await place.ralphctl("task", "done", id);
  expect([code, plain(stderr)]).toEqual([
    1,
    `These commands will run in ROOM:\n  test  test -f done.txt\nGate test: FAILED, exit code 1 · 0.0s\n${id} is not done: gate test: exit code 1\n`,
  ]);
  const { stdout } = await place.ralphctl("task", "show", id, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ status: "pending", ready: true, attempts: 0, lease: null, reason: null });
});

test.concurrent("P-13 several at once: the workspace's gates run once, and a task's own gate decides for it alone", async () => {
  const config = "gates:\n  - { id: test, run: echo once >> $HOME/.ralph/count.txt }\n";
  const place = await loopWorkspace({ script: SCRIPT, tasks: ["One", "Two", "Waits"], config });
  const [one = "", two = "", waits = ""] = place.ids;
  await place.ralphctl("task", "edit", two, "--gate", 'own=test "$RALPHCTL_TASK" = other');
  // A person may settle what is still blocked.
  await place.ralphctl("task", "dep", "add", waits, "--needs", two);
  const { code, stdout, stderr } = await place.ralphctl("task", "done", one, two, waits, "--json");
  expect(code).toBe(1);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { title: string }).title),
  ).toEqual(["One", "Waits"]);
  expect(stderr).toContain(`${two} is not done: gate own: exit code 1\n`);
  expect(await place.states()).toEqual({ One: "done", Two: "pending", Waits: "done" });
  expect(place.read(".ralph/count.txt")).toBe("once\n");
});

test.concurrent("T-20 X-0 what a person has done without a gate is done by their word, and that is enough", async () => {
  const script = '- - write: { path: done.txt, text: "yes\\n" }\n  - say: <task-done>{task}</task-done>\n';
  const place = await loopWorkspace({ script, tasks: ["One", "Two"], config: "gates: []\n" });
  const [one = "", two = ""] = place.ids;
  const done = await place.ralphctl("task", "done", one);
  expect([done.code, done.stderr.trim().split("\n").at(-1)]).toEqual([
    0,
    `${one} is done by your word: there is no gate`,
  ]);
  expect((await place.run("--task", two, "--validation-command", "test -f done.txt")).code).toBe(0);
  const { code, stderr } = await place.run();
  expect([code, stderr]).toEqual([0, expect.stringContaining("Nothing is left to do: 2 tasks (")]);
  expect(stderr).toContain("1 by your word)");
});

test.concurrent("T-01 verify and task done refuse files in conflict, which no commit could hold", async () => {
  const place = await loopWorkspace({ script: SCRIPT, config: "gates:\n  - { id: ok, run: 'true' }\n" });
  const commit = (text: string): void => {
    place.write({ "both.txt": text });
    place.git("add", "both.txt");
    place.git("commit", "--quiet", "-m", text);
  };
  place.git("checkout", "--quiet", "-b", "side");
  commit("theirs");
  place.git("checkout", "--quiet", "main");
  commit("ours");
  expect(() => place.git("merge", "side")).toThrow();
  const refusal = {
    code: 78,
    stderr: expect.stringContaining(
      "error: A merge is in progress, and these are unresolved: both.txt\nhint: Resolve them and git add them, or end it: git merge --abort\n",
    ),
  };
  for (const flags of [[], ["--clean"], ["--all"]]) {
    expect(await place.ralphctl("verify", ...flags)).toMatchObject(refusal);
  }
  expect(await place.ralphctl("task", "done", place.ids[0]!)).toMatchObject(refusal);
  expect(await place.states()).toEqual({ "Do it": "pending" });
  place.write({ "both.txt": "resolved" });
  place.git("add", "both.txt");
  expect((await place.ralphctl("verify")).code).toBe(0);
});

test("W-07 X-75 a person's task is not settled while a run has the tree", async () => {
  const place = await loopWorkspace({ script: SCRIPT });
  const run = startProcess(process.execPath, [await buildWorker(), "loop", join(place.folder, ".git"), "r-1"]);
  await run.says("locked");
  expect(await place.ralphctl("task", "done", place.ids[0]!)).toMatchObject({
    code: 75,
    stderr: expect.stringMatching(
      /in use by run r-1 of workspace.*\nhint: Run ralphctl stop, or ralphctl stop --after, /,
    ),
  });
  expect(await place.states()).toEqual({ "Do it": "pending" });
  run.child.kill("SIGTERM");
  await run.ended;
});

test("P-40 a signal while the gates run leaves the task as it was, and no process", async () => {
  const signs = temporaryFolder();
  const config = `gates:\n  - { id: slow, run: "echo $RALPHCTL_RUN > ${signs}/up.txt; setsid sleep 60 & sleep 60" }\n`;
  const place = await loopWorkspace({ script: SCRIPT, config });
  const [id = ""] = place.ids;
  const started = startProcess(process.execPath, [PROGRAM, "task", "done", id], place.folder);
  await expect.poll(() => readdirSync(signs), { timeout: 50_000 }).toContain("up.txt");
  started.child.kill("SIGTERM");
  expect(await started.ended).toBe(130);
  expect(started.output()).toContain(`${id} is unchanged: the check was interrupted\n`);
  expect(await place.states()).toEqual({ "Do it": "pending" });
  const value = readFileSync(join(signs, "up.txt"), "utf8").trim();
  expect(marked({ name: "RALPHCTL_RUN", value })).toEqual([]);
});
