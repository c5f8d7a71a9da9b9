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
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { git, temporaryFolder, temporaryRepository, write as writeFiles } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });
const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

/** `main` and `other` add the same file, each with its own text. */
async function forked(): Promise<LoopWorkspace> {
  const place = await loopWorkspace({ script: script([WORK, DONE]) });
  for (const branch of ["other", "main"]) {
    place.git("switch", "--quiet", ...(branch === "main" ? [branch] : ["--create", branch]));
    place.write({ "other.txt": `${branch}\n` });
    place.git("add", "other.txt");
    place.git("commit", "--quiet", "--message", branch === "main" ? "Main" : "Other");
  }
  return place;
}

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

  test("P-30 L-03 X-78 without a commit there is nothing to land on: the command that makes one is named", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    place.git("update-ref", "-d", "HEAD");
    place.git("rm", "-r", "-q", "--cached", ".");
    const run = await place.run();
    expect([run.code, run.stdout, await place.states(), run.stderr]).toEqual([
      78,
      "",
      { "Do it": "pending" },
      expect.stringMatching(/no commit yet.*\nhint: .*git add --all && git commit/),
    ]);
  });

  test("P-30 L-24 T-41 a merge in progress stops nothing and stays; the branch follows once it is over", async () => {
    const place = await forked();
    expect(() => place.git("merge", "other")).toThrow();
    const head = place.git("rev-parse", "main");
    const run = await place.run();
    expect([run.code, run.outcomes, place.git("rev-parse", "main"), place.git("status", "--porcelain")]).toEqual([
      0,
      ["verified"],
      head,
      "AA other.txt",
    ]);
    expect(run.finished?.notFollowing).toMatch(
      /^A merge is in progress in .*git merge --abort, then run ralphctl land$/,
    );
    place.git("merge", "--abort");
    const landed = await place.ralphctl("land");
    expect([landed.code, place.commits(), place.git("status", "--porcelain")]).toEqual([0, ["Main", "Do it"], ""]);
  });

  test("P-30 X-78 T-41 a rebase in progress is refused with the way out, and stays", async () => {
    const place = await forked();
    expect(() => place.git("rebase", "other")).toThrow();
    const run = await place.run();
    expect([run.code, run.stdout, await place.states(), run.stderr]).toEqual([
      78,
      "",
      { "Do it": "pending" },
      expect.stringMatching(/A rebase is in progress[\s\S]*git rebase --abort/),
    ]);
    expect(place.git("status", "--porcelain")).toBe("AA other.txt");
  });

  test("P-05 X-3 X-78 a run that finds nothing to do, or is refused, leaves no folder", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), tasks: [] });
    const nothing = await place.run();
    place.git("update-ref", "-d", "HEAD");
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

  test("P-30 T-03 what a session did inside a submodule is rejected, and the next attempt begins without it", async () => {
    const library = temporaryRepository({ "lib.txt": "lib\n" });
    const place = await loopWorkspace({
      config: `gates: [{ id: test, run: test -f done.txt }]\nlanes: { setup: git -c protocol.file.allow=always submodule --quiet update --init }\n`,
      script: script([WORK, sh("echo more >> lib/lib.txt"), DONE], [write("two"), DONE]),
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
      "done.txt\ntwo",
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

describe.concurrent("P-31 T-41 a tree with changes of the user's", () => {
  test("P-31 L-01 L-03 T-41 changes of every kind are named, stay as they are, and are in no commit", async () => {
    const place = await loopWorkspace({
      files: { "a.txt": "a\n", "b.txt": "b\n" },
      script: script([sh("test ! -e new.txt && test -f b.txt && grep -q a a.txt"), WORK, DONE]),
    });
    place.write({ "a.txt": "mine\n", "new.txt": "new\n", ".env": "A=1\n" });
    place.git("rm", "--quiet", "b.txt");
    const before = place.git("status", "--porcelain");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect([
      eventsOf(run, "run.started")[0]?.notIncluded,
      eventsOf(run, "agent.tool-result").every(({ ok }) => ok),
      place.git("show", "--name-only", "--format=", "HEAD"),
      place.git("status", "--porcelain"),
    ]).toEqual([{ files: 4, paths: [".env", "a.txt", "b.txt", "new.txt"] }, true, "done.txt", before]);
  });

  test("P-31 L-24 T-41 work on the same file lands; the branch follows when the user's change is out of the way", async () => {
    const place = await loopWorkspace({
      files: { "a.txt": "a\n" },
      script: script([WORK, sh("echo agent >> a.txt; echo agent > touched.txt"), DONE]),
    });
    place.write({ "a.txt": "mine\n", "touched.txt": "mine\n" });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, commits: [] });
    expect([place.git("show", "--name-only", "--format=%s", "refs/ralph/target/main"), leftOut(run)]).toEqual([
      "Do it\n\na.txt\ndone.txt\ntouched.txt",
      {},
    ]);
    expect(run.finished?.notFollowing).toMatch(/a\.txt[\s\S]*ralphctl land/);
    expect([place.read("a.txt"), place.read("touched.txt"), place.git("status", "--porcelain")]).toEqual([
      "mine\n",
      "mine\n",
      "M a.txt\n?? touched.txt",
    ]);
    place.git("stash", "--quiet", "--include-untracked");
    expect([(await place.ralphctl("land")).code, place.commits(), place.read("a.txt")]).toEqual([
      0,
      ["Do it"],
      "a\nagent\n",
    ]);
  });

  test("P-31 L-01 X-64 --allow-dirty is gone, and the message says what a run does instead", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    const run = await place.run("--allow-dirty");
    expect([run.code, run.stdout, run.stderr]).toEqual([
      64,
      "",
      expect.stringMatching(/--allow-dirty is gone: .*\nhint: Leave it out/),
    ]);
  });

  test("P-31 L-07 work that a run left unproven is in nobody's way, and the next run goes on with it", async () => {
    const place = await loopWorkspace({
      script: script([sh("echo agent >> README.md"), { say: "More to do." }], [WORK, DONE]),
    });
    const first = await place.run("--max-iterations", "1");
    expect([
      place.git("status", "--porcelain"),
      first.finished?.unfinished?.map(({ task, files }) => [task, files]),
    ]).toEqual(["", [[place.ids[0], 1]]]);
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
    const run = await place.run();
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

  test("P-30 L-24 a new branch is made at HEAD; the branch of a run moves, and the user's tree stays where it is", async () => {
    const place = await loopWorkspace({ tasks: ["One", "Two"], script: script([WORK, DONE]) });
    const main = place.git("rev-parse", "main");
    const first = await place.run("--branch", "ralph/one", "--task", place.ids[0]!);
    place.git("branch", "other");
    const second = await place.run("--branch", "other", "--task", place.ids[1]!);
    expect([first.code, second.code, await place.states()]).toEqual([0, 0, { One: "done", Two: "done" }]);
    expect([
      place.git("rev-parse", "main", "ralph/one~1", "other~1"),
      place.git("branch", "--show-current"),
      place.git("status", "--porcelain"),
    ]).toEqual([[main, main, main].join("\n"), "main", ""]);
  });
});

/** Waits for a file, for at most half a minute. */
const awaitFile = (path: string): Step => sh(`for i in $(seq 1000); do test -e '${path}' && break; sleep 0.05; done`);

describe.concurrent("W-07 one loop per working tree", () => {
  test("W-07 X-75 a second run is refused, and names the holder", async () => {
    const signs = temporaryFolder();
    const place = await loopWorkspace({
      script: script([sh(`touch ${signs}/begun`), awaitFile(`${signs}/go`), WORK, DONE]),
    });
    const first = place.run();
    await expect.poll(() => existsSync(`${signs}/begun`), { timeout: 50_000 }).toBe(true);
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
        `touch ${signs}/$RALPHCTL_TASK; for i in $(seq 1000); do test $(ls ${signs} | wc -l) -ge 2 && break; sleep 0.05; done`,
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
    const wait = `for i in $(seq 1000); do test -e ${signs}/go && break; sleep 0.05; done`;
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
