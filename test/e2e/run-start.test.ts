import { existsSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  DONE,
  eventsOf,
  leftOut,
  notices,
  runWith,
  script,
  seen,
  sh,
  type Step,
  verdicts,
  WORK,
} from "../hostile-run.ts";
import { startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { git, temporaryFolder, temporaryRepository, write as writeFiles } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

describe.concurrent("P-30 repositories that a run can begin in", () => {
  test("P-30 a detached HEAD is warned of, and the commit is made there", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    const main = place.git("rev-parse", "main");
    place.git("switch", "--quiet", "--detach");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(notices(run)).toContain(`HEAD is detached at ${main.slice(0, 10)}: commits will belong to no branch`);
    expect([place.git("rev-parse", "main"), place.git("rev-parse", "HEAD~1")]).toEqual([main, main]);
  });

  test("P-30 without a commit we make the first, of the session's own files", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    place.git("update-ref", "-d", "HEAD");
    place.git("rm", "-r", "-q", "--cached", ".");
    const run = await place.run();
    expect([run.code, run.outcomes, await place.states()]).toEqual([0, ["verified"], { "Do it": "done" }]);
    expect([place.git("log", "--format=%s"), place.git("ls-tree", "-r", "--name-only", "HEAD")]).toEqual([
      "Do it",
      "done.txt",
    ]);
  });

  test("P-30 X-78 a merge or a rebase in progress is refused with the way out", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    place.git("switch", "--quiet", "--create", "other");
    place.write({ "README.md": "other\n" });
    place.git("commit", "--quiet", "--all", "--message", "Other");
    place.git("switch", "--quiet", "main");
    place.write({ "README.md": "main\n" });
    place.git("commit", "--quiet", "--all", "--message", "Main");
    const answers: unknown[] = [];
    for (const command of ["merge", "rebase"]) {
      expect(() => place.git(command, "other")).toThrow();
      const { code, stdout, stderr } = await place.ralphctl("run", "--json");
      answers.push([code, stdout, stderr.replaceAll("\n", " ")]);
      place.git(command, "--abort");
    }
    expect(answers).toEqual([
      [78, "", expect.stringMatching(/A merge is in progress.*git merge --abort/)],
      [78, "", expect.stringMatching(/A rebase is in progress.*git rebase --abort/)],
    ]);
  });

  test("P-05 X-3 X-78 a run that finds nothing to do, or is refused, leaves no folder", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), tasks: [] });
    const nothing = await place.run();
    place.write({ "README.md": "dirty\n" });
    const refused = await place.run("Do it");
    expect([nothing.code, refused.code, readdirSync(join(place.folder, ".ralph/runs"))]).toEqual([3, 78, []]);
  });

  test("P-30 P-05 X-78 a bare repository, no repository and no workspace are refused with what helps", async () => {
    const bare = temporaryFolder();
    git(bare, "init", "--quiet", "--bare");
    const none = temporaryFolder({
      ".ralph/config.yaml": "harness: scripted\nharnesses: { scripted: { script: s.yaml } }\n",
      "s.yaml": "- []",
    });
    const plain = temporaryRepository({ "README.md": "" });
    const answers = await Promise.all([bare, none, plain].map((cwd) => typed(["run", "Do it"], { cwd })));
    expect(answers.map(({ code, stdout, stderr }) => [code, stdout, stderr.replaceAll("\n", " ")])).toEqual([
      [78, "", expect.stringMatching(/bare repository|No workspace here/)],
      [78, "", expect.stringMatching(/is not in a git repository.*git init/)],
      [78, "", expect.stringMatching(/No workspace here.*ralphctl init/)],
    ]);
  });

  test("P-30 T-03 what a session did inside a submodule is rejected, until it is taken back", async () => {
    const library = temporaryRepository({ "lib.txt": "lib\n" });
    const place = await loopWorkspace({
      script: script([WORK, sh("echo more >> lib/lib.txt"), DONE], [sh("git -C lib checkout -q ."), DONE]),
    });
    place.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
    place.git("commit", "--quiet", "--message", "Add a library");
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      ...VERIFIED,
      outcomes: ["rejected", "verified"],
      commits: ["Add a library", "Do it"],
    });
    expect([verdicts(run)[0]?.[1], place.git("show", "--name-only", "--format=", "HEAD")]).toEqual([
      expect.stringContaining("lib (files inside this submodule changed)"),
      "done.txt",
    ]);
  });

  test("P-30 a workspace in a folder of the repository: gates and agent work there, and its paths are committed", async () => {
    const folder = temporaryRepository({ "README.md": "# Top\n" });
    const place = join(temporaryFolder(), "script.yaml");
    writeFiles(join(place, ".."), { "script.yaml": script([WORK, sh("echo above >> ../README.md"), DONE]) });
    const config = `harness: scripted\nharnesses: { scripted: { script: ${JSON.stringify(place)} } }\ngates: [{ id: test, run: test -f done.txt }]\n`;
    writeFiles(folder, {
      "sub/.ralph/config.yaml": config,
      "sub/PROMPT_build.md": "Work.\n",
      "sub/.ralph/.gitignore": "/ralph.db*\n/runs/\n/lock*\n",
    });
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--message", "Make a workspace");
    const run = await runWith({ folder: join(folder, "sub") }, { args: ["Do it"] });
    expect([run.code, run.outcomes, git(folder, "show", "--name-only", "--format=%s", "HEAD")]).toEqual([
      0,
      ["verified"],
      "Do it\n\nREADME.md\nsub/done.txt",
    ]);
  });
});

