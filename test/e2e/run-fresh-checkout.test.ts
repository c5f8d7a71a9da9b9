import { expect, test } from "vitest";
import { DONE, script, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

test("L-21 X-78 a run whose gates need ignored files begins no session, and names the lines of doctor", async () => {
  const place = await loopWorkspace({
    script: script([WORK, DONE]),
    config: "gates: [{ id: test, run: test -f done.txt }, { id: env, run: cat .env }]\n",
  });
  place.write({ ".git/info/exclude": ".env\n", ".env": "A=1\n" });
  const { code, stderr, outcomes } = await place.run();
  expect({ code, outcomes }).toEqual({ code: 78, outcomes: [] });
  expect(stderr).toContain(
    "error: These gates pass in your working tree and fail in a fresh checkout: env. " +
      "Git ignores these files, so a fresh checkout has none: .env\nhint: Add to .worktreeinclude: .env\n",
  );
  place.write({ ".worktreeinclude": ".env\n" });
  expect((await place.run()).outcomes).toEqual(["verified"]);
});

test("L-04 X-78 set-up that fails ends a run before any session, and never runs in the person's tree", async () => {
  const place = await loopWorkspace({
    script: script([WORK, DONE]),
    config: "gates: [{ id: test, run: test -f done.txt }]\nlanes: { setup: 'touch set-up-ran; exit 3' }\n",
  });
  const { code, stderr, outcomes } = await place.run();
  expect({ code, outcomes }).toEqual({ code: 78, outcomes: [] });
  expect(stderr).toMatch(/^error: Set-up of the room failed: touch set-up-ran; exit 3/m);
  expect(place.git("status", "--porcelain")).not.toContain("set-up-ran");
});

test("T-02 the last resort, gates that need the person's tree, works", async () => {
  const gates = "gates: [{ id: test, run: test -f done.txt }, { id: mine, run: test -d .git/of-mine }]\n";
  const place = await loopWorkspace({ script: script([WORK, DONE]), config: gates });
  place.write({ ".git/of-mine/x": "" });
  expect((await place.run("--max-attempts", "1")).outcomes).toEqual(["rejected"]);
  await place.task("reset", place.ids[0]!);
  place.write({
    ".ralph/config.yaml": `${place.read(".ralph/config.yaml")}lanes: { inPlace: true }\nverify: { in: tree }\n`,
  });
  place.git("commit", "--quiet", "--all", "--message", "Work in place");
  expect((await place.run()).outcomes).toEqual(["verified"]);
});
