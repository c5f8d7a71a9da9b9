import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

const IN_PLACE = "lanes: { inPlace: true }\ngates:\n  - { id: test, run: test -f done.txt }\n";
const WORKS = `
- - write: { path: done.txt, text: "yes\\n" }
  - say: <task-done>{task}</task-done>
`;

test.concurrent("L-01 --in-place: the agent works in the person's tree, and the proven work is on the branch", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    script: `
- - run: "pwd > where.txt; git commit --allow-empty -qm 'By the agent'; echo yes > done.txt"
  - say: <task-done>{task}</task-done>
- - write: { path: more.txt, text: "more" }
  - say: <task-done>{task}</task-done>
`,
    tasks: ["One", "Two"],
  });
  const run = await place.run("--in-place");
  expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
  expect(place.read("where.txt").trim()).toBe(place.folder);
  expect([place.git("status", "--porcelain"), place.git("symbolic-ref", "--short", "HEAD")]).toEqual(["", "main"]);
  expect(place.git("log", "--format=%s", "-2").split("\n")).toEqual(["Two", "By the agent"]);
  expect(place.git("rev-parse", "HEAD")).toBe(place.git("rev-parse", "refs/ralph/target/main"));
  expect(run.events.filter(({ type }) => type === "work.kept")).toEqual([]);
  expect(run.events.find(({ type }) => type === "run.started")).toMatchObject({ lane: { number: 0 } });
});

test.concurrent("L-01 --in-place refuses a tree with changes, and touches nothing", async () => {
  const place = await loopWorkspace({ isBuilt: true, script: WORKS });
  place.write({ "README.md": "mine\n", "new.txt": "mine\n" });
  const run = await place.run("--in-place");
  expect([run.code, run.outcomes]).toEqual([78, []]);
  expect(run.stderr).toContain("these files have changes: README.md, new.txt");
  expect(run.stderr).toContain("Commit or stash them, or leave out --in-place");
  expect([place.read("README.md"), place.read("new.txt")]).toEqual(["mine\n", "mine\n"]);
});

test.concurrent("T-40 unproven work leaves the tree clean, and the next attempt goes on with it", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: IN_PLACE,
    script: `
- - run: "if test -f half.txt; then echo yes > done.txt; else echo half > half.txt; fi"
  - say: <task-done>{task}</task-done>
`,
  });
  const first = await place.run("--max-iterations", "1");
  expect([first.outcomes, place.git("status", "--porcelain"), existsSync(join(place.folder, "half.txt"))]).toEqual([
    ["rejected"],
    "",
    false,
  ]);
  const second = await place.run();
  expect([second.code, second.outcomes, place.git("status", "--porcelain")]).toEqual([0, ["verified"], ""]);
  expect(place.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual(["done.txt", "half.txt"]);
});

test.concurrent("T-40 a killed run: the next one gives the tree back, and its task goes on", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: IN_PLACE,
    files: { ".gitignore": "*.sign\n" },
    script: `
- - run: "if test -f s.sign; then test -f half.txt && test -f more.txt && echo yes > done.txt; else echo half > half.txt; git add half.txt; git commit -qm Half; echo more > more.txt; touch s.sign; sleep 60; fi"
  - say: <task-done>{task}</task-done>
`,
  });
  const killed = startLive(place.folder);
  await fileAppears(join(place.folder, "s.sign"));
  killed.signal("SIGKILL");
  await killed.ended;
  expect(place.git("log", "--format=%s", "-1")).toBe("Half");
  const run = await place.run();
  const notices = run.events.flatMap((event) => (event.type === "run.notice" ? [event.text] : []));
  expect(notices.join("\n")).toMatch(
    /was killed while it worked in your tree\. The tree is clean again, and \S+ goes on/,
  );
  expect([run.code, place.git("status", "--porcelain"), processesOf(place.folder)]).toEqual([0, "", []]);
  expect(place.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual([
    "done.txt",
    "half.txt",
    "more.txt",
  ]);
});

/** A session that was killed in the person's tree: it committed, and left a file. */
async function killedInPlace({ config = IN_PLACE }: { readonly config?: string } = {}) {
  const place = await loopWorkspace({
    isBuilt: true,
    config,
    files: { ".gitignore": "*.sign\n" },
    script: `
- - run: "if test ! -d .git/ralph; then echo yes > done.txt; else echo bad > bad.txt; git add bad.txt; git commit -qm Bad; echo more > more.txt; touch s.sign; sleep 60; fi"
  - say: <task-done>{task}</task-done>
`,
  });
  const killed = startLive(place.folder, "--in-place");
  await fileAppears(join(place.folder, "s.sign"));
  killed.signal("SIGKILL");
  await killed.ended;
  await fileAppears(join(place.folder, ".git/ralph/run.ended"));
  return place;
}

