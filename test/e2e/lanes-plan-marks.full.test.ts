import { describe, expect, test } from "vitest";
import { DONE, script, sh, type Step } from "../hostile-run.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";

const PLAN = "IMPLEMENTATION_PLAN.md";
const TEXT = "# Plan\n\n- [ ] One\n- [ ] Two\n\nNotes\n";

/** The session plays the person, too, so that each does their part at a known moment. */
const person = (command: string): Step => sh(`cd "{home}" && { ${command}; }`);

const planned = async (command: string): Promise<LoopWorkspace> =>
  await loopWorkspace({
    tasks: [],
    config: "gates: [{ id: test, run: 'true' }]\n",
    files: { [PLAN]: TEXT, "a.txt": "a\n" },
    script: script(
      [sh("echo one >>README.md"), person(command), DONE],
      [sh("echo two >>two.txt"), DONE],
      [sh("echo more >>more.txt"), DONE],
    ),
  });

describe.concurrent("L-24 L-27 P-52 a person restores a plan file from a branch that lacks what landed", () => {
  test.each([
    ["that is behind", []],
    ["with a commit of their own", ["a.txt"]],
  ])("on a branch %s: what landed stays done, and is marked again beside a line of theirs", async (_which, own) => {
    // Both change README.md, so that it is in the way of the branch.
    const place = await planned("echo mine >README.md");
    const first = await place.run("--max-iterations", "1");
    expect([first.outcomes, place.read(PLAN)]).toEqual([["verified"], TEXT.replace("[ ] One", "[x] One")]);
    for (const path of own) {
      place.write({ [path]: "mine\n" });
      place.git("commit", "--quiet", "--message", "Mine", path);
    }
    place.git("checkout", "--quiet", PLAN);
    place.write({ [PLAN]: `${TEXT}My line\n` });
    const second = await place.run();
    expect([second.outcomes, place.read(PLAN)]).toEqual([["verified"], `${TEXT.replaceAll("[ ]", "[x]")}My line\n`]);
  });

  test("T-41 while they are on another branch, the plan file there stays as it is, and they can switch back", async () => {
    const place = await planned("git switch --quiet --create other");
    expect((await place.run()).outcomes).toEqual(["verified", "verified"]);
    expect([place.git("status", "--porcelain"), place.read(PLAN)]).toEqual(["", TEXT]);
    place.git("switch", "--quiet", "main");
    expect([place.git("status", "--porcelain"), place.read(PLAN)]).toEqual(["", TEXT.replaceAll("[ ]", "[x]")]);
    const last = await place.run();
    expect([last.outcomes, await place.states()]).toEqual([[], { Plan: "done", One: "done", Two: "done" }]);
  });

  test("a commit of theirs takes the mark away again: the task is open", async () => {
    const place = await planned("true");
    await place.run("--max-iterations", "1");
    expect(place.read(PLAN)).toBe(TEXT.replace("[ ] One", "[x] One"));
    place.git("revert", "--no-edit", "HEAD");
    const second = await place.run();
    expect([second.outcomes, place.read(PLAN)]).toEqual([["verified", "verified"], TEXT.replaceAll("[ ]", "[x]")]);
  });
});