describe.concurrent("P-31 a tree with changes of the user's", () => {
  test("P-31 X-78 tracked files that differ are refused with their list", async () => {
    const place = await loopWorkspace({ files: { "a.txt": "a\n", "b.txt": "b\n" }, script: script([WORK, DONE]) });
    place.write({ "a.txt": "mine\n", "new.txt": "new\n" });
    place.git("rm", "--quiet", "b.txt");
    const run = await place.run();
    expect([run.code, run.stdout, await place.states(), run.stderr]).toEqual([
      78,
      "",
      { "Do it": "pending" },
      expect.stringMatching(/There are uncommitted changes: a\.txt, b\.txt\n[\s\S]*--allow-dirty/),
    ]);
  });

  test("P-31 --allow-dirty goes on, and never commits those paths, not even when the session changes them", async () => {
    const place = await loopWorkspace({
      files: { "a.txt": "a\n", "b.txt": "b\n" },
      script: script([WORK, sh("echo agent >> a.txt"), DONE]),
    });
    place.write({ "a.txt": "mine\n", "b.txt": "mine too\n" });
    const run = await place.run("--allow-dirty");
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect([
      place.git("show", "--name-only", "--format=", "HEAD"),
      leftOut(run),
      place.read("a.txt"),
      place.read("b.txt"),
    ]).toEqual([
      "done.txt",
      { "a.txt": "you had uncommitted changes in it before the run" },
      "mine\nagent\n",
      "mine too\n",
    ]);
    expect(place.git("status", "--porcelain")).toBe("M a.txt\n M b.txt");
  });

  test("P-31 untracked files of the user's are committed only when a session changes them", async () => {
    const place = await loopWorkspace({ script: script([WORK, sh("echo agent >> touched.txt"), DONE]) });
    place.write({ "mine.txt": "mine\n", "touched.txt": "mine\n", ".env": "A=1\n" });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect([place.git("show", "--name-only", "--format=", "HEAD"), place.git("status", "--porcelain")]).toEqual([
      "done.txt\ntouched.txt",
      "?? .env\n?? mine.txt",
    ]);
  });

  test("P-31 what the agent itself commits of the user's is said, to both, each file once", async () => {
    const place = await loopWorkspace({
      script: script(
        [sh("echo agent | tee -a README.md >> touched.txt"), { commit: "All" }, DONE],
        [WORK, { commit: "More" }, DONE],
      ),
    });
    place.write({ "README.md": "mine\n", "mine.txt": "mine\n", "touched.txt": "mine\n" });
    const run = await place.run("--allow-dirty");
    const files = "README.md, mine.txt";
    expect(notices(run).filter((text) => text.includes("your uncommitted changes"))).toEqual([
      `The session committed your uncommitted changes: ${files}`,
    ]);
    expect(run.prompt(2)).toContain(
      `You committed somebody else's uncommitted changes: ${files}. Commit only your own changes, and leave other people's alone.`,
    );
    expect([run.outcomes, place.commits()]).toEqual([
      ["rejected", "verified"],
      ["All", "More"],
    ]);
  });

  test("P-31 what the agent takes away of the user's is said, each file once", async () => {
    const place = await loopWorkspace({ script: script([sh("git stash --quiet --include-untracked"), WORK, DONE]) });
    place.write({ "README.md": "mine\n", "mine.txt": "mine\n" });
    const run = await place.run("--allow-dirty");
    expect(notices(run).filter((text) => text.includes("your uncommitted changes"))).toEqual([
      "The session undid or removed your uncommitted changes: README.md, mine.txt",
    ]);
    expect([run.outcomes, place.commits()]).toEqual([["verified"], ["Do it"]]);
  });

  test("P-31 what a rejected attempt left is not dirt for the next run", async () => {
    const place = await loopWorkspace({
      script: script([sh("echo agent >> README.md"), { say: "More to do." }], [WORK, DONE]),
    });
    const first = await place.run("--max-iterations", "1");
    const second = await place.run("--max-iterations", "2");
    expect([first.code, first.outcomes, second.code, second.outcomes, place.commits()]).toEqual([
      4,
      ["unfinished"],
      0,
      ["unfinished", "verified"],
      ["Do it"],
    ]);
    expect(place.git("show", "--name-only", "--format=", "HEAD")).toBe("README.md\ndone.txt");
  });
});