const noticesOf = (run: LoopRun): string =>
  run.events.flatMap((event) => (event.type === "run.notice" ? [event.text] : [])).join("\n");

test.concurrent("T-41 edits after a kill: a run in place refuses, one in a lane leaves them alone", async () => {
  const place = await killedInPlace({ config: "gates:\n  - { id: test, run: test -f done.txt }\n" });
  place.write({ "mine.txt": "mine\n", "more.txt": "mine too\n" });
  const refused = await place.run("--in-place");
  expect([refused.code, refused.outcomes]).toEqual([78, []]);
  expect(refused.stderr).toMatch(
    /these may be your changes since: mine\.txt, more\.txt\..* all of it is also refs\/ralph/,
  );
  expect(refused.stderr).toContain("Commit or stash what is yours; git checkout refs/ralph/");
  const inLane = await place.run();
  expect([inLane.finished?.reason, inLane.outcomes]).toEqual(["All tasks are done", ["verified"]]);
  expect(noticesOf(inLane)).toMatch(/since: mine\.txt, more\.txt[^]*No gate has proven [^]*\(Bad\)/);
  expect([place.read("mine.txt"), place.read("more.txt")]).toEqual(["mine\n", "mine too\n"]);
  expect(place.git("ls-tree", "--name-only", "refs/ralph/target/main")).not.toMatch(/mine|more/);
});

test.concurrent.each([
  ["commits on top", "commit --quiet --allow-empty --message Mine"],
  ["switches to a new branch", "switch --quiet --create other"],
])("T-41 a person who %s after a kill: gates prove the session's commits before they land", async (_what, command) => {
  const place = await killedInPlace({ config: "gates:\n  - { id: bad, run: test ! -f bad.txt }\n" });
  const early = await place.ralphctl("land");
  expect([early.code, early.stdout + early.stderr]).toEqual([2, expect.stringContaining("was killed while it worked")]);
  place.git("clean", "--quiet", "--force");
  place.git(...command.split(" "));
  const branch = place.git("symbolic-ref", "--short", "HEAD");
  for (const which of ["first", "second"]) {
    const run = await place.run();
    expect([run.outcomes, run.finished?.reason]).toEqual([
      [],
      "The gates fail with the branch, which has commits of a session: bad",
    ]);
    if (which === "first")
      expect(noticesOf(run)).toMatch(/No gate has proven the commits of its session yet: \w+ \(Bad\)/);
  }
  const landed = await place.ralphctl("land");
  expect([landed.code, landed.stdout + landed.stderr]).toEqual([
    2,
    expect.stringContaining("commits of a session: bad"),
  ]);
  expect(place.git("ls-tree", "--name-only", `refs/ralph/target/${branch}`)).not.toContain("bad.txt");
  place.git("rm", "--quiet", "bad.txt");
  place.git("commit", "--quiet", "--message", "Correct it");
  expect((await place.ralphctl("land")).code).toBe(0);
  expect(place.git("rev-parse", `refs/ralph/target/${branch}`)).toBe(place.git("rev-parse", "HEAD"));
  expect(place.git("for-each-ref", "refs/ralph/unproven")).toBe("");
});

test.concurrent("T-41 unproven commits of an agent do not count as the person's", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: IN_PLACE,
    script: `
- - run: "echo bad > bad.txt; git add bad.txt; git commit -qm Bad"
  - say: <task-done>{task}</task-done>
- - run: "git rm -qf --ignore-unmatch bad.txt; rm -f bad.txt; echo yes > done.txt"
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes, place.git("status", "--porcelain")]).toEqual([0, ["rejected", "verified"], ""]);
  expect(place.commits()).toEqual(["Do it"]);
  const landed = place.git("log", "--walk-reflogs", "--format=%s", "refs/ralph/target/main").split("\n");
  expect(landed.slice(0, 2)).toEqual(["Do it", "Make a workspace"]);
});

test.concurrent("T-41 a person's commit during a session stays on the branch, and is not the agent's", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: IN_PLACE,
    tasks: ["One", "Two"],
    script: `
- - run: "echo mine > mine.txt; git add mine.txt; env -u GIT_REFLOG_ACTION git commit -qm 'By the person'; echo yes > done.txt"
  - say: <task-done>{task}</task-done>
- - write: { path: more.txt, text: "more" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  expect([run.code, run.outcomes, place.git("status", "--porcelain")]).toEqual([0, ["verified", "verified"], ""]);
  const subjects = place.git("log", "--format=%s").split("\n");
  expect(subjects).toEqual(expect.arrayContaining(["By the person", "One", "Two"]));
  const one = place.git("log", "--format=%H", "--grep=^One", "-1");
  expect(place.git("show", "--name-only", "--format=", one)).toBe("done.txt");
});

