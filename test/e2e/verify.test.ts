import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { marked } from "../../src/system/process/sweep.ts";
import { PROGRAM, ralphctl } from "../built-program.ts";
import { buildWorker, startProcess } from "../control-process.ts";
import { type LoopWorkspace, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import type { Answer } from "../recording-io.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Verified extends Answer {
  /** Temporary folders that it left. */
  readonly left: readonly string[];
}

interface VerifyPlace extends LoopWorkspace {
  /** `ralphctl verify`, with times, ids and folders that can be written into a test. */
  readonly verify: (...args: readonly string[]) => Promise<Verified>;
  /** Everything that must stay as it is. */
  readonly state: () => Promise<unknown>;
}

const HONEST = `
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

/** Everything in the store of a workspace. */
async function storedTasks(folder: string): Promise<unknown> {
  await using store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  const { tasks } = await store.list();
  return await Promise.all(tasks.map(async (task) => [task, await store.attempts(task.id), await store.log(task.id)]));
}

async function verifyPlace(options: Partial<WorkspaceOptions> = {}): Promise<VerifyPlace> {
  const place = await loopWorkspace({ script: HONEST, ...options });
  const { folder } = place;
  return {
    ...place,
    verify: async (...args) => {
      const temporary = temporaryFolder();
      const answer = await ralphctl(["verify", ...args], {
        cwd: folder,
        env: { TMPDIR: temporary, API_TOKEN: "sesame-open" },
      });
      const plain = (text: string): string =>
        place.ids
          .reduce((shown, id, index) => shown.replaceAll(id, `t-${index + 1}`), text)
          .replaceAll(/\S*\/lanes\/[\w.-]+\/room/g, "ROOM")
          .replaceAll(folder, "HERE")
          .replaceAll(/\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b/g, "HASH")
          .replaceAll(/\d+\.\ds/g, "0.0s")
          .replaceAll(/r-\d{8}-\d{6}-\w{4}/g, "RUN")
          .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, "TIME")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
      const { code, stdout, stderr } = answer;
      return { code, stdout: plain(stdout), stderr: plain(stderr), left: readdirSync(temporary) };
    },
    state: async () => ({
      head: place.git("rev-parse", "HEAD"),
      index: createHash("sha256")
        .update(readFileSync(join(folder, ".git/index")))
        .digest("hex"),
      status: place.git("status", "--porcelain"),
      refs: place.git("for-each-ref"),
      worktrees: place.git("worktree", "list"),
      lock:
        readdirSync(join(folder, ".git")).includes("ralph") &&
        readdirSync(join(folder, ".git/ralph")).includes("run.json"),
      files: readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => !path.startsWith(".git/") && !path.includes("ralph.db"))
        .sort(),
      tasks: await storedTasks(folder),
    }),
  };
}

test.concurrent("P-23 T-01 W-06 X-0 E-07 verify says what it starts, shows the output of failing gates only, proves in the room what git would commit, and changes nothing", async () => {
  const place = await verifyPlace({
    config: "gates:\n  - { id: test, run: cat done.txt }\n  - { id: lint, run: 'true' }\n",
  });
  place.write({ "done.txt": "yes\n" });
  const before = await place.state();
  expect(await place.verify()).toEqual({
    code: 0,
    stdout: `These commands will run in ROOM:
  test  cat done.txt
  lint  true
Gate test: ok · 0.0s
Gate lint: ok · 0.0s
Verified: 2 gates passed · tree HASH · on commit HASH
`,
    stderr: "",
    left: [],
  });
  expect(await place.state()).toEqual(before);
});

test.concurrent("P-23 X-1 a gate that fails is shown with the end of its output, without secrets, and all others run too", async () => {
  const place = await verifyPlace({
    config: `gates:\n  - { id: test, run: "seq 1 12; echo $API_TOKEN; printf '\\\\033[31mred'; exit 3" }\n`,
  });
  const before = await place.state();
  const lines = Array.from({ length: 8 }, (_, index) => `    | ${index + 5}\n`).join("");
  expect(await place.verify("--validation-command", "echo more")).toEqual({
    code: 1,
    stdout: `These commands will run in ROOM:
  test                seq 1 12; echo $API_TOKEN; printf '\\033[31mred'; exit 3
  validation-command  echo more
Gate test: FAILED, exit code 3 · 0.0s
    | … 4 earlier lines
${lines}    | [API_TOKEN]
    | red
Gate validation-command: ok · 0.0s
Not verified: 1 of 2 gates failed: test · tree HASH · on commit HASH
`,
    stderr: "",
    left: [],
  });
  expect(await place.state()).toEqual(before);
});

test.concurrent("P-23 L-21 what gates change stays in the room, and the next check does not see it", async () => {
  const place = await verifyPlace({
    config:
      "gates:\n  - { id: format, run: '! test -e new.txt && touch new.txt && cat README.md && echo spoilt > README.md' }\n",
  });
  place.write({ "README.md": "# Mine, not committed\n" });
  const before = await place.state();
  const answers = [await place.verify(), await place.verify()];
  const stderr = "warning: Gates change these files, without the work as well: README.md, new.txt\n";
  expect(answers).toMatchObject([
    { code: 0, stderr },
    { code: 0, stderr },
  ]);
  expect([await place.state(), place.read("README.md")]).toEqual([before, "# Mine, not committed\n"]);
});

test.concurrent("P-23 --clean looks at HEAD alone, after verify.setup, and leaves no checkout", async () => {
  const config =
    "gates:\n  - { id: test, run: test -f done.txt -a -f prepared.txt }\nverify: { setup: touch prepared.txt }\n";
  const place = await verifyPlace({ config, files: { ".gitignore": "prepared.txt\n" } });
  place.write({ "done.txt": "not committed\n", "prepared.txt": "" });
  const before = await place.state();
  expect(await place.verify("--clean")).toEqual({
    code: 1,
    stdout: `These commands will run in ROOM:
  setup  touch prepared.txt
  test   test -f done.txt -a -f prepared.txt
