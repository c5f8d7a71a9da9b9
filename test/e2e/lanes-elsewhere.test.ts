import { expect, test } from "vitest";
import { DONE, scriptFor, sh } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { git } from "../temporary-folder.ts";

const SCRIPT = scriptFor({
  One: [sh("echo 1 > one.txt && echo > done.txt"), DONE],
  Two: [sh("echo 2 > two.txt && echo > done.txt"), DONE],
});

const notices = (run: { readonly events: readonly { readonly type: string; readonly text?: string }[] }) =>
  run.events.flatMap(({ type, text }) => (type === "run.notice" && text !== undefined ? [text] : []));

test("L-28 a task is not ready where the work that it needs has not landed; after a merge it is", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    script: SCRIPT,
  });
  const [one, two] = place.ids;
  await place.task("dep", "add", two!, "--needs", one!);
  git(place.folder, "branch", "side");
  expect((await place.run("--task", one!)).outcomes).toEqual(["verified"]);
  place.git("switch", "--quiet", "side");
  const blocked = await place.run();
  expect([blocked.outcomes, blocked.finished?.reason]).toEqual([
    [],
    `These tasks need work that landed on another branch: ${two}`,
  ]);
  expect(notices(blocked)).toContain(`${two} needs ${one}, which landed on another branch and not on this one`);
  place.git("merge", "--quiet", "main");
  const run = await place.run();
  expect([run.outcomes, await place.states()]).toEqual([["verified"], { One: "done", Two: "done" }]);
});

test("L-28 where the commit is on no branch any more, the store's word holds, and the task's own gate runs once", async () => {
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    script: SCRIPT,
  });
  const [one, two] = place.ids;
  await place.task("dep", "add", two!, "--needs", one!);
  await place.run("--task", one!);
  place.git("commit", "--quiet", "--amend", "--message", "Squashed");
  const run = await place.run();
  expect([run.outcomes, await place.states()]).toEqual([["verified"], { One: "done", Two: "done" }]);
});
