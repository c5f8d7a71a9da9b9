import { describe, expect, test } from "vitest";
import {
  DONE,
  eventsOf,
  notes,
  notices,
  script,
  scriptFor,
  seen,
  sh,
  type Step,
  verdicts,
  WORK,
} from "../hostile-run.ts";
import { type LoopRun, loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });
const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";
const ONE_ATTEMPT = `${GATE}limits: { attempts: 1 }\n`;
const FAILED = { code: 1, outcomes: ["rejected"], states: { "Do it": "failed" }, commits: [] };
const GIVE_UP: Step = { say: "It is too hard.\n\n<task-failed>{task}</task-failed>" };

/** The files of the work that was kept, against where the run began. */
function keptFiles(place: LoopWorkspace, run: LoopRun, base: string): string[] {
  const [kept] = eventsOf(run, "work.kept");
  return kept === undefined ? [] : place.git("diff", "--name-only", base, kept.ref).split("\n").filter(Boolean);
}

describe.concurrent("P-33 L-07 the work of a task that finally fails", () => {
  test("P-33 L-07 T-41 it is kept under refs/ralph, and the user's tree and branch are what they were", async () => {
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      files: { "a.txt": "a\n", "b.txt": "b\n" },
      script: script([write("a.txt", "changed\n"), { delete: "b.txt" }, write("new/deep.txt", "new\n"), DONE]),
    });
    place.write({ "mine.txt": "mine\n", "a.txt": "mine\n" });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(FAILED);
    const ref = `refs/ralph/${run.name}/${place.ids[0]}`;
    expect(eventsOf(run, "work.kept")).toEqual([
      expect.objectContaining({ task: place.ids[0], ref, commit: place.git("rev-parse", ref), why: "the task failed" }),
    ]);
    expect(keptFiles(place, run, "HEAD")).toEqual(["a.txt", "b.txt", "new/deep.txt"]);
    expect([place.git("status", "--porcelain"), place.read("a.txt")]).toEqual(["M a.txt\n?? mine.txt", "mine\n"]);
  });

  test("P-33 L-02 L-23 its commits are kept there too, and the agent cannot push them", async () => {
    const remote = temporaryFolder();
    const place = await loopWorkspace({
      config: ONE_ATTEMPT,
      script: script([write("a"), { commit: "A" }, sh("git push -q origin main"), write("b"), DONE]),
    });
    place.git("init", "--quiet", "--bare", remote);
    place.git("remote", "add", "origin", remote);
    const head = place.git("rev-parse", "HEAD");
    const run = await place.run();
    expect(await seen(place, run)).toEqual(FAILED);
    const [kept] = eventsOf(run, "work.kept");
    expect([keptFiles(place, run, head), place.git("log", "--format=%s", `main..${kept?.ref}`)]).toEqual([
      ["a", "b"],
      "Unproven work: Do it\nA",
    ]);
    expect([place.git("rev-parse", "main"), place.git("ls-remote", "origin")]).toEqual([head, ""]);
  });

  test("P-33 tasks that were verified before and after it stay", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two", "Three"],
      config: ONE_ATTEMPT,
      script: scriptFor({
        One: [WORK, DONE],
        Two: [{ delete: "done.txt" }, sh("git commit -qam 'Take it away'"), write("two"), DONE],
        Three: [write("three"), DONE],
      }),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["verified", "rejected", "verified"],
      states: { One: "done", Two: "failed", Three: "done" },
      commits: ["One", "Three"],
    });
    expect([place.git("show", "--name-only", "--format=", "HEAD"), place.git("status", "--porcelain")]).toEqual([
      "three",
      "",
    ]);
  });

  test("P-33 a task that gives up for good: everything of all its attempts is kept, and a reset begins without it", async () => {
    const place = await loopWorkspace({
      config: `${GATE}limits: { attempts: 2 }\n`,
      script: JSON.stringify([
        { when: { prompt: "Start again" }, steps: [sh("test ! -e a && test ! -e b"), WORK, DONE] },
        { when: { iteration: 1 }, steps: [write("a"), GIVE_UP] },
        { steps: [write("b"), GIVE_UP] },
      ]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["gave-up", "gave-up"],
      states: { "Do it": "failed" },
      commits: [],
    });
    expect([keptFiles(place, run, "HEAD"), run.finished?.unfinished]).toEqual([["a", "b"], undefined]);
    await place.task("reset", place.ids[0]!);
    await place.ralphctl("run", "--add-context", "Start again");
    const again = await place.run();
    expect([again.outcomes, eventsOf(again, "agent.tool-result")[0]?.ok]).toEqual([["verified"], true]);
    expect(place.git("show", "--name-only", "--format=", "HEAD")).toBe("done.txt");
  });
});

