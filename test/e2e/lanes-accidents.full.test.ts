import { randomBytes } from "node:crypto";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROGRAM, start } from "../built-program.ts";
import { DONE, eventsOf, notices, runWith, script, scriptFor, seen, sh, type Step, WORK } from "../hostile-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { git, temporaryFolder } from "../temporary-folder.ts";
import { MOUNTS, onReadOnly, onTinyDisk } from "../torture/mounts.ts";

const write = (path: string): Step => ({ write: { path, text: `${path}\n` } });
const person = (command: string): Step => sh(`unset GIT_REFLOG_ACTION; cd "{home}" && { ${command}; }`);
const BOTH = { code: 0, outcomes: ["verified"], states: { One: "done", Two: "done" }, commits: ["One", "Two"] };

const twoTasks = async (options: Partial<WorkspaceOptions> = {}): Promise<LoopWorkspace> =>
  await loopWorkspace({
    tasks: ["One", "Two"],
    config: "gates: [{ id: test, run: 'true' }]\n",
    files: { "a.txt": "a\n", ".gitignore": "*.sign\n" },
    script: scriptFor({ One: [write("one"), DONE], Two: [write("two"), DONE] }),
    ...options,
  });

/** One task is done; the lane is at rest. */
async function afterOne(): Promise<{ place: LoopWorkspace; lane: string }> {
  const place = await twoTasks();
  const run = await place.run("--max-iterations", "1");
  expect(run.outcomes).toEqual(["verified"]);
  return { place, lane: laneOf(run) };
}

const laneOf = (run: LoopRun): string => eventsOf(run, "run.started")[0]?.lane?.folder ?? "";

/** The ref that a notice names. */
const savedIn = (run: LoopRun): string => notices(run).flatMap((text) => /saved as (\S+)$/.exec(text)?.[1] ?? [])[0]!;

describe.concurrent("L-41 T-40 a lane at rest that somebody", () => {
  test.each([
    ["removed", (lane: string) => rmSync(lane, { recursive: true })],
    ["moved away", (lane: string) => renameSync(lane, join(temporaryFolder(), "moved"))],
    ["left without our view of it", (lane: string) => rmSync(`${lane}.view`, { recursive: true })],
  ] as const)("L-05 %s is made again", async (_what, accident) => {
    const { place, lane } = await afterOne();
    accident(lane);
    const run = await place.run();
    expect(await seen(place, run)).toEqual(BOTH);
  });

  test("L-41 T-40 replaced by a file is made again, and the file is saved under a ref that is named", async () => {
    const { place, lane } = await afterOne();
    rmSync(lane, { recursive: true });
    writeFileSync(lane, "mine\n");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(BOTH);
    expect(notices(run)).toContain(`Files in ${lane} that ralphctl did not leave there are saved as ${savedIn(run)}`);
    expect(place.git("show", `${savedIn(run)}:1`)).toBe("mine");
  });

  test("L-41 T-40 worked in: the files are saved under a ref that is named, and in no commit of ours", async () => {
    const { place, lane } = await afterOne();
    writeFileSync(join(lane, "mine.txt"), "mine\n");
    writeFileSync(join(lane, "a.txt"), "changed\n");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(BOTH);
    const saved = savedIn(run);
    expect([place.git("show", `${saved}:mine.txt`), place.git("show", `${saved}:a.txt`)]).toEqual(["mine", "changed"]);
    expect([existsSync(join(place.folder, "mine.txt")), place.read("a.txt")]).toEqual([false, "a\n"]);
    expect(savedIn(await place.run())).toBeUndefined();
  });

  test("L-41 filled with a repository of its own stays, and the way out is said", async () => {
    const { place, lane } = await afterOne();
    rmSync(lane, { recursive: true });
    cpSync(place.folder, lane, { recursive: true });
    const run = await place.run();
    expect([run.code, run.stderr]).toEqual([
      78,
      `error: ${lane} is not as ralphctl left it, and ralphctl cannot save a repository that ralphctl did not make\n` +
        `hint: Move ${lane} away, then run this command again\n`,
    ]);
    renameSync(lane, join(temporaryFolder(), "mine"));
    expect((await place.run()).code).toBe(0);
  });
});

