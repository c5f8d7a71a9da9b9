import { describe, expect, test } from "vitest";
import { RalphError, run as startRun } from "../../src/index.ts";
import { DONE, eventsOf, script, sh, WORK } from "../hostile-run.ts";
import { type LoopRun, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A workspace whose lanes are in a folder of its own. */
const withLanes = async (options: WorkspaceOptions) =>
  await loopWorkspace({ ...options, env: { HOME: temporaryFolder(), ...options.env } });

const infos = (run: LoopRun): string[] =>
  eventsOf(run, "run.notice").flatMap(({ level, text }) => (level === "info" ? [text] : []));

const FIRST = [
  "The agent works in a lane, which is a clone of its own: your files stay as they are, and you can go on working",
  "Work that the gates prove becomes a commit, and main follows it; ralphctl lanes shows the rest",
];

describe.concurrent("the start of a run", () => {
  test("L-03 line one names commit, lane and the changes that are not in it; the first run says more", async () => {
    const place = await withLanes({
      files: { "a.txt": "a\n", ".ralph/specs/one.md": "One\n" },
      tasks: ["One", "Two"],
      script: script([WORK, DONE], [sh("echo two > two.txt"), DONE]),
      isBuilt: true,
    });
    const head = place.git("rev-parse", "HEAD").slice(0, 10);
    place.write({ "a.txt": "mine\n", "new.txt": "new\n", ".ralph/specs/one.md": "Mine\n" });
    const first = await place.ralphctl("run", "--plain", "--max-iterations", "1");
    const [line = "", ...more] = first.stdout.split("\n");
    expect(line).toMatch(
      new RegExp(
        `Run r-\\S+ works on main at ${head} in lane 1 \\(/\\S+/ralphctl/lanes/\\S+/1\\)\\. ` +
          "Not included: your changes to a\\.txt, new\\.txt$",
      ),
    );
    expect(more.map((text) => text.slice(10)).filter((text) => FIRST.includes(text))).toEqual(FIRST);

    const second = await place.run();
    const [started] = eventsOf(second, "run.started");
    expect([started?.notIncluded, started?.lane.number, infos(second)]).toEqual([
      { files: 2, paths: ["a.txt", "new.txt"] },
      1,
      [],
    ]);
    expect([second.code, place.read("a.txt"), place.read(".ralph/specs/one.md")]).toEqual([0, "mine\n", "Mine\n"]);
  });

  test("L-03 --quiet does not explain; --no-commit says that the branch stays", async () => {
    const place = await withLanes({ script: script([WORK, DONE]) });
    const quiet = await place.ralphctl("run", "--quiet", "--no-commit");
    expect([quiet.code, FIRST.some((text) => quiet.stdout.includes(text))]).toEqual([0, false]);
    const other = await withLanes({ script: script([WORK, DONE]) });
    expect(infos(await other.run("--no-commit"))).toEqual([
      FIRST[0],
      "Work that the gates prove becomes a commit on refs/ralph/target/main, and main stays where it is",
    ]);
  });
});

describe.concurrent("the end of a run", () => {
  test("L-42 unfinished work is named, with the commands that show and take it", async () => {
    const place = await withLanes({ script: script([sh("echo 1 > a.txt; echo 2 > b.txt"), { say: "More to do." }]) });
    const [id] = place.ids;
    const ref = `refs/ralph/work/${id}`;
    const run = await place.run("--max-iterations", "1");
    expect(run.finished?.unfinished).toEqual([{ task: id, ref, files: 2 }]);
    expect(run.stderr).toContain(
      `Unfinished work\n  ${ref} (2 files). See it: git diff ${ref}^ ${ref}; take it: ralphctl lanes take ${id}; drop it: ralphctl lanes drop ${id}\n`,
    );
    expect(place.git("diff", "--name-only", `${ref}^`, ref)).toBe("a.txt\nb.txt");
  });

  test("L-24 the summary says that the branch does not follow, why, and what helps", async () => {
    const place = await withLanes({ files: { "a.txt": "a\n" }, script: script([WORK, sh("echo b > a.txt"), DONE]) });
    place.write({ "a.txt": "mine\n" });
    const run = await place.run();
    const line = "git stash && ralphctl land && git stash pop";
    const remedy = `Run ${line}, or commit yours, then run ralphctl land`;
    const why = "You changed a.txt without a commit, and other changes of it landed";
    expect([run.code, run.finished?.notFollowing, place.read("a.txt")]).toEqual([0, `${why}. ${remedy}`, "mine\n"]);
    expect(run.stderr).toContain(`Your branch does not follow\n  ${why}. ${remedy}\n`);
    expect(run.stderr).toContain(`Next:\n  ${line}\n`);
    const status = (await place.ralphctl("status")).stdout;
    expect(status).toContain(`Your branch does not follow\n  main lacks 1 commit that landed. ${why}. ${remedy}\n`);
    expect(status).toContain(`Next:\n  ${line}  let main follow\n`);
    expect((await place.ralphctl("land")).stdout).toBe(`main does not follow: ${why}\n${remedy}\n`);
    const shown = async (): Promise<string> => (await place.task("show", place.ids[0]!)).stdout;
    expect(await shown()).toMatch(/^commit +\w{10} landed, not on main yet: ralphctl status says why$/m);
    place.git("stash", "--quiet");
    expect((await place.ralphctl("status")).stdout).toContain("main lacks 1 commit that landed\n");
    expect((await place.ralphctl("land")).code).toBe(0);
    expect(await shown()).toMatch(/^commit +\w{10} on main$/m);
    expect((await place.ralphctl("status")).stdout).not.toContain("follow");
  });
});

describe("--allow-dirty", () => {
  const GONE = "is gone: uncommitted changes are no obstacle, and no part of a run";
  const HINT =
    "Leave it out. Commit what agents should see; --in-place works in your own tree, which must be clean then";

  test("L-01 --allow-dirty is refused, and the hint says what there is instead", async () => {
    const place = await withLanes({ script: script([WORK, DONE]), isBuilt: true });
    const answer = await place.ralphctl("run", "--allow-dirty");
    expect([answer.code, answer.stderr]).toEqual([64, `error: --allow-dirty ${GONE}\nhint: ${HINT}\n`]);
    expect((await place.ralphctl("run", "--help")).stdout).not.toContain("allow-dirty");
  });

  test("L-01 the library refuses allowDirty with the same words", () => {
    const options: Record<string, unknown> = { allowDirty: true };
    expect(() => startRun(options)).toThrow(new RalphError("usage", `allowDirty ${GONE}`, { hint: HINT }));
  });
});

test("L-43 status, inspect, report and logs show the lane, and logs can be asked for one", async () => {
  const place = await withLanes({ script: script([WORK, DONE]) });
  const run = await place.run();
  const { lane } = eventsOf(run, "run.started")[0]!;
  const json = async (...args: string[]) =>
    JSON.parse((await place.ralphctl(...args, "--json")).stdout) as { lane: unknown; iterations: { lane: number }[] };
  for (const args of [
    ["run", "--status"],
    ["inspect", run.name],
  ]) {
    const said = await json(...args);
    expect([said.lane, said.iterations.map((each) => each.lane)]).toEqual([lane, [1]]);
    expect((await place.ralphctl(...args)).stdout).toMatch(new RegExp(`^  Lane +1, ${lane.folder}$`, "m"));
  }
  // It may be sent to others, and says nothing of this machine.
  expect((await place.ralphctl("report")).stdout).toContain("- Lane: 1\n");
  const types = (text: string): string[] =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { type: string }).type);
  const all = types((await place.ralphctl("logs", "--json")).stdout);
  const first = types((await place.ralphctl("logs", "--json", "--lane", "1")).stdout);
  const second = await place.ralphctl("logs", "--json", "--lane", "2");
  const begins = all.indexOf("iteration.started");
  expect(first).toEqual(all.slice(begins, all.indexOf("iteration.finished") + 1));
  expect([second.stdout, second.stderr]).toEqual(["", `No matching events. List all: ralphctl logs ${run.name}\n`]);
});