test.concurrent.each([
  [".ralph/runs", ""],
  [".ralph/context", "workspace.md"],
])(
  "W-05 X-65 %s as a link that leads out of the workspace is refused, and nothing is written there",
  async (name, file) => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    const outside = temporaryFolder(file === "" ? {} : { [file]: "Do as I say\n" });
    rmSync(join(place.folder, name), { recursive: true, force: true });
    symlinkSync(outside, join(place.folder, name));
    const run = await place.run("--allow-dirty");
    expect([run.code, run.stdout, run.stderr]).toEqual([
      65,
      "",
      expect.stringMatching(/^error: \.ralph\/\S+ points outside the workspace, to /),
    ]);
    expect([readdirSync(outside), await place.states()]).toEqual([file === "" ? [] : [file], { "Do it": "pending" }]);
  },
);

describe.concurrent("P-30 --branch", () => {
  test("P-16 P-30 the gates of a run are those of the branch that it works on", async () => {
    const withTest = (command: string) => ({ "package.json": JSON.stringify({ scripts: { test: command } }) });
    const place = await loopWorkspace({
      config: "gates: auto\n",
      files: withTest("test -f old.txt"),
      script: script([WORK, DONE]),
    });
    place.git("switch", "--quiet", "--create", "other");
    place.write(withTest("test -f done.txt"));
    place.git("commit", "--quiet", "--all", "--message", "Test otherwise");
    place.git("switch", "--quiet", "main");
    const run = await place.run("--branch", "other", "--max-iterations", "1");
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
  });

  test("P-30 a new branch is made at HEAD, an existing one is switched to", async () => {
    const place = await loopWorkspace({ tasks: ["One", "Two"], script: script([WORK, DONE]) });
    const main = place.git("rev-parse", "main");
    const first = await place.run("--branch", "ralph/one", "--task", place.ids[0]!);
    place.git("switch", "--quiet", "main");
    place.git("branch", "other");
    const second = await place.run("--branch", "other", "--task", place.ids[1]!);
    expect([first.code, second.code, await place.states()]).toEqual([0, 0, { One: "done", Two: "done" }]);
    expect([place.git("rev-parse", "main", "ralph/one~1", "other~1"), place.git("branch", "--show-current")]).toEqual([
      [main, main, main].join("\n"),
      "other",
    ]);
  });
});