describe.concurrent("L-41 T-40 during a session, a lane that somebody", () => {
  const during = async (command: string): Promise<{ place: LoopWorkspace; run: LoopRun }> => {
    const place = await loopWorkspace({ script: script([write("try.txt"), sh(command), DONE], [WORK, DONE]) });
    return { place, run: await place.run() };
  };

  test("L-21 removed is made again, and the next session begins with the files of the landing", async () => {
    const { place, run } = await during('cd / && rm -rf "$OLDPWD"');
    expect(await seen(place, run)).toMatchObject({ code: 0, states: { "Do it": "done" }, commits: ["Do it"] });
    expect(place.git("show", "--stat=80", "--format=", "HEAD").split("\n").at(-1)).toContain("1 file changed");
    expect(notices(run)).toContain(
      `${laneOf(run)} was removed or replaced during the session, so its changes are lost`,
    );
    expect(eventsOf(run, "verdict.reached")[0]).toMatchObject({
      verdict: "rejected",
      reasons: [expect.stringContaining("removed or replaced during the session, so there is no work to prove")],
    });
  });

  test("T-40 replaced by a file is made again, and the file is saved", async () => {
    const { place, run } = await during('lane=$PWD; cd / && rm -rf "$lane" && echo mine >"$lane"');
    expect(await seen(place, run)).toMatchObject({ code: 0, states: { "Do it": "done" }, commits: ["Do it"] });
    expect(place.git("show", `${savedIn(run)}:1`)).toBe("mine");
  });
});

test.each([
  ["is rejected without being read, and the kept work does not have it", "truncate -s 3G big.bin"],
  [
    "that the session commits is rejected, and does not come into the person's repository",
    "truncate -s 520M big.bin && git add . && git commit -qm Big && git rm -q --cached big.bin && git commit -qm Small",
  ],
])(
  "T-03 L-07 a huge new file %s",
  async (_, big) => {
    const place = await loopWorkspace({
      config: "limits: { attempts: 1 }\n",
      script: script([WORK, sh(big), DONE]),
    });
    const run = await place.run();
    expect(eventsOf(run, "verdict.reached")[0]?.reasons[0]).toContain("big.bin (it is larger than 5MB)");
    const [kept] = eventsOf(run, "work.kept");
    const files = place.git("ls-tree", "-r", "--name-only", kept!.commit).split("\n");
    expect([files.includes("big.bin"), files.length > 0]).toEqual([false, true]);
    expect(Number(/^size: (\d+)/m.exec(place.git("count-objects", "-v"))?.[1])).toBeLessThan(2000);
    expect(place.git("log", "--all", "--format=%s").split("\n")).not.toContain("Big");
  },
  60_000,
);

describe.concurrent("L-24 T-41 the branch that a run works for", () => {
  test("L-20 T-40 may lose every object that no ref names, while the gates run", async () => {
    const place = await twoTasks({
      script: script([write("one"), sh("git add one && git commit -qm Own"), DONE], [write("two"), DONE]),
      env: {},
    });
    const config = place
      .read(".ralph/config.yaml")
      .replace("run: 'true'", `run: git -C '${place.folder}' gc --quiet --prune=now`);
    place.write({ ".ralph/config.yaml": config });
    place.git("commit", "--quiet", "--all", "--message", "Collect garbage in a gate");
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
    expect(place.git("fsck", "--connectivity-only", "--no-dangling")).toBe("");
    expect(place.git("log", "-2", "--format=%s")).toBe("Two\nOwn");
  });

  test("L-24 T-41 renamed between runs: the next one lands on the branch that is there", async () => {
    const { place } = await afterOne();
    place.git("branch", "--move", "main", "trunk");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(BOTH);
    expect(place.git("rev-parse", "trunk")).toBe(place.git("rev-parse", "refs/ralph/target/trunk"));
  });

  test("L-24 T-41 renamed during a run: the work is on the landing, and the way to it is said", async () => {
    const place = await twoTasks({
      script: script([write("one"), person("git branch -M trunk"), DONE], [write("two"), DONE]),
    });
    const run = await place.run();
    expect([run.code, run.outcomes, run.finished?.notFollowing]).toEqual([
      0,
      ["verified", "verified"],
      "You renamed main to trunk. Take over the work there: git merge --autostash refs/ralph/target/main",
    ]);
    expect([place.git("branch", "--show-current"), place.commits()]).toEqual(["trunk", []]);
  });

  test("L-24 T-41 squash-merged between runs: nothing lands twice, and the old history stays under a ref", async () => {
    const { place } = await afterOne();
    const landed = place.git("rev-parse", "HEAD");
    place.git("reset", "--quiet", "--hard", "HEAD~1");
    place.git("merge", "--quiet", "--squash", landed);
    place.git("commit", "--quiet", "--message", "Squashed");
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...BOTH, commits: ["Squashed", "Two"] });
    expect(notices(run).join("\n")).toMatch(
      /^The history of main changed, so the run begins there; work that landed before is refs\/ralph\/lost\/\w+$/m,
    );
  });

  test("L-24 T-41 force-moved during a run to a commit without the work: what the branch never had comes on top", async () => {
    const place = await twoTasks({
      script: script(
        [
          write("one"),
          person(
            "git commit -q --allow-empty -m Other && git reset -q --hard HEAD~2 2>/dev/null; git commit -q --allow-empty -m Elsewhere",
          ),
          DONE,
        ],
        [write("two"), DONE],
      ),
    });
    place.git("commit", "--quiet", "--allow-empty", "--message", "Base");
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
    expect(place.git("log", "-3", "--format=%s")).toBe("Two\nOne\nElsewhere");
    expect(place.git("status", "--porcelain")).toBe("");
  });

  test("L-24 T-41 in the middle of a merge of the person's: nothing of it changes, and the way out is said", async () => {
    const place = await twoTasks();
    place.git("switch", "--quiet", "--create", "other");
    place.write({ "a.txt": "other\n" });
    place.git("commit", "--quiet", "--all", "--message", "Other");
    place.git("switch", "--quiet", "main");
    place.write({ "a.txt": "main\n" });
    place.git("commit", "--quiet", "--all", "--message", "Main");
    expect(() => place.git("merge", "other")).toThrow();
    const before = place.read("a.txt");
    const run = await place.run();
    expect([run.code, run.outcomes, run.finished?.notFollowing]).toEqual([
      0,
      ["verified", "verified"],
      `A merge is in progress in ${place.folder}. Finish it, or give it up with git merge --abort, then run ralphctl land`,
    ]);
    expect([place.read("a.txt"), existsSync(join(place.folder, ".git/MERGE_HEAD"))]).toEqual([before, true]);
    place.git("merge", "--abort");
    expect((await place.ralphctl("land")).code).toBe(0);
    expect(place.git("log", "-2", "--format=%s")).toBe("Two\nOne");
  });
});

