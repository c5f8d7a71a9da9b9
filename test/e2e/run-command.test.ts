import { join } from "node:path";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { claimsOf, eventsOf, seen } from "../run-seen.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Any program: it keeps what it was given, does the work and says so; the first time it then fails. */
const AGENT = `
case "$HOW" in
  stdin) cat ;;
  file) cat "$1" ;;
  argument) printf %s "$1" ;;
esac > "$GOT/$RALPHCTL_ITERATION.md"
echo yes > done.txt
echo "The file is there."
echo "<task-done>$RALPHCTL_TASK</task-done>"
echo "<task-done>$RALPHCTL_TASK</task-done> in a complaint" >&2
test "$RALPHCTL_ITERATION" != 1
`;

test.concurrent.each(["stdin", "file", "argument"])(
  "P-01 P-14 any command is an agent, with its prompt by %s: its claim counts when it exits with 0",
  async (how) => {
    const got = temporaryFolder();
    const place = await loopWorkspace({
      script: "[]",
      files: { "agent.sh": AGENT },
      harnesses: { command: `run: 'sh agent.sh "$1"', promptBy: ${how}, env: { HOW: ${how}, GOT: "${got}" }` },
    });
    const run = await place.run("--harness", "command");
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["crashed", "verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    expect(claimsOf(run)).toEqual(["2 done message"]);
    for (const iteration of [1, 2]) {
      const system = place.read(`.ralph/runs/${run.name}/${iteration}/system.md`);
      expect(readFileSync(join(got, `${iteration}.md`), "utf8")).toBe(`${system}\n\n---\n\n${run.prompt(iteration)}`);
    }
    const [failed] = eventsOf(run, "iteration.finished");
    const complaint = `<task-done>${place.ids[0]}</task-done> in a complaint`;
    expect(failed?.reason).toBe(`The agent ended with exit code 1 and no result: ${complaint}`);
  },
);

test.concurrent("P-11 a command that prints its prompt and nothing else claims nothing", async () => {
  const place = await loopWorkspace({ script: "[]", harnesses: { command: "bin: cat" } });
  const run = await place.run("--harness", "command", "--max-iterations", "1");
  expect(await seen(place, run)).toEqual({
    code: 4,
    outcomes: ["idle"],
    states: { "Do it": "pending" },
    commits: [],
  });
  expect(claimsOf(run)).toEqual([]);
});
