import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopWorkspace, runOf } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

const SCRIPT = `
- - write: { path: done.txt, text: "{task}\\n" }
  - say: <task-done>{task}</task-done>
- - write: { path: done.txt, text: "{task}\\n" }
  - say: <task-done>{task}</task-done>
`;

/** A git that takes its time with an index, and holds the lock meanwhile. */
function slowIndex(): string {
  const text = `#!/bin/sh
PATH=\${PATH#*:}
case "$*" in
*update-index*) if [ -z "$GIT_INDEX_FILE" ]; then : >.git/index.lock; sleep 0.4; rm .git/index.lock; fi ;;
esac
exec git "$@"
`;
  const folder = temporaryFolder({ git: text });
  chmodSync(join(folder, "git"), 0o755);
  return folder;
}

test("P-34 a lock that the run itself holds on the index is not the session's", async () => {
  const place = await loopWorkspace({ script: SCRIPT, tasks: ["First", "Second"] });
  const path = `${slowIndex()}:${process.env["PATH"]!}`;
  const answer = await typed(["run", "--json"], { cwd: place.folder, env: { PATH: path } });
  const { code, outcomes, events } = runOf(place.folder, answer);
  expect([code, outcomes, events.filter(({ type }) => type === "protocol.broken"), place.commits()]).toEqual([
    0,
    ["verified", "verified"],
    [],
    ["First", "Second"],
  ]);
  expect(place.git("status", "--porcelain")).toBe("");
});