/** Waits for a file, for at most half a minute. */
const awaitFile = (path: string): Step => sh(`for i in $(seq 600); do test -e '${path}' && break; sleep 0.05; done`);

describe.concurrent("W-07 one loop per working tree", () => {
  test("W-07 X-75 a second run is refused, and names the holder", async () => {
    const signs = temporaryFolder();
    const place = await loopWorkspace({
      script: script([sh(`touch ${signs}/begun`), awaitFile(`${signs}/go`), WORK, DONE]),
    });
    const first = place.run();
    await expect.poll(() => existsSync(`${signs}/begun`), { timeout: 30_000 }).toBe(true);
    const second = await place.run();
    writeFiles(signs, { go: "" });
    const run = await first;
    expect([second.code, second.stdout, second.stderr]).toEqual([
      75,
      "",
      expect.stringMatching(
        /This working tree is in use by run r-\S+ of workspace \(process \d+, since .*\)\n[\s\S]*ralphctl stop/,
      ),
    ]);
    expect(second.stderr).toContain(eventsOf(run, "run.started")[0]!.run);
    expect(await seen(place, run)).toEqual(VERIFIED);
  });

  test("W-07 two runs in two worktrees share one store, and each task is done once", async () => {
    const signs = temporaryFolder();
    // Each session waits for the other's beginning: they run at the same time, or not at all.
    const meet = [
      sh(
        `touch ${signs}/$RALPHCTL_TASK; for i in $(seq 600); do test $(ls ${signs} | wc -l) -ge 2 && break; sleep 0.05; done`,
      ),
    ];
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: script([...meet, WORK, sh("echo > $RALPHCTL_TASK.txt"), DONE]),
    });
    const tree = join(temporaryFolder(), "tree");
    place.git("worktree", "add", "--quiet", "-b", "second", tree);
    const [here, there] = await Promise.all([
      runWith(place, { args: ["--max-iterations", "1"] }),
      runWith({ folder: tree }, { args: ["--max-iterations", "1"] }),
    ]);
    expect([here.outcomes, there.outcomes, await place.states()]).toEqual([
      ["verified"],
      ["verified"],
      { One: "done", Two: "done" },
    ]);
    const subjects = [place.git("log", "-1", "--format=%s", "main"), place.git("log", "-1", "--format=%s", "second")];
    expect(subjects.sort()).toEqual(["One", "Two"]);
    expect([git(tree, "status", "--porcelain"), place.git("status", "--porcelain")]).toEqual(["", ""]);
  });

  test("W-07 X-2 a run that finds only what a run in another worktree works on says so", async () => {
    const signs = temporaryFolder();
    const wait = `for i in $(seq 600); do test -e ${signs}/go && break; sleep 0.05; done`;
    const place = await loopWorkspace({ script: script([sh(wait), WORK, DONE]) });
    const tree = join(temporaryFolder(), "tree");
    place.git("worktree", "add", "--quiet", "-b", "second", tree);
    const here = startLive(place.folder);
    await here.says("iteration.started");
    const there = await runWith({ folder: tree });
    writeFiles(signs, { go: "" });
    expect([there.code, there.finished?.reason, (await here.ended).code]).toEqual([
      2,
      `Another run works on ${place.ids[0]}, and nothing else is ready`,
      0,
    ]);
  });
});
