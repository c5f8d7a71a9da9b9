import { expect, test } from "vitest";
import { DONE, script, sh } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { landedTwice, unproven } from "../torture/landing-history.ts";

const PLAN = "IMPLEMENTATION_PLAN.md";

test.concurrent("L-10 L-27 two proofs at once: each in a room, and a commit has the marks of what landed before it only", async () => {
  const folder = temporaryFolder();
  const arrive = `touch ${folder}/$RALPHCTL_TASK; until [ $(ls ${folder} | wc -l) -ge 2 ]; do sleep 0.02; done`;
  const meet = `if [ -n "$RALPHCTL_TASK" ]; then ${arrive}; fi`;
  const place = await loopWorkspace({
    tasks: [],
    config: `gates: [{ id: test, run: '${meet}' }]\nlanes: { gates: 2 }\n`,
    files: { [PLAN]: "- [ ] One\n- [ ] Two\n- [ ] Three\n" },
    script: script([sh("echo $RALPHCTL_TASK > $RALPHCTL_TASK.txt"), DONE]),
  });
  const run = await place.run("--lanes", "2");
  expect([run.code, place.git("status", "--porcelain")]).toEqual([0, ""]);
  const marksAt = (commit: string): string[] => place.git("show", `${commit}:${PLAN}`).match(/(?<=\[x\] ).*/g) ?? [];
  const subjects = place.commits();
  expect(["HEAD~2", "HEAD~1", "HEAD"].map((commit) => marksAt(commit).toSorted())).toEqual(
    [1, 2, 3].map((count) => subjects.slice(0, count).toSorted()),
  );
  expect([await unproven(place.folder, { isGreen: () => false }), landedTwice(place.folder)]).toEqual([[], []]);
  expect((await place.ralphctl("lanes")).stdout).toMatch(/^Room 2$/m);
});

test.concurrent("L-10 with lanes.exclusiveGates, gates run while no session does, and sessions begin after them", async () => {
  const folder = temporaryFolder();
  const place = await loopWorkspace({
    tasks: ["One", "Two", "Three", "Four", "Five"],
    config: `gates: [{ id: test, run: '[ -z "$(ls ${folder})" ]; sleep 0.2; [ -z "$(ls ${folder})" ]' }]\nlanes: { exclusiveGates: true, gates: 2 }\n`,
    script: script([
      sh(
        `touch ${folder}/$RALPHCTL_TASK; sleep 0.3; echo $RALPHCTL_TASK > $RALPHCTL_TASK.txt; rm ${folder}/$RALPHCTL_TASK`,
      ),
      DONE,
    ]),
  });
  const run = await place.run("--lanes", "3");
  expect([run.code, run.outcomes]).toEqual([0, Array.from({ length: 5 }, () => "verified")]);
});
