import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DONE, script, sh } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A `git` that writes down each start; `since` tells how many there were since it was last asked. */
function countingGit(): { readonly path: string; readonly since: () => number } {
  const folder = temporaryFolder({ starts: "" });
  const [starts, path] = [join(folder, "starts"), process.env["PATH"]!];
  // One line for each, whatever the arguments are.
  const real = `PATH='${path}' exec git "$@"`;
  writeFileSync(join(folder, "git"), `#!/bin/sh\necho x >>'${starts}'\n${real}\n`, { mode: 0o755 });
  let seen = 0;
  const since = (): number => {
    const all = readFileSync(starts, "utf8").split("\n").length - 1;
    const more = all - seen;
    seen = all;
    return more;
  };
  return { path: `${folder}:${path}`, since };
}

// The bounds are close to what there is: each start takes some milliseconds of every run and of every test. If one grows,
// look for an answer that a run has already, or that git's files have.
test("L-05 L-23 a run starts few gits: the first, one in a warm lane, and each further iteration", async () => {
  const { path, since } = countingGit();
  const place = await loopWorkspace({
    tasks: ["One"],
    config: 'gates: [{ id: test, run: "true" }]\n',
    script: script([sh('echo "$RALPHCTL_TASK" >> work.txt'), DONE]),
    env: { PATH: path },
  });
  const landed = async (...titles: readonly string[]): Promise<number> => {
    for (const title of titles) await place.task("add", title);
    expect((await place.run()).outcomes).toEqual(titles.length === 0 ? ["verified"] : titles.map(() => "verified"));
    return since();
  };
  const [first, warm, three] = [await landed(), await landed("Two"), await landed("Three", "Four", "Five")];
  expect(first).toBeLessThanOrEqual(26);
  expect(warm).toBeLessThanOrEqual(30);
  // One more than without a changed text: whether a check reads it is asked of the base.
  expect((three - warm) / 2).toBeLessThanOrEqual(15);
  expect(place.commits()).toHaveLength(5);
});