describe.concurrent("L-04 set-up", () => {
  const withSetup = async (setup: string, more = ""): Promise<LoopRun> => {
    const config = `gates: [{ id: test, run: 'true' }]\nlanes: { setup: ${JSON.stringify(setup)} }\n${more}`;
    return await (await loopWorkspace({ script: script([WORK, DONE]), config })).run();
  };

  test("L-04 that fails ends the run before any session, and the way out is said", async () => {
    const run = await withSetup("echo no network; exit 3");
    expect([run.code, run.outcomes, run.stderr]).toEqual([
      78,
      [],
      expect.stringMatching(
        /^error: Set-up of the room failed: echo no network; exit 3[^]*no network[^]*\nhint: Set lanes.setup/,
      ),
    ]);
  });

  test("L-04 that hangs is ended at limits.setup, and leaves no process", async () => {
    const run = await withSetup("sleep 300", "limits: { setup: 1s }\n");
    expect([run.code, run.outcomes]).toEqual([78, []]);
  });

  test("L-04 that asks a question gets no answer, and ends", async () => {
    const run = await withSetup("read -p 'Really? ' answer && test \"$answer\" = yes", "limits: { setup: 20s }\n");
    expect([run.code, run.outcomes]).toEqual([78, []]);
  });
});

describe.concurrent("L-02 the folder of the lanes", () => {
  const withFolder = async (folder: string): Promise<LoopRun> => {
    const config = "gates: [{ id: test, run: 'true' }]\n";
    const env = { RALPHCTL_LANES_FOLDER: folder };
    return await (await loopWorkspace({ script: script([WORK, DONE]), config, env })).run();
  };

  test("L-02 that cannot be made is named", async () => {
    const file = join(temporaryFolder({ taken: "" }), "taken");
    const run = await withFolder(file);
    expect([run.code, run.stderr]).toEqual([74, expect.stringMatching(/^error: Cannot create the folder .*taken/)]);
  });

  test("L-02 inside the repository is refused", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), env: { RALPHCTL_LANES_FOLDER: "lanes" } });
    const run = await place.run();
    expect([run.code, run.stderr]).toEqual([78, expect.stringContaining("A lane cannot be in")]);
  });

  test("L-02 inside the repository by XDG_STATE_HOME: the lanes are beside the repository", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), files: { ".gitignore": "state/\n" } });
    mkdirSync(join(place.folder, "state"));
    const inside = await runWith(place, { env: { XDG_STATE_HOME: join(place.folder, "state") } });
    expect([inside.code, laneOf(inside).startsWith(place.folder)]).toEqual([0, false]);
  });
});

