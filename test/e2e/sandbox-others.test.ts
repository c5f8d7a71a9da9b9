import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { treeMarker } from "../../src/system/process/marker.ts";
import { PROGRAM } from "../built-program.ts";
import { fileAppears, startUnder } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { isRunning } from "../running-command.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("B-07 a run that is killed leaves no container: its guard asks the engine for those of the run", async () => {
  const folder = temporaryFolder({
    podman: `#!/bin/sh
case $1 in
  ps | rm) echo "$*" >>"$(dirname "$0")/asked"; [ "$1" = rm ] || echo left; exit ;;
esac
while [ "$1" != agents ]; do shift; done
shift
exec "$@"
`,
  });
  chmodSync(join(folder, "podman"), 0o755);
  const ready = join(folder, "ready");
  const place = await loopWorkspace({
    script: JSON.stringify([[{ run: `touch ${ready}; while :; do sleep 0.05; done` }]]),
    config: "gates:\n  - { id: test, run: test -f done.txt }\nsandbox: { agent: podman, image: agents }\n",
  });
  const live = startUnder(["env", `PATH=${folder}:${process.env["PATH"]}`], place.folder);
  await fileAppears(ready);
  live.signal("SIGKILL");
  const run = await live.ended;
  const asked = (): string => (existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8") : "");
  await vi.waitUntil(() => asked().includes("rm --force left"), { timeout: 50_000 });
  const mark = treeMarker(run.name, join(place.folder, ".git")).value;
  // Before that, each program has removed its own.
  expect(asked()).toContain(`\nps --all --quiet --filter name=^ralphctl-${mark}-\nrm --force left\n`);
  expect(asked()).toContain(`rm --force ralphctl-${mark}-`);
});

/** Nobody's number: no file of the machine is theirs. */
const OTHER = 54_321;
const asOther = ["setpriv", `--reuid=${OTHER}`, `--regid=${OTHER}`, "--clear-groups", "--"];
const canBeOther =
  process.getuid?.() === 0 &&
  spawnSync(asOther[0]!, [
    ...asOther.slice(1),
    "sh",
    "-c",
    `test -r '${PROGRAM}' && '${process.execPath}' --version && bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid true`,
  ]).status === 0;

test.skipIf(!canBeOther)("B-07 bubblewrap holds an agent of another user than root, too", () => {
  const home = mkdtempSync("/tmp/ralphctl-other-");
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  chownSync(home, OTHER, OTHER);
  const seconds = 3000 + Math.floor(Math.random() * 1e6);
  const agent = `cat ~/.ssh/id; echo x > ~/evil; echo x > /tmp/mine && echo private; setsid env -i sleep ${seconds} >/dev/null 2>&1 & sleep 0.1; echo ok > done.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"`;
  const script = join(home, "try.sh");
  writeFileSync(
    script,
    `set -e
mkdir -p ~/.ssh ~/repository/.ralph
echo "the key" > ~/.ssh/id
cd ~/repository
git init --quiet --initial-branch=main
git config user.name Test
git config user.email test@example.invalid
cat > .ralph/config.yaml <<'END'
harness: command
harnesses: { command: { run: ${JSON.stringify(agent)} } }
gates: [{ id: test, run: test -f done.txt }]
END
echo Build > PROMPT_build.md
git add --all
git commit --quiet --message Begin
exec '${process.execPath}' '${PROGRAM}' run "Do it" --trust --sandbox bwrap --max-iterations 1 --json
`,
  );
  const { status, stdout, stderr } = spawnSync(asOther[0]!, [...asOther.slice(1), "sh", script], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home },
  });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  expect([stdout.includes("private"), stdout.includes("the key")]).toEqual([true, false]);
  expect([existsSync(join(home, "evil")), existsSync("/tmp/mine"), isRunning(`sleep ${seconds}`)]).toEqual([
    false,
    false,
    false,
  ]);
});
