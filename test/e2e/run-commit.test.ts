import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notes, notices, script, seen, sh, type Step, verdicts, WORK } from "../hostile-run.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });
const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n";
const CONFLICT = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";
const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

const named = (run: LoopRun): string[] => notices(run).filter((text) => text.startsWith("Check"));

describe.concurrent("P-32 what a commit of ours contains", () => {
  test("T-03 L-26 P-32 a claim with changes that do not belong in a commit is rejected, with each and what to do", async () => {
    const outside = temporaryFolder({ "secret.txt": "secret" });
    const place = await loopWorkspace({
      script: script(
        [
          WORK,
          write(".env", "TOKEN=1\n"),
          sh("head -c 10485760 /dev/zero > large.bin"),
          write("notes.txt", KEY),
          sh("git init -q nested && touch nested/file"),
          sh(`ln -s ${outside}/secret.txt link-out && ln -s README.md link-in`),
          write("conflict.txt", CONFLICT),
          DONE,
        ],
        [sh("rm -r .env large.bin notes.txt nested link-out conflict.txt"), DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["rejected", "verified"] });
    const why = [
      ".env (files named .env* may hold secrets)",
      "conflict.txt (it contains conflict markers)",
      "large.bin (it is larger than 5MB)",
      "link-out (the link points outside the workspace)",
      "nested (it is a nested git repository)",
      "notes.txt (it contains a private key)",
    ];
    expect(verdicts(run)[0]).toEqual([
      "rejected",
      `these changes cannot or should not be committed: ${why.join(", ")}. To allow it: ralphctl task allow ${place.ids[0]}`,
    ]);
    expect(
      [...why, "Too large: delete the file", "`commit.allow`"].filter((text) => !run.prompt(2).includes(text)),
    ).toEqual([]);
    expect([named(run), place.git("show", "--name-only", "--format=", "HEAD")]).toEqual([[], "done.txt\nlink-in"]);
  });

  test("T-03 L-26 commit.allow lets a commit take secrets and large files, and leave out nested repositories", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: `${GATE}commit: { allow: [.env, "*.bin", nested, conflict.txt] }\n`,
      script: script(
        [WORK, write(".env", "A=1\n"), sh("head -c 6000000 /dev/zero > a.bin; git init -q nested"), DONE],
        [write("conflict.txt", CONFLICT), DONE],
        [sh("rm conflict.txt"), write("two"), DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "rejected", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(place.git("show", "--name-only", "--format=", "HEAD~1")).toBe(".env\na.bin\ndone.txt");
    // The first one's nested repository is not the second one's change.
    expect(eventsOf(run, "commit.made").map((made) => made.leftOut.map(({ path }) => path))).toEqual([["nested"], []]);
    expect(named(run)).toEqual([
      "Check these changes: .env (files named .env* may hold secrets; commit.allow or the task allows it), a.bin (it is larger than 5MB; commit.allow or the task allows it), nested (it is a nested git repository; commit.allow or the task allows it)",
    ]);
  });

  test("T-03 honest work passes without a word: build output, installed packages, examples, keys of tests", async () => {
    const place = await loopWorkspace({
      files: { ".gitignore": "node_modules/\ndist/\n.env\n" },
      script: script([
        WORK,
        write("node_modules/x/index.js"),
        write("dist/app.js"),
        write(".env", "A=1\n"),
        write(".env.example", "A=\n"),
        write("test/fixtures/server.key", KEY),
        write("docs/merging.md", `\`\`\`\n${CONFLICT}\`\`\`\n`),
        write(".gitignore", "node_modules/\ndist/\n.env\n*.tmp\n"),
        DONE,
      ]),
    });
    const run = await place.run();
    expect([await seen(place, run), named(run)]).toEqual([VERIFIED, []]);
    expect(place.git("status", "--porcelain")).toBe("");
  });

  test("T-03 a source file that an ignore rule of the session hides is rejected; build output is named", async () => {
    const place = await loopWorkspace({
      config: "gates: [{ id: test, run: test -f src/impl.js -a -f done.txt }]\n",
      script: script(
        [WORK, write("src/impl.js", "1\n"), write("dist/a.js"), write(".gitignore", "src/impl.js\ndist/\n"), DONE],
        [write(".gitignore", "dist/\n"), DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({ ...VERIFIED, outcomes: ["rejected", "verified"] });
    expect([verdicts(run)[0]?.[1], run.prompt(2)]).toEqual([
      expect.stringContaining("src/impl.js (a new ignore rule hides it)"),
      expect.stringContaining("take the ignore rule back"),
    ]);
    const output = "Check these changes: dist/ (a new ignore rule hides it; it looks like build output)";
    expect([named(run), place.git("show", "--name-only", "--format=", "HEAD")]).toEqual([
      [output, output],
      ".gitignore\ndone.txt\nsrc/impl.js",
    ]);
  });

  test("T-03 P-32 L-23 a secret in the agent's own commit is rejected, and never in the history of the branch", async () => {
    const place = await loopWorkspace({
      script: script(
        [WORK, write(".env", "A=1\n"), sh("git add .env done.txt && git commit -qm 'All of it'"), DONE],
        [sh("rm .env && git add --all && git commit -qm 'Without it' -m 'It was a secret.'"), DONE],
      ),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      ...VERIFIED,
      outcomes: ["rejected", "verified"],
      commits: ["Without it"],
    });
    expect([eventsOf(run, "commit.made").length, run.finished?.commits, place.git("status", "--porcelain")]).toEqual([
      1,
      1,
      "",
    ]);
    expect(place.git("log", "-1", "--format=%b")).toContain("It was a secret.\n\nRalph-Task: ");
    const own = place.git("log", "--format=%s", `main..refs/ralph/${run.name}/${place.ids[0]}`).split("\n");
    expect(own).toEqual(expect.arrayContaining(["Without it", "All of it"]));
    expect(place.git("log", "--format=%s", "main", "--", ".env")).toBe("");
  });

  test("P-32 L-23 two commits of the agent's and something uncommitted land as one commit; its own stay under a ref", async () => {
    const place = await loopWorkspace({
      script: script([write("a"), { commit: "A" }, write("b"), { commit: "B" }, WORK, sh("git add done.txt"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(place.git("show", "--name-only", "--format=", "HEAD")).toBe("a\nb\ndone.txt");
    expect(place.git("log", "-1", "--format=%(trailers:key=Ralph-Task,valueonly)")).toBe(place.ids[0]);
    const own = place.git("log", "--format=%s", `main..refs/ralph/${run.name}/${place.ids[0]}`).split("\n");
    expect(own).toEqual(["Unproven work: Do it", "B", "A"]);
  });

  test("P-32 modes, deletions and names of every kind are committed as they are", async () => {
    const place = await loopWorkspace({
      files: { "tool.sh": "echo\n", "old.txt": "old\n", "folder/deep.txt": "deep\n" },
      script: script([
        WORK,
        sh("chmod +x tool.sh && rm old.txt && rm -r folder && echo new > folder"),
        sh(
          `echo 1 > 'with space' && echo 2 > "quote'\\"s" && echo 3 > "$(printf 'line\\nbreak')" && echo 4 > "$(printf 'caf\\351')" && echo 5 > ünï`,
        ),
        sh("echo 6 > ' -rf' && echo 7 > '*' && echo 8 > ':(top)x' && echo 9 > '$(touch pwned)'"),
        DONE,
      ]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    const raw = place.git("show", "--raw", "--no-renames", "--abbrev=4", "--format=", "HEAD").split("\n");
    expect(raw.map((line) => line.replace(/^:(\d+) (\d+) \S+ \S+ /, "$1 $2 "))).toEqual([
      "000000 100644 A\t -rf",
      "000000 100644 A\t$(touch pwned)",
      "000000 100644 A\t*",
      "000000 100644 A\t:(top)x",
      '000000 100644 A\t"caf\\351"',
      "000000 100644 A\tdone.txt",
      "000000 100644 A\tfolder",
      "100644 000000 D\tfolder/deep.txt",
      '000000 100644 A\t"line\\nbreak"',
      "100644 000000 D\told.txt",
      '000000 100644 A\t"quote\'\\"s"',
      "100644 100755 M\ttool.sh",
      "000000 100644 A\twith space",
      '000000 100644 A\t"\\303\\274n\\303\\257"',
    ]);
    expect(place.git("status", "--porcelain")).toBe("");
  });

  test("P-32 P-50 the mark in the plan file is in the commit, and in no other", async () => {
    const place = await loopWorkspace({
      tasks: [],
      files: { "IMPLEMENTATION_PLAN.md": "- [ ] First thing\n- [ ] Second thing\n" },
      script: script([WORK, DONE], [write("two"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified", "verified"],
      states: { "First thing": "done", "Second thing": "done" },
      commits: ["First thing", "Second thing"],
    });
    expect(place.git("show", "HEAD~1:IMPLEMENTATION_PLAN.md")).toBe("- [x] First thing\n- [ ] Second thing");
    expect([place.git("show", "HEAD:IMPLEMENTATION_PLAN.md"), place.git("status", "--porcelain")]).toEqual([
      "- [x] First thing\n- [x] Second thing",
      "",
    ]);
  });

  test.each([
    [
      "a folder",
      "mkdir IMPLEMENTATION_PLAN.md",
      "The plan file IMPLEMENTATION_PLAN.md cannot be read: it is a folder or a device",
    ],
    [
      "a pipe",
      "mkfifo IMPLEMENTATION_PLAN.md",
      "The plan file IMPLEMENTATION_PLAN.md cannot be read: it is a folder or a device",
    ],
    [
      "a link out of the workspace",
      "ln -s /etc/hostname IMPLEMENTATION_PLAN.md",
      "IMPLEMENTATION_PLAN.md points outside the workspace, to /etc/hostname",
    ],
  ])(
    "P-53 W-05 a plan file that a session makes %s is told, the tasks stay, and the run goes on",
    async (_what, command, note) => {
      const place = await loopWorkspace({
        tasks: [],
        files: { "IMPLEMENTATION_PLAN.md": "- [ ] First thing\n" },
        script: script(
          [write("a"), sh(`rm IMPLEMENTATION_PLAN.md && ${command}`), DONE],
          [sh("rm -r IMPLEMENTATION_PLAN.md; git checkout -q IMPLEMENTATION_PLAN.md"), WORK, DONE],
        ),
      });
      const run = await place.run();
      expect(await seen(place, run)).toEqual({
        code: 0,
        outcomes: ["rejected", "verified"],
        states: { "First thing": "done" },
        commits: ["First thing"],
      });
      expect([notes(run), run.prompt(2).includes(note), place.git("show", "HEAD:IMPLEMENTATION_PLAN.md")]).toEqual([
        [note],
        true,
        "- [x] First thing",
      ]);
    },
  );

  test("W-05 L-03 a link that a session leaves in the place of an ignored plan file is not written through", async () => {
    const outside = temporaryFolder({ "mine.md": "mine\n" });
    const place = await loopWorkspace({
      tasks: [],
      files: { ".gitignore": "IMPLEMENTATION_PLAN.md\n" },
      script: script(
        [write("a"), sh(`rm IMPLEMENTATION_PLAN.md && ln -s ${outside}/mine.md IMPLEMENTATION_PLAN.md`), DONE],
        [WORK, DONE],
      ),
    });
    place.write({ "IMPLEMENTATION_PLAN.md": "- [ ] First thing\n" });
    const run = await place.run();
    expect([run.outcomes, notes(run), place.read("IMPLEMENTATION_PLAN.md")]).toEqual([
      ["rejected", "verified"],
      [`IMPLEMENTATION_PLAN.md points outside the workspace, to ${outside}/mine.md`],
      "- [x] First thing\n",
    ]);
    expect(readFileSync(join(outside, "mine.md"), "utf8")).toBe("mine\n");
  });

  test("P-32 P-33 a tracked file that a session makes a pipe is deleted for us, and never read", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1 }\n",
      files: { "a.txt": "a\n", "b.txt": "b\n" },
      script: script([sh("rm a.txt && mkfifo a.txt c"), DONE], [sh("rm b.txt && mkfifo b.txt"), WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["rejected", "verified"],
      states: { One: "failed", Two: "done" },
      commits: ["Two"],
    });
    expect([place.read("a.txt"), place.git("show", "--name-status", "--format=", "HEAD")]).toEqual([
      "a\n",
      "D\tb.txt\nA\tdone.txt",
    ]);
  });

  test("P-32 P-33 a rejected claim leaves no mark and no commit", async () => {
    const plan = "- [ ] First thing\n";
    const place = await loopWorkspace({
      tasks: [],
      files: { "IMPLEMENTATION_PLAN.md": plan },
      config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1 }\n",
      script: script([write("a"), sh("sed -i 's/\\[ \\]/[x]/' IMPLEMENTATION_PLAN.md"), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["rejected"],
      states: { "First thing": "failed" },
      commits: [],
    });
    expect([place.read("IMPLEMENTATION_PLAN.md"), place.git("status", "--porcelain")]).toEqual([plan, ""]);
  });

  test("P-30 P-32 T-41 hooks and signing are skipped, and what the user has staged stays staged", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    place.write({ ".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n", "mine.txt": "mine\n" });
    place.git("config", "commit.gpgsign", "true");
    place.git("add", "mine.txt");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(place.git("status", "--porcelain")).toBe("A  mine.txt");
  });
});