describe.runIf(MOUNTS.missing() === undefined).concurrent("L-02 X-74 a folder of the lanes", () => {
  const files = { "big.txt": randomBytes(2_000_000).toString("base64") };

  /** One run under a command, and one as usual. */
  async function underAndThen(under: (lanes: string, folder: string) => string[]) {
    const lanes = temporaryFolder();
    const config = "gates: [{ id: test, run: 'true' }]\n";
    const env = { RALPHCTL_LANES_FOLDER: lanes };
    const place = await loopWorkspace({ script: script([WORK, DONE]), config, files, env });
    const [file, ...args] = [...under(lanes, place.folder), process.execPath, PROGRAM, "run", "--json"];
    const first = await start(file, args, { cwd: place.folder, env });
    expect([place.commits(), place.git("status", "--porcelain")]).toEqual([[], ""]);
    return { first, second: await place.run() };
  }

  test("L-02 X-74 without room: a sentence, and with room the next run does the work", async () => {
    const { first, second } = await underAndThen(onTinyDisk);
    expect([first.code, first.stderr]).toEqual([74, expect.stringMatching(/^error: .*No space left on device|ENOSPC/)]);
    expect([second.code, second.outcomes]).toEqual([0, ["verified"]]);
  });

  test("L-02 X-74 that cannot be written: a sentence, and once it can, the next run does the work", async () => {
    const { first, second } = await underAndThen(onReadOnly);
    expect([first.code, first.stderr]).toEqual([
      74,
      expect.stringMatching(/^error: Cannot create the folder .*\nhint: Check the permissions/),
    ]);
    expect([second.code, second.outcomes]).toEqual([0, ["verified"]]);
  });
});

test("L-02 a repository whose filter is missing cannot have a lane, and the way out is said", async () => {
  const place = await loopWorkspace({
    script: script([WORK, DONE]),
    files: { ".gitattributes": "*.dat filter=box\n" },
  });
  place.git("config", "filter.box.clean", "cat");
  place.git("config", "filter.box.smudge", "false");
  place.git("config", "filter.box.required", "true");
  place.write({ "x.dat": "x\n" });
  place.git("add", "x.dat");
  place.git("commit", "--quiet", "--message", "Data");
  const run = await place.run();
  expect([run.code, run.stderr]).toEqual([
    78,
    expect.stringMatching(/^error: Git cannot check out a lane: .*filter 'false' failed[^]*hint: .*--in-place/),
  ]);
  expect(git(place.folder, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(place.folder, "x.dat"), "utf8")).toBe("x\n");
});

describe.concurrent("L-41 commits on other branches of a lane", () => {
  const aside = (name: string): string =>
    `git switch -qc ${name}; echo ${name} > ${name}.txt; git add .; git commit -qm ${name}; git switch -q main`;

  test("L-07 and stashes that a session leaves are saved at its end, once; a branch that it merged is not", async () => {
    const stash = "echo 1 >> a.txt; git stash -q; echo 2 >> a.txt; git stash -q";
    const place = await twoTasks({
      script: scriptFor({
        One: [sh(`${aside("merged")}; git merge -q merged; ${aside("aside")}; ${stash}`), write("one"), DONE],
        Two: [write("two"), DONE],
      }),
    });
    const run = await place.run();
    const said = notices(run).filter((text) => text.startsWith("Commits that the session left"));
    const [ref = ""] = said.flatMap((text) => /(refs\/\S+)$/.exec(text)?.[1] ?? []);
    expect([run.code, said]).toEqual([0, [`Commits that the session left on other branches or in a stash: ${ref}`]]);
    const parents = place.git("log", "-1", "--format=%P", ref).split(" ");
    expect(parents.map((commit) => place.git("log", "-1", "--format=%s", commit).split(":")[0])).toEqual([
      "aside",
      "WIP on main",
      "WIP on main",
    ]);
    expect(place.git("stash", "list")).toBe("");
  });

  test("L-42 that a person made in a lane at rest are saved by the next run, and by rm", async () => {
    const { place, lane } = await afterOne();
    spawnSync("sh", ["-c", aside("mine")], { cwd: lane });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(BOTH);
    expect(place.git("show", `${savedIn(run)}:mine.txt`)).toBe("mine");
    spawnSync("sh", ["-c", aside("more")], { cwd: lane });
    const removed = await place.ralphctl("lanes", "rm", "1");
    const [, ref = ""] = /What only it had is (\S+)/.exec(removed.stdout) ?? [];
    expect(place.git("show", `${ref}:more.txt`)).toBe("more");
  });
});