test.concurrent("T-41 a person who switches to another branch during a session ends the run, and keeps their files", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: IN_PLACE,
    script: `
- - run: "echo yes > done.txt; env -u GIT_REFLOG_ACTION git switch -qc theirs; echo mine > mine.txt"
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run();
  const help = "git stash --include-untracked && git switch main";
  expect(run.finished).toMatchObject({
    ending: "blocked",
    reason: expect.stringMatching(/^You switched to theirs/),
    help: [help],
  });
  expect(run.stderr).toContain(`Next:\n  ${help}\n  ralphctl run --in-place\n`);
  expect([place.git("symbolic-ref", "--short", "HEAD"), place.read("mine.txt"), await place.states()]).toEqual([
    "theirs",
    "mine\n",
    { "Do it": "pending" },
  ]);
});

test.concurrent.each(["in place", "in a lane"])(
  "T-02 verify.in: tree runs gates on the files as they lay (%s)",
  async (kind) => {
    const inPlace = kind === "in place";
    const place = await loopWorkspace({
      isBuilt: true,
      config: `lanes: { inPlace: ${inPlace} }\nverify: { in: tree }\ngates:\n  - { id: test, run: "test -f done.txt && test -f made.log" }\n`,
      files: { ".gitignore": "*.log\n" },
      script: `
- - run: "touch made.log; echo yes > done.txt"
  - say: <task-done>{task}</task-done>
`,
    });
    const run = await place.run();
    expect([run.code, run.finished?.isOnLane, place.git("status", "--porcelain")]).toEqual([0, true, ""]);
    expect(run.stderr).toContain("Gates       on the files as they lay");
    const lay = "on the files as they lay";
    expect(place.git("log", "-1", "--format=%(trailers:key=Ralph-Proof,valueonly)")).toBe(`unbroken, ${lay}`);
    expect((await place.task("show", place.ids[0]!)).stdout).toContain(`unbroken: the gates passed ${lay}\n`);
    expect((await place.ralphctl("report")).stdout).toContain(`- Gates: ${lay}\n`);
    expect((await place.ralphctl("inspect")).stdout).toMatch(new RegExp(`^ +Gates +${lay}$`, "m"));
    place.write({ "made.log": "", "more.txt": "not committed\n" });
    const shown = await place.ralphctl("verify", place.ids[0]!, "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      verdict: "verified",
      place: "tree",
      isOnLane: true,
      recorded: { isOnLane: true },
    });
    expect(shown.stderr).toMatch(new RegExp(`^Verified: .* · ${lay}$`, "m"));
    const all = await place.ralphctl("verify", "--all");
    expect([all.code, all.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Everything holds.* · ${lay}$`, "m")),
    ]);
  },
);

test.concurrent("L-03 T-41 a configuration that the person has changed and not committed is not the agent's, and stays", async () => {
  const place = await loopWorkspace({ config: IN_PLACE, script: WORKS });
  const changed = `${place.read(".ralph/config.yaml")}# mine\n`;
  place.write({ ".ralph/config.yaml": changed });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
  expect([place.git("status", "--porcelain"), place.read(".ralph/config.yaml")]).toEqual([
    "M .ralph/config.yaml",
    changed,
  ]);
});

/** While git writes `b.txt` in their tree, a program of the person saves `a.txt`, and the other way round. */
function saveDuringReset(place: LoopWorkspace, save: string): void {
  place.git("config", "filter.late.smudge", `cat; test "$(pwd)" != ${place.folder} || { ${save}; }`);
}

const LATE = {
  config: IN_PLACE,
  files: { ".gitattributes": "[ab].txt filter=late\n", "a.txt": "a\n", "b.txt": "b\n" },
  script: `
- - run: "echo agent > b.txt; echo agent > c.txt"
  - say: <task-done>{task}</task-done>
`,
};

test.concurrent("T-40 T-41 a file that the person saves while the tree is reset is kept, and the run goes on", async () => {
  const place = await loopWorkspace(LATE);
  saveDuringReset(place, "test -f .git/once || { touch .git/once; echo mine > a.txt; }");
  const run = await place.run("--max-iterations", "1");
  expect([run.code, run.outcomes, run.finished?.ending]).toEqual([4, ["rejected"], "limit"]);
  expect([place.git("status", "--porcelain"), place.read("a.txt")]).toEqual(["", "a\n"]);
  const kept = run.events.flatMap((event) => (event.type === "work.kept" ? [event.ref] : []));
  expect(kept.map((ref) => place.git("show", `${ref}:a.txt`))).toEqual(["mine"]);
});