Gate setup: ok · 0.0s
Gate test: FAILED, exit code 1 · 0.0s
Not verified: 1 of 1 gate failed: test · tree HASH · on commit HASH
`,
    stderr: "",
    left: [],
  });
  expect(await place.state()).toEqual(before);
  place.git("add", "done.txt");
  place.git("commit", "--quiet", "--message", "Done");
  expect(await place.verify("--clean")).toMatchObject({ code: 0, left: [] });
});

test.concurrent("P-23 a checkout that cannot be prepared proves nothing", async () => {
  const place = await verifyPlace({ config: "gates:\n  - { id: test, run: 'true' }\nverify: { setup: exit 4 }\n" });
  expect(await place.verify("--clean")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /Gate setup: FAILED, exit code 4 · 0\.0s\n {4}\| exit code 4\nNot verified: preparing the checkout failed · /,
    ),
  });
});

test.concurrent("P-23 with a task its own gates run too, and what it was verified by is shown", async () => {
  const place = await verifyPlace();
  const [id = ""] = place.ids;
  await place.ralphctl("task", "edit", id, "--gate", 'own=test "$RALPHCTL_TASK" != "" -a -f done.txt');
  expect(await place.verify(id)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/\nt-1 was never verified\n$/),
  });
  await place.run();
  const before = await place.state();
  const { code, stdout, left } = await place.verify(id, "--json");
  const gate = { passed: true, runs: 1, durationMs: expect.any(Number), end: { kind: "exit", code: 0 }, output: "" };
  const own = { id: "own", kind: "task", command: 'test "$RALPHCTL_TASK" != "" -a -f done.txt' };
  const workspace = { id: "test", kind: "workspace", command: "test -f done.txt" };
  expect([code, JSON.parse(stdout), left]).toEqual([
    0,
    {
      version: 1,
      verdict: "verified",
      place: "proven",
      tree: "HASH",
      commit: "HASH",
      task: "t-1",
      setup: null,
      gates: [
        { ...own, ...gate },
        { ...workspace, ...gate },
      ],
      notices: [],
      recorded: {
        run: "RUN",
        iteration: 1,
        at: "TIME",
        tree: "HASH",
        commit: "HASH",
        gates: [
          { ...own, passed: true },
          { ...workspace, passed: true },
        ],
      },
    },
    [],
  ]);
  expect(await place.state()).toEqual(before);
  expect((await place.verify(id)).stdout).toMatch(
    /\nt-1 was verified TIME by own, test · tree HASH · on commit HASH · run RUN\n$/,
  );
});

test.concurrent("X-78 without any gate there is nothing to verify by, and it is said how to add one", async () => {
  const place = await verifyPlace({ config: "gates: []\n" });
  expect(await place.verify()).toEqual({
    code: 78,
    stdout: "",
    stderr:
      "error: No gates (the configured list is empty)\nhint: Add gates to .ralph/config.yaml, such as `gates: [{ id: test, run: COMMAND }]`, or use --validation-command COMMAND\n",
    left: [],
  });
  expect(await place.verify("--validation-command", "true")).toMatchObject({ code: 0 });
});

test("W-07 X-75 X-64 verify is refused while a run has the tree, and inside a session", async () => {
  const place = await verifyPlace();
  const run = startProcess(process.execPath, [await buildWorker(), "loop", join(place.folder, ".git"), "r-1"]);
  await run.says("locked");
  expect(await place.verify()).toMatchObject({
    code: 75,
    stdout: "",
    stderr: expect.stringContaining("This working tree is in use by run r-1 of workspace"),
  });
  run.child.kill("SIGTERM");
  await run.ended;
  const env = { RALPHCTL_ATTEMPT: "r-1.1.1" };
  expect(await ralphctl(["verify"], { cwd: place.folder, env })).toMatchObject({ code: 64, stdout: "" });
});

test("P-40 a signal stops the gates: 130, and no process is left", async () => {
  const signs = temporaryFolder();
  const config = `gates:\n  - { id: slow, run: "env | grep RALPHCTL_RUN >&2; echo started > ${signs}/up.txt; setsid sleep 60 & sleep 60" }\n`;
  const place = await verifyPlace({ config });
  const started = startProcess(process.execPath, [PROGRAM, "verify"], place.folder);
  await expect.poll(() => readdirSync(signs), { timeout: 50_000 }).toContain("up.txt");
  started.child.kill("SIGINT");
  expect(await started.ended).toBe(130);
  expect(started.output()).toContain("Undecided: interrupted · tree ");
  const [, run = ""] = /RALPHCTL_RUN=(\S+)/.exec(started.output())!;
  expect(marked({ name: "RALPHCTL_RUN", value: run })).toEqual([]);
});
