import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lockTree } from "../../src/system/tree-lock.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { DONE, script, WORK } from "../hostile-run.ts";

/** The exit codes of a look and of the run after it. */
async function bothCodes(place: LoopWorkspace, ...args: readonly string[]) {
  const dry = await place.ralphctl("run", "--dry-run", ...args);
  const run = await place.ralphctl("run", ...args);
  return { codes: [dry.code, run.code], dry, run };
}

describe.concurrent("S000-X3 --dry-run says what a run would start, and ends as it would", () => {
  test("S000-X3 names task, agent, model, place, limits and gates before the prompt, as data too", async () => {
    const place = await loopWorkspace({
      tasks: ["First", "Second"],
      script: script([WORK, DONE]),
      harnesses: { scripted: "model: quick" },
    });
    const { code, stdout } = await place.ralphctl("run", "--dry-run", "--max-cost", "5", "--max-iterations", "7");
    const json = await place.ralphctl("run", "--dry-run", "--json");
    expect([code, stdout.split("\n").slice(0, 7)]).toEqual([
      0,
      [
        "===== what would start =====",
        `task: ${place.ids[0]} "First", the first of 2 that are ready: by priority, then age`,
        "agent: scripted (quick)",
        expect.stringMatching(/^place: .*\/lanes\/.*\/1$/),
        "limits: at most 7 iterations · $5.00",
        "gate test: test -f done.txt",
        expect.stringContaining("===== system prompt"),
      ],
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      start: {
        task: { id: place.ids[0], title: "First" },
        harness: "scripted",
        model: "quick",
        lanes: 1,
        gates: [{ gate: "test", command: "test -f done.txt" }],
        limits: { iterations: 26 },
      },
    });
  });

  test("X-69 an agent that is not installed", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), env: { PATH: "/usr/bin:/bin" } });
    const { codes, dry, run } = await bothCodes(place, "--harness", "claude");
    expect([codes, dry.stdout, dry.stderr]).toEqual([[69, 69], "", run.stderr]);
  });

  test("S000-AC3 X-64 a placeholder is missed before the agent is", async () => {
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      files: { "PROMPT_build.md": "Study {project}/specs.\n" },
      env: { PATH: "/usr/bin:/bin" },
    });
    const { codes, dry, run } = await bothCodes(place, "--harness", "claude");
    expect([codes, dry.stderr]).toEqual([[64, 64], run.stderr]);
  });

  test("X-2 all tasks wait for an answer", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    await place.task("park", place.ids[0]!, "Which one?");
    const { codes, dry } = await bothCodes(place);
    expect([codes, dry.stderr]).toEqual([[2, 2], "No session would start. Tasks wait for an answer\n"]);
  });

  test("X-0 P-05 all tasks are done, of words or added", async () => {
    const added = await loopWorkspace({ script: script([WORK, DONE]) });
    const words = await loopWorkspace({ tasks: [], script: script([WORK, DONE]) });
    expect([(await added.run()).code, (await words.run("Do it")).code]).toEqual([0, 0]);
    expect([(await bothCodes(added)).codes, (await bothCodes(words)).codes]).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test("D-01 P-03 a prompt file of one's own names its task as it is sent, and what stays literal is said", async () => {
    const place = await loopWorkspace({
      tasks: [],
      script: script([WORK, DONE]),
      files: { "PROMPT_build.md": "Port {project} with {fast}.\n", "projects/auth/specs/a.md": "# A\n" },
    });
    const dry = await place.ralphctl("run", "build", "--dry-run", "--project", "auth");
    const run = await place.run("build", "--project", "auth");
    const said =
      "PROMPT_build.md: agents read {fast} as it is written, because the first line is not <!-- ralphctl template 1 -->";
    expect([dry.stdout.split("\n")[1], dry.stderr.includes(said), run.stdout.includes(said), run.code]).toEqual([
      expect.stringContaining('"Port projects/auth with {fast}.", the only task that is ready'),
      true,
      true,
      0,
    ]);
    expect(Object.keys(await place.states())).toEqual(["Port projects/auth with {fast}."]);
  });

  test("X-78 L-01 files with changes, where the run works in place", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]) });
    place.write({ "README.md": "# Mine\n" });
    const { codes, dry, run } = await bothCodes(place, "--in-place");
    expect([codes, dry.stdout, dry.stderr]).toEqual([[78, 78], "", run.stderr]);
    expect(dry.stderr).toContain("these files have changes: README.md");
  });

  test("X-75 W-07 a working tree that another run has, whatever there is to do", async () => {
    const place = await loopWorkspace({ tasks: [], script: script([WORK, DONE]) });
    const lock = await lockTree(join(place.folder, ".git"), { run: "r-other", scope: "workspace" });
    const { codes, dry, run } = await bothCodes(place);
    lock.release();
    expect([codes, dry.stderr]).toEqual([[75, 75], run.stderr]);
    expect((await bothCodes(place)).codes).toEqual([3, 3]);
  });

  test("X-69 no agent, though nothing is to do either", async () => {
    const place = await loopWorkspace({ tasks: [], script: script([WORK, DONE]), env: { PATH: "/usr/bin:/bin" } });
    expect((await bothCodes(place, "--harness", "claude")).codes).toEqual([69, 69]);
  });

  test("X-3 nothing to do; X-78 --strict without a gate", async () => {
    const empty = await loopWorkspace({ tasks: [], script: script([WORK, DONE]) });
    const unproven = await loopWorkspace({ config: "gates: []\n", script: script([WORK, DONE]) });
    expect([(await bothCodes(empty)).codes, (await bothCodes(unproven, "--strict")).codes]).toEqual([
      [3, 3],
      [78, 78],
    ]);
  });
});