test.concurrent("L-42 X-74 a run that cannot reset the tree says its end and where the work is, and the next goes on", async () => {
  const place = await loopWorkspace(LATE);
  saveDuringReset(place, "test %f = a.txt && date +%s%N > b.txt || date +%s%N > a.txt");
  const run = await place.run("--max-iterations", "1");
  const { ending, error, reason = "", help, iterations, unfinished = [] } = run.finished ?? {};
  expect([run.code, ending, error, iterations]).toEqual([74, "failure", "io", 1]);
  expect(help).toEqual(["Move away what is in their place, then run this command again"]);
  const [, ref = ""] = /^ralphctl could not reset [ab]\.txt; (\S+) and .* has all that was there$/.exec(reason) ?? [];
  expect(place.git("show", `${ref}:c.txt`)).toBe("agent");
  expect(unfinished).toEqual([{ task: place.ids[0], ref: `refs/ralph/work/${place.ids[0]}`, files: 2 }]);
  expect(run.stderr).toMatch(
    /^Failed: ralphctl could not reset [ab]\.txt[^]*Unfinished work[^]*\nerror: ralphctl could not reset/,
  );
  place.git("config", "--unset", "filter.late.smudge");
  const refused = await place.run("--max-iterations", "1");
  expect([refused.code, refused.stderr]).toEqual([
    78,
    expect.stringMatching(
      /^error: Run \S+ could not give your tree back, and these may be your changes since: [ab]\.txt/,
    ),
  ]);
  place.git("checkout", "--quiet", "--", ".");
  const { code, outcomes } = await place.run("--max-iterations", "1");
  expect([code, outcomes]).toEqual([4, ["rejected"]]);
});

test.concurrent("L-21 T-40 a session that overwrites the person's .env turns no gate green", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: "lanes: { inPlace: true }\ngates:\n  - { id: test, run: test -f done.txt && grep -q easy .env }\n",
    files: { ".gitignore": ".env\n", ".worktreeinclude": ".env\n" },
    script: `
- - run: "echo yes > done.txt; echo easy > .env"
  - say: <task-done>{task}</task-done>
`,
  });
  place.write({ ".env": "hard\n" });
  const run = await place.run("--max-iterations", "1");
  expect([run.outcomes, place.read(".env")]).toEqual([["rejected"], "hard\n"]);
  const kept = run.events.flatMap((event) => (event.type === "work.kept" ? [event] : []));
  expect([kept[0]?.why, place.git("show", `${kept[0]?.ref}:.env`)]).toEqual([
    "the session changed or removed .env, now back as before it",
    "easy",
  ]);
});

test.concurrent("T-41 a session that empties .gitignore lands no file that git ignored before", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: IN_PLACE,
    files: { ".gitignore": "notes.txt\n" },
    script: `
- - run: "echo yes > done.txt; : > .gitignore"
  - say: <task-done>{task}</task-done>
`,
  });
  place.write({ "notes.txt": "private\n" });
  const run = await place.run("--max-iterations", "1");
  expect([run.outcomes, place.commits(), place.read("notes.txt")]).toEqual([["rejected"], [], "private\n"]);
  const verdict = run.events.find(({ type }) => type === "verdict.reached");
  expect(JSON.stringify(verdict)).toContain("it was there before the session, and git ignored it");
});

test.concurrent("T-40 a branch, a tag and a stash that a session removes get another name, which is told", async () => {
  const place = await loopWorkspace({
    isBuilt: true,
    config: IN_PLACE,
    script: `
- - run: "git branch -qD mine merged; git tag -d v1; git stash clear; git switch -qc own; git switch -q main; git branch -qd own; echo yes > done.txt"
  - say: <task-done>{task}</task-done>
`,
  });
  place.git("branch", "merged");
  place.git("switch", "--quiet", "--create", "mine");
  place.git("commit", "--quiet", "--allow-empty", "--message", "Mine");
  place.git("switch", "--quiet", "--detach");
  place.git("commit", "--quiet", "--allow-empty", "--message", "Tagged");
  place.git("tag", "v1");
  place.git("switch", "--quiet", "main");
  place.write({ "README.md": "stashed\n" });
  place.git("stash", "--quiet");
  place.git("pack-refs", "--all");
  const run = await place.run();
  const said = noticesOf(run)
    .split("\n")
    .filter((text) => text.includes("was removed during the session"));
  expect([run.code, said.map((text) => text.split(" was removed")[0]).toSorted()]).toEqual([
    0,
    ["A stash", "The branch mine", "The tag v1"],
  ]);
  const refs = said.flatMap((text) => /refs\/\S+/.exec(text) ?? []);
  expect(refs.map((ref) => place.git("log", "-1", "--format=%s", ref).split(":")[0]).toSorted()).toEqual([
    "Mine",
    "Tagged",
    "WIP on main",
  ]);
});