describe.concurrent("L-07 each task has its own unproven work", () => {
  test("P-33 L-07 what one task left is in no other's tree and commit, and its next attempt begins with it", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      script: JSON.stringify([
        { when: { title: "One", iteration: 1 }, steps: [write("half.txt", "half\n"), GIVE_UP] },
        { when: { title: "Two" }, steps: [sh("test ! -e half.txt"), WORK, DONE] },
        { when: { title: "One" }, steps: [sh("git status --porcelain | grep '?? half.txt'"), write("one.txt"), DONE] },
      ]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["gave-up", "verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["Two", "One"],
    });
    expect([eventsOf(run, "work.kept"), eventsOf(run, "agent.tool-result").every(({ ok }) => ok)]).toEqual([[], true]);
    expect([
      place.git("show", "--name-only", "--format=", "HEAD~1"),
      place.git("show", "--name-only", "--format=", "HEAD"),
      place.git("for-each-ref", "refs/ralph/work"),
    ]).toEqual(["done.txt", "half.txt\none.txt", ""]);
  });

  test("L-07 L-25 work that conflicts with what landed since is not in the files; the session is told where it is", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      files: { "a.txt": "a\n" },
      script: JSON.stringify([
        { when: { title: "One", iteration: 1 }, steps: [write("a.txt", "one\n"), GIVE_UP] },
        { when: { title: "Two" }, steps: [write("a.txt", "two\n"), WORK, DONE] },
        { when: { title: "One" }, steps: [sh("cp a.txt found.txt"), write("a.txt", "both\n"), DONE] },
      ]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["gave-up", "verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["Two", "One"],
    });
    expect([place.read("found.txt"), place.read("a.txt")]).toEqual(["two\n", "both\n"]);
    const [, commit] =
      /in a\.txt\. It is not in the files; see it with: git show ([0-9a-f]+)/.exec(run.prompt(3)) ?? [];
    expect(place.git("show", `${commit}:a.txt`)).toBe("one");
  });

  test("L-07 P-31 with --no-commit the run goes on after a task that failed, and the branch stays", async () => {
    const place = await loopWorkspace({
      tasks: ["One", "Two"],
      config: ONE_ATTEMPT,
      script: scriptFor({ One: [write("a"), DONE], Two: [WORK, DONE] }),
    });
    const run = await place.run("--no-commit");
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["rejected", "verified"],
      states: { One: "failed", Two: "done" },
      commits: [],
    });
    expect([keptFiles(place, run, "HEAD"), place.git("status", "--porcelain")]).toEqual([["a"], ""]);
  });
});

const MAKEFILE = "check:\n\ttest -f proof.txt\n";
const WEAKENED = write("Makefile", "check:\n\ttrue\n");
const WEAK_CONFIG = sh(
  "sed -i 's/test -f done.txt/echo fine/' .ralph/config.yaml; echo 'verify: { protect: [] }' >>.ralph/config.yaml",
);

describe.concurrent("P-16 P-17 what a rejected session did to the gates decides nothing later", () => {
  test.each([
    ["left", []],
    ["committed", [{ commit: "Simplify" }]],
  ])(
    "P-16 T-41 a gate that it weakened and %s is the old one in the next run, and for the user",
    async (_how, more) => {
      const place = await loopWorkspace({
        script: script([WEAKENED, ...more, DONE]),
        config: "gates: auto\n",
        files: { Makefile: MAKEFILE },
      });
      const first = await place.run("--max-iterations", "1");
      await place.task("answer", place.ids[0]!, "No");
      place.write({ "note.txt": "x" });
      place.git("add", "note.txt");
      place.git("commit", "--quiet", "--message", "Mine");
      const second = await place.run("--max-iterations", "1");
      expect([first.outcomes, second.outcomes, place.commits()]).toEqual([["parked"], ["parked"], ["Mine"]]);
      expect([place.read("Makefile"), place.git("status", "--porcelain")]).toEqual([MAKEFILE, ""]);
    },
  );

  test("P-16 a definition that a person committed since holds", async () => {
    const place = await loopWorkspace({
      script: script([write("work.txt", "x\n"), DONE]),
      config: "gates: auto\n",
      files: { Makefile: MAKEFILE },
    });
    expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["rejected"]);
    place.write({ Makefile: "check:\n\ttest -f work.txt\n" });
    place.git("commit", "--quiet", "--all", "--message", "Ask for less");
    const second = await place.run("--max-iterations", "1");
    expect([second.outcomes, second.finished?.ending]).toEqual([["verified"], "complete"]);
  });

  test.each([
    ["was rejected", DONE, "rejected"],
    [
      "was killed",
      sh("test -f {home}/.git/cut || { touch {home}/.git/cut; kill -9 $(ps -o ppid= -p $PPID); sleep 300; }"),
      undefined,
    ],
  ])(
    "P-17 P-41 T-41 a configuration that a session changed that %s never reaches the user's",
    async (_how, step, outcome) => {
      const place = await loopWorkspace({
        script: script([WEAK_CONFIG, write("a.txt", "x\n"), step, DONE]),
        isBuilt: outcome === undefined,
      });
      const before = place.read(".ralph/config.yaml");
      const first = await place.run("--max-iterations", "1");
      expect([first.outcomes, place.read(".ralph/config.yaml")]).toEqual([
        outcome === undefined ? [] : [outcome],
        before,
      ]);
      const second = await place.run("--max-iterations", "1");
      expect([verdicts(second), place.read(".ralph/config.yaml"), place.commits()]).toEqual([
        [
          [
            "rejected",
            expect.stringContaining("the agent changed protected files: .ralph/config.yaml"),
            "gate test: exit code 1",
          ],
        ],
        before,
        [],
      ]);
      expect([notes(second), notices(second).filter((text) => text.includes("config.yaml"))]).toEqual([[], []]);
    },
  );
});
